"""Where two documents agree: regions, in symbols, characters and lines."""
