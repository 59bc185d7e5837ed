"""Published experiments: a page."""
