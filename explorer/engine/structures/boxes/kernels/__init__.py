"""Compiled code of boxes on plain arrays."""
