"""The plane between two classes."""
