"""Primal and dual over a run."""
