"""The oracle lab: a page."""
