"""One file per task: what an example is, its feature map, its loss-augmented oracle."""
