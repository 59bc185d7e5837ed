"""The race of learners: a page."""
