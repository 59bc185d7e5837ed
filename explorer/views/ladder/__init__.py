"""Margins of classes as a ladder."""
