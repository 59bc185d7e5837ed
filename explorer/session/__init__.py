"""What the user chose, which step is looked at, and where training runs. Knows Param, draws nothing."""
