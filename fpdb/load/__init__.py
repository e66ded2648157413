"""From paths to committed documents: find, read, fingerprint in worker processes, commit in batches.

Sits on the database; the command line is one of its callers. Knows nothing of terminals.
"""

from fpdb.load.loading import Report, Watcher, load, processors
from fpdb.load.records import records
from fpdb.load.rotating import Rotated, Stale, rotate
from fpdb.load.sources import Own, Skipped, Source, content_of, name_of, reason_of
from fpdb.load.walking import files, size_of

__all__ = [
    "Own",
    "Report",
    "Rotated",
    "Skipped",
    "Source",
    "Stale",
    "Watcher",
    "content_of",
    "files",
    "load",
    "name_of",
    "processors",
    "reason_of",
    "records",
    "rotate",
    "size_of",
]
