"""Pictures of the clustering lab."""
