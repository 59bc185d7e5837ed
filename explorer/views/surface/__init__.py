"""The objective over two weights."""
