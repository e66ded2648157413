"""The file, or archive member, that a document was read from, where it is still there.

Opens regular files only, and none that the caller names as the database's own. Knows nothing of databases.
"""

import io
import os
import stat
from collections.abc import Collection
from typing import Literal

from fpdb.ingest.archives.limits import ArchiveError
from fpdb.ingest.archives.member_lookup import MemberCache, find_member, split_source
from fpdb.ingest.files import MAX_DOCUMENT_BYTES

FileId = tuple[int, int]
"""Device and inode."""


def read_original(source: str | None, own: Collection[FileId], cache: MemberCache | None = None) -> bytes | None:
    """Read the file at a path, or the member of an archive.

    Args:
        source: The path, or the path of an archive and the name in it.
        own: Files that may not be opened: closing them would drop the locks that this process has on them.
        cache: Members that earlier calls passed.

    Returns:
        The content, or None if it cannot be read.
    """
    if not source:
        return None
    try:
        if (file := _open(source, own)) is not None:
            with file:
                return file.read() if os.fstat(file.fileno()).st_size < MAX_DOCUMENT_BYTES else None
        for path, inside in split_source(source):
            if (file := _open(path, own)) is not None:
                with file:
                    cached = cache.find(file, path, inside) if cache is not None else None
                    size = os.fstat(file.fileno()).st_size
                    return find_member(file, size, path, inside) if cached is None else cached
    except (OSError, ValueError, ArchiveError, MemoryError):
        pass
    return None


def _open(path: str, own: Collection[FileId]) -> io.BufferedReader | None:
    """Open the regular file at a path; return None if there is none that may be opened. Raises OSError."""
    encoded = os.fsencode(path)
    if b"\0" in encoded or not os.path.exists(encoded) or not _may_be_opened(os.stat(encoded), own):
        return None
    handle = os.open(encoded, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    file = os.fdopen(handle, "rb")
    if _may_be_opened(os.fstat(handle), own):
        return file
    file.close()
    return None


def why_unread(source: str | None) -> Literal["gone", "not_kept", "unavailable"]:
    """Return why `read_original` gave nothing.

    Returns:
        "not_kept": as far as can be told, the document never came from a file; "gone": no file or archive is there;
        "unavailable": the file or archive is there.
    """
    if not source or not os.path.isabs(source):
        return "not_kept"
    try:
        os.stat(os.fsencode(source))
    except (FileNotFoundError, NotADirectoryError):
        return "unavailable" if any(os.path.isfile(path) for path, _ in split_source(source)) else "gone"
    except (OSError, ValueError):
        pass
    return "unavailable"


def identify(paths: Collection[str]) -> frozenset[FileId]:
    """Return the identities of the files at these paths, without those that do not exist."""
    identities = set()
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        identities.add((status.st_dev, status.st_ino))
    return frozenset(identities)


def _may_be_opened(status: os.stat_result, own: Collection[FileId]) -> bool:
    return stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in own
