"""A published experiment."""
