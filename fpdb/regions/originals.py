"""The file, or archive member, that a document was read from, where it is still there. Knows nothing of databases."""

import os
from typing import Literal

from fpdb.ingest.archives.member_lookup import MemberCache, find_member, split_source
from fpdb.ingest.archives.meter import ArchiveError
from fpdb.limits import MAX_DOCUMENT_BYTES
from fpdb.regions.source_roots import SourceRoots

UnreadState = Literal["gone", "not_kept", "outside", "unavailable"]
"""The reason why a source was not read: no file or archive is there; as far as can be told, the document never came
from a file; the path is not below a root; the file or archive is there."""


def read_original(source: str | None, roots: SourceRoots, cache: MemberCache | None = None) -> bytes | UnreadState:
    """Read the file at a path, or the member of an archive; else tell why there is nothing to read.

    Args:
        source: The path, or the path of an archive and the name in it.
        roots: What may be read.
        cache: Members that earlier calls passed.
    """
    if not source or not os.path.isabs(source):
        return "not_kept"
    reasons = set()
    for path, inside in ((source, None), *split_source(source)):
        content = _read(path, inside, roots, cache)
        if isinstance(content, bytes):
            return content
        reasons.add(content)
    return "unavailable" if "unavailable" in reasons else "gone" if "gone" in reasons else "outside"


def is_gone(source: str | None, roots: SourceRoots) -> bool:
    """Return True if neither the file of a source is there nor an archive that could hold it, below the roots."""
    is_missing = False
    if not source or not os.path.isabs(source):
        return False
    for path in (source, *(path for path, _ in split_source(source))):
        try:
            file = roots.open(path)
        except (FileNotFoundError, NotADirectoryError):
            is_missing = True
        except (OSError, ValueError):
            return False
        else:
            if file is not None:
                file.close()
                return False
    return is_missing


def _read(path: str, inside: str | None, roots: SourceRoots, cache: MemberCache | None) -> bytes | UnreadState:
    """Read a file, or what an archive has inside it."""
    try:
        file = roots.open(path)
        if file is None:
            return "outside"
        with file:
            size = os.fstat(file.fileno()).st_size
            if inside is None:
                return file.read() if size < MAX_DOCUMENT_BYTES else "unavailable"
            cached = cache.find(file, path, inside) if cache is not None else None
            return find_member(file, size, path, inside) if cached is None else cached
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except (OSError, ValueError, ArchiveError, MemoryError):
        return "unavailable"
