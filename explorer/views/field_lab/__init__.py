"""Pictures of the oracle lab."""
