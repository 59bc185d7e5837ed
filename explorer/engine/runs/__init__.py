"""Runs: streams of events, their record, the path over C, and files that hold them."""
