"""Pages as query strings, and back: the codec of all pages, and the parts of a recipe."""
