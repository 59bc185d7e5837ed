"""The oracle lab: one graph, every oracle."""
