"""The training engine: problems, cuts, learners and traces. Knows nothing of any user interface."""
