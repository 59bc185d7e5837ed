"""One box around the object of each picture."""
