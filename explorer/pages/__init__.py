"""Scripts for `panel serve`."""
