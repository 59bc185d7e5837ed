"""The page for one's own data: bring a file along or draw one, look at it, train on it, take the results."""
