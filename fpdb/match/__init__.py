"""What the numbers mean: measures, ranking."""
