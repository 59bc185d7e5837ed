"""The state and the numbers of the two labs; nothing here draws."""
