"""The runs of a session besides the one that is looked at: put aside, brought back, trained in a sweep."""
