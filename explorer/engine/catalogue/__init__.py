"""What there is to train, and the recipes that name every choice of a run."""
