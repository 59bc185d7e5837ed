"""A label for every node of a graph, or a subset of labels: pairwise fields."""
