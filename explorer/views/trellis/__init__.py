"""Viterbi tables of a chain."""
