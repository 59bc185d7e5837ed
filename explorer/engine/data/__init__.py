"""One file per family of data sets: plain functions that generate or read, and the checks they all pass."""
