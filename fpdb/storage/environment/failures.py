"""Errors of LMDB and the operating system as errors of fpdb, which say what is wrong and what to do."""

import errno
import os
import resource
from collections.abc import Callable

import lmdb

from fpdb.errors import Corrupt, Locked, NotADatabase, StorageFailure

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)
_LITTLE = 1 << 20  # LMDB says EIO where a disk, or a file's limit, has a few bytes left, but not enough

_ADVICE = {
    errno.EACCES: "get permission for it and for the files beside it",
    errno.EPERM: "open it for reading, or copy it",
    errno.EROFS: "it is on a read-only file system, so copy it elsewhere",
    errno.EMFILE: "close some files of this process, or raise the limit (ulimit -n)",
    errno.ENFILE: "wait until this machine has fewer files open",
}


class _Translation:
    """Turns errors inside a `with` block into errors of fpdb; each read and each commit enters several."""

    __slots__ = "_path", "_translate"

    def __init__(self, path: str, translate: Callable[[str, BaseException | None], Exception | None]) -> None:
        self._path = path
        self._translate = translate

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Raise the error that stands for one in the block."""
        if error is not None and (translation := self._translate(self._path, error)) is not None:
            raise translation from error


def translated(path: str) -> _Translation:
    """Turn errors of LMDB and the operating system into errors of fpdb."""
    return _Translation(path, _of_any)


def lmdb_translated(path: str) -> _Translation:
    """Turn errors of LMDB into errors of fpdb; for blocks in which a caller's own code may run."""
    return _Translation(path, _of_lmdb)


def _of_any(path: str, error: BaseException | None) -> Exception | None:
    if isinstance(error, OSError):
        return StorageFailure(explain(path, error.strerror or str(error)))
    return _of_lmdb(path, error)


def _of_lmdb(path: str, error: BaseException | None) -> Exception | None:  # see OpenFile.failure for PanicError
    if not isinstance(error, lmdb.Error):
        return None
    if isinstance(error, lmdb.ReadersFullError):
        return StorageFailure(f"too many readers have {path!r} open already; close some")
    if isinstance(error, lmdb.MapFullError):
        return StorageFailure(
            f"{path!r} has reached the most that there can be; what was committed is safe: 'fpdb compact' gives unused "
            f"space back, or begin another database"
        )
    if isinstance(error, lmdb.MapResizedError):
        return StorageFailure(f"{path!r} is larger than any fpdb makes it; run 'fpdb check'")
    if isinstance(error, lmdb.BadTxnError | lmdb.BadRslotError | lmdb.TxnFullError):
        return StorageFailure(
            f"a change of {path!r} failed on the way and was undone ({error}); what was committed is safe: open the "
            f"database anew and try again, with less at a time"
        )
    if isinstance(error, lmdb.PanicError):
        return StorageFailure(f"a write to {path!r} has failed; what was committed is safe: try again")
    if isinstance(error, lmdb.CorruptedError | lmdb.PageNotFoundError):
        return Corrupt(f"{path!r} is damaged ({error}); run 'fpdb check'")
    if isinstance(error, lmdb.InvalidError | lmdb.VersionMismatchError | lmdb.IncompatibleError):
        return NotADatabase(f"{path!r} is not an fpdb database ({error})")
    return _of_any_other(path, error)


def _of_any_other(path: str, error: lmdb.Error) -> Locked | StorageFailure:
    if isinstance(error, lmdb.LockError):  # LMDB locks a byte for each number of a process
        return Locked(
            f"a process of another container, which has this one's number ({os.getpid()}) there, has {path!r} open; "
            f"LMDB tells processes apart by their numbers: let the containers share them (as docker run --pid=host "
            f"does), or wait until that process has ended"
        )
    if "already open" in str(error):
        return Locked(f"{path!r} is already open in this process; share that Database")
    return StorageFailure(explain(path, str(error)))


def explain(path: str, message: str) -> str:
    """Return what went wrong with a file, and what to do. message: of LMDB or the operating system."""
    reason = message.rpartition(": ")[2]  # LMDB puts its own function's name before it
    safe = "what was committed is safe"
    if reason == os.strerror(errno.ENOMEM):
        return (
            f"{path!r}: there is not enough memory, or address space is limited ({reason}); {safe}: "
            f"lift the limit (ulimit -v), or make memory free, and try again"
        )
    failed = reason == os.strerror(errno.EIO)
    if reason in (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT)) or (failed and _room(path) < _LITTLE):
        return f"the disk of {path!r} is full, or a quota is ({reason}); {safe}: make room and try again"
    if reason == os.strerror(errno.EFBIG) or (failed and _may_grow(path) < _LITTLE):
        return f"{path!r} is as large as a file may be ({reason}); {safe}: raise the limit (ulimit -f) and try again"
    if failed:
        return (
            f"{path!r} could not be read or written ({reason}); {safe}: look for faults of the disk in the system's "
            f"log, try again, and run 'fpdb check'"
        )
    advice = next((advice for number, advice in _ADVICE.items() if reason == os.strerror(number)), "see to that")
    return f"{path!r} could not be used ({reason}); {safe}: {advice}, and try again"


def _room(path: str) -> int:
    """Return the bytes that are free on the disk of a file."""
    try:
        free = os.statvfs(os.path.dirname(path) or ".")
    except OSError:
        return _LITTLE
    return free.f_bavail * free.f_frsize


def _may_grow(path: str) -> int:
    """Return by how many bytes this process may let a file grow."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    try:
        return _LITTLE if limit == resource.RLIM_INFINITY else limit - os.stat(path).st_size
    except OSError:
        return _LITTLE
