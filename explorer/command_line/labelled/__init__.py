"""Examples that `predict` and `score` label: those of data files, and of problems in Python."""
