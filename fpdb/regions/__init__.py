"""Regions in which two documents agree, in symbols, characters and lines."""
