"""The workshop: hook modules as a running flowchart, and linear programs to play with."""
