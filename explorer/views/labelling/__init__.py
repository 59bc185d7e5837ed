"""A graph with its labels."""
