"""Boxes in a picture."""
