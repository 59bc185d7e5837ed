"""A linear program of two variables to play with; nothing here draws."""
