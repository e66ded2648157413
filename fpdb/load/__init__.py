"""From paths to committed documents: find, read, fingerprint in worker processes, commit in batches.

Sits on the database; the command line is one of its callers. Knows nothing of terminals.
"""
