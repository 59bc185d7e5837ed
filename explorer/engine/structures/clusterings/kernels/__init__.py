"""Compiled code of clusterings on plain arrays."""
