"""Compiled code of trees on plain arrays."""
