"""Documents as callers see them, and where their contents are read."""
