"""Experiments with dependency trees."""
