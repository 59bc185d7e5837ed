"""Files that visitors of a server brought along: kept for them alone, read by workers, let go with them."""
