"""Dependency trees as arcs."""
