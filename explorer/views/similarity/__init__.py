"""Similarity matrices and their clusters."""
