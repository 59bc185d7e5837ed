from explorer.engine.data.checks import checked_points, checked_sequences
