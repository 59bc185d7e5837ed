"""All tasks at a glance: a page."""
