"""The dual problem: its solver, the working set of planes, and each example's own cuts."""
