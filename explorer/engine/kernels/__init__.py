"""Compiled code on plain arrays: one file per numeric idea, one decorator for all of them."""
