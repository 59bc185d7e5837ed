"""What can be predicted: one folder per structure, with its problem, oracles and kernels."""
