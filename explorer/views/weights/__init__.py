"""The weight vector."""
