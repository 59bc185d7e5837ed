"""The training studio: a page."""
