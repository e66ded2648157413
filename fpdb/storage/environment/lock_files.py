"""Files beside a database: locks, and reviews of pairs; opened through no link, and refused unless they are fpdb's own.

Whoever may write to a lock file can stop everybody who uses the database, or end their processes. So a lock file is for
those who may change the database, the table of readers also for a group that may read it, and neither for everybody.
Reviews are for whoever may read the database, too.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress

from fpdb.errors import StorageFailure

READERS, WRITER, MERGE = "-lock", "-writer", "-merge"  # suffixes; the first is LMDB's
REVIEWS = "-reviews"
READERS_BYTES = 32_768  # LMDB's table of as many readers as `open_file` allows
HOLDER_BYTES = 128  # what the holder of the others writes about itself

_FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_KINDS = {
    errno.ELOOP: "a symbolic link",
    errno.EMLINK: "a symbolic link",  # on some systems
    errno.EISDIR: "a folder",
    errno.ENXIO: "a socket or a pipe",
}
_LMDB_MAGIC = (0xBEEFC0DE).to_bytes(4, sys.byteorder)


def open_lock_file(database: str, suffix: str) -> int:
    """Open or make a lock file of a database, see `open_beside`."""
    return open_beside(database, suffix, lambda start, size: _is_lock(start, size, suffix))


def open_beside(database: str, suffix: str, is_own: Callable[[bytes, int], bool]) -> int:
    """Open or make a file beside a database, give it the mode that follows from the database's, return its descriptor.

    is_own: tells from the first HOLDER_BYTES bytes, and the size, if it is fpdb's own.

    Raises:
        StorageFailure: What has the name is not fpdb's own, and was left as it is.
        OSError: It cannot be opened.
    """
    path = database + suffix
    file = _open(path)
    try:
        status, database_status = os.fstat(file), _status(database)
        if (fault := _find_fault(file, status, database_status, is_own)) is not None:
            raise _refusal(path, fault)
        _share(file, status, database_status, suffix)
    except BaseException:
        os.close(file)
        raise
    return file


def _open(path: str) -> int:
    while True:
        try:
            return os.open(path, _FLAGS)
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno in _KINDS:
                raise _refusal(path, f"is {_KINDS[error.errno]}") from error
            raise
        with suppress(FileExistsError):  # another process has just made it
            return os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _refusal(path: str, fault: str) -> StorageFailure:
    noun = "file of reviews" if path.endswith(REVIEWS) else "lock file of fpdb"
    return StorageFailure(f"{path!r} {fault}, so it is no {noun}; it was left as it is: move it away, and try again")


def _find_fault(
    file: int,
    status: os.stat_result,
    database_status: os.stat_result | None,
    is_own: Callable[[bytes, int], bool],
) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if status.st_nlink > 1:
        return "has another name, too (a hard link)"
    if not _may_be_owner(status, database_status):
        return f"belongs to another user (number {status.st_uid}), who is not the database's owner"
    if not is_own(os.pread(file, HOLDER_BYTES, 0), status.st_size):
        return "has other content"
    return None


def _may_be_owner(status: os.stat_result, database_status: os.stat_result | None) -> bool:
    """Return True for this user, root, the database's owner, and whom the owner lets read it as one of its group.

    In a folder where everybody may make files, a stranger could else make the lock file first, and cut it short later.
    """
    if status.st_uid in (os.geteuid(), 0):
        return True
    if database_status is None:
        return False
    of_the_group = _is_shared(database_status) and status.st_gid == database_status.st_gid
    return of_the_group or status.st_uid == database_status.st_uid


def _is_shared(database_status: os.stat_result) -> bool:
    """Return True if a database is for its group, and not, as files are under a mask of 022, for all to read."""
    mode = database_status.st_mode
    return bool(mode & stat.S_IRGRP) and (bool(mode & stat.S_IWGRP) or not mode & stat.S_IROTH)


def _is_lock(start: bytes, size: int, suffix: str) -> bool:
    if suffix == READERS:  # after a loss of power there may be anything in a table of the right size
        return size in (0, READERS_BYTES) or start[:4] in (_LMDB_MAGIC, bytes(4))
    line = start.partition(b"\n")[0]
    return size <= HOLDER_BYTES and (line.startswith(b"fpdb ") or not line.strip(b"\0 0123456789"))


def _share(file: int, status: os.stat_result, database_status: os.stat_result | None, suffix: str) -> None:
    """Give a file to those who need it. Whoever may not do that leaves it to its owner."""
    if database_status is None:
        return
    shared = _is_shared(database_status) and (
        suffix in (READERS, REVIEWS) or bool(database_status.st_mode & stat.S_IWGRP)
    )
    owner = database_status.st_uid if os.geteuid() == 0 else status.st_uid
    group = database_status.st_gid if shared else status.st_gid
    mode = 0o660 if shared else 0o600
    with suppress(OSError):
        if (owner, group) != (status.st_uid, status.st_gid):
            os.fchown(file, owner, group)
        if stat.S_IMODE(status.st_mode) != mode:
            os.fchmod(file, mode)
