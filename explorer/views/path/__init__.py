"""Optima over C."""
