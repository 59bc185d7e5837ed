"""Loss and slack over a run."""
