"""Check, repair, compact and back up a whole file."""
