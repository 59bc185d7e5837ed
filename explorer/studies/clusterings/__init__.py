"""Experiments with learned similarities and clusterings."""
