"""Experiments about what structural SVMs of every structure have in common."""
