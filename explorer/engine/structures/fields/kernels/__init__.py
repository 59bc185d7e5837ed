"""Compiled code of fields on plain arrays."""
