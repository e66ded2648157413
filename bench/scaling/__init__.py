"""Costs of large collections: sizes by formula and by simulation, growth as measured, and plans."""
