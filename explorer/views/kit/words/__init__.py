"""Labels, weights and symbols in words."""
