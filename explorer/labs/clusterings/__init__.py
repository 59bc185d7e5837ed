"""The clustering lab: one similarity, every clusterer."""
