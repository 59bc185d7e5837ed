"""A linear program of two variables as a picture."""
