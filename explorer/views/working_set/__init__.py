"""Cuts and their multipliers."""
