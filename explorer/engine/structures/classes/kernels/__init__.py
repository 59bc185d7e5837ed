"""Compiled code of classes on plain arrays."""
