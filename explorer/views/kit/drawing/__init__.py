"""What figures are made of: colours, axes, marks, and how much of a long run is drawn."""
