"""Originals: the file, or member of an archive, that a document was read from, where it is still there.

Opens regular files only, and none that the caller names as its own. Knows nothing of databases.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Collection
from typing import Literal

from fpdb.ingest.archives import MAX_DOCUMENT_BYTES, MemberCache, Refused, find_member, split_source

FileId = tuple[int, int]
"""Device and inode."""


def read_original(source: str | None, own: Collection[FileId], passed: MemberCache | None = None) -> bytes | None:
    """The bytes of the file at this path, or of the member of an archive; None where they cannot be had.

    own: files that may not be opened, since closing them would drop the locks that this process has on them. passed:
    members that earlier calls came upon.
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
                    found = passed.find(file, path, inside) if passed is not None else None
                    return find_member(file, os.fstat(file.fileno()).st_size, path, inside) if found is None else found
    except (OSError, ValueError, Refused, MemoryError):
        pass
    return None


def _open(path: str, own: Collection[FileId]) -> io.BufferedReader | None:
    """The regular file at this path; None where there is none that may be opened. OSError."""
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
    """Why `read_original` gave nothing: there is no file or archive where it was; the document never came from one,
    as far as can be told; or the file or archive is there."""
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
    """Which files these are; those that are not there are passed over."""
    found = set()
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        found.add((status.st_dev, status.st_ino))
    return frozenset(found)


def _may_be_opened(status: os.stat_result, own: Collection[FileId]) -> bool:
    return stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in own
