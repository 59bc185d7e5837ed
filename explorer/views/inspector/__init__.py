"""What happened in this step."""
