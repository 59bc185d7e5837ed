"""The clustering lab: a page."""
