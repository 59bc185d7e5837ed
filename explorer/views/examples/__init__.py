"""All examples with their slacks."""
