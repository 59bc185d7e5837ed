"""Small pictures of examples."""
