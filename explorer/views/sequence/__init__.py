"""A sequence with its labels along time."""
