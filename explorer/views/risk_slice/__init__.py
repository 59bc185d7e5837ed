"""The risk along one line of weights."""
