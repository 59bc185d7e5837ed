"""Other ways to learn, to compare with."""
