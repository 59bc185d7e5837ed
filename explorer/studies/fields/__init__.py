"""Experiments with labellings of graphs: what oracles find, and what they do to learning."""
