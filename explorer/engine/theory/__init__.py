"""What theorems promise of a run, to compare it with."""
