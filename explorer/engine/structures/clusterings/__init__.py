"""Partitions of item sets."""
