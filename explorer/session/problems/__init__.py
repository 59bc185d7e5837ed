"""Problems on their way to a page: how large they are, and who makes them."""
