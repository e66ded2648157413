"""From paths to committed documents: find, read, fingerprint in worker processes, commit in batches.

Sits on the database; the command line is one of its callers. Knows nothing of terminals.
"""

from fpdb.load.answering import Answered, answers
from fpdb.load.dumps import Form, size_of_dumps
from fpdb.load.loading import Report, Stopped, Watcher, load, processors
from fpdb.load.records import Fields, pieces, records
from fpdb.load.rotating import Rotated, Stale, rotate
from fpdb.load.sources import Own, Piece, Skipped, Source, content_of, name_of, reason_of
from fpdb.load.walking import files, size_of

__all__ = [
    "Answered",
    "Fields",
    "Form",
    "Own",
    "Piece",
    "Report",
    "Rotated",
    "Skipped",
    "Source",
    "Stale",
    "Stopped",
    "Watcher",
    "answers",
    "content_of",
    "files",
    "load",
    "name_of",
    "pieces",
    "processors",
    "reason_of",
    "records",
    "rotate",
    "size_of",
    "size_of_dumps",
]
