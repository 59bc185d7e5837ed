"""Data files, each format read and checked by one module."""
