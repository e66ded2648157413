"""Other engines that do what fpdb does, or a part of it, each behind the same few calls; used by `bench.compare` alone.

One module an engine; it imports its package when the engine is made, so that a missing one is missing nobody else.
"""
