"""What a film's numbers do over its steps."""
