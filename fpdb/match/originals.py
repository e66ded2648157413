"""Originals: the file that a document was read from, where it is still there, and still the same.

Opens regular files only, and none that the caller names as its own. Knows nothing of databases.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from typing import Final, Literal

LARGEST: Final = 1 << 31
"""Files from this many bytes on are not read."""

FileId = tuple[int, int]
"""Device and inode."""


def read_original(source: str | None, own: Collection[FileId]) -> bytes | None:
    """The bytes of the file at this path; None where it cannot be had.

    own: files that may not be opened, since closing them would drop the locks that this process has on them.
    """
    if not source or "\0" in source:
        return None
    try:
        path = os.fsencode(source)
        if not _is_readable(os.stat(path), own):
            return None
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            return file.read() if _is_readable(os.fstat(handle), own) else None
    except (OSError, ValueError):
        return None


def why_unread(source: str | None) -> Literal["gone", "not_kept", "unavailable"]:
    """Why `read_original` gave nothing: there is no file where it was; the document never came from one, as far as can
    be told; or the file is there."""
    if not source or not os.path.isabs(source):
        return "not_kept"
    try:
        os.stat(os.fsencode(source))
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
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


def _is_readable(status: os.stat_result, own: Collection[FileId]) -> bool:
    regular = stat.S_ISREG(status.st_mode) and status.st_size < LARGEST
    return regular and (status.st_dev, status.st_ino) not in own
