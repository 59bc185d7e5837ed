"""Studies of label sequences."""
