"""Other engines that do all or part of what fpdb does, behind the same few calls; used by `bench.compare` alone.

Each engine is a module, which imports its package when the engine is made, so that a missing package disables one
engine only.
"""
