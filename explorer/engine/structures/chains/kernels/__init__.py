"""Compiled code of chains on plain arrays."""
