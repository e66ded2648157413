"""Files that are refused before LMDB reads them, and without a trace: foreign, cut short, damaged."""

import fcntl
import os
import stat
import time
from collections.abc import Callable

import lmdb
import lmdb.verify

from fpdb.errors import Corrupt, Locked, NoSuchDatabase, NotADatabase, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment import files, page_check
from fpdb.storage.environment._page_check import PAGE
from fpdb.storage.environment.failures import translated
from fpdb.storage.environment.locking import flocked, wait_for_flock
from fpdb.storage.environment.page_format import newest_meta
from fpdb.storage.file_format import FormatRecord

SETTLED = 2_000_000_000  # ns since a file was written to, after which another write shows in its time
MOST_SOUND = 64  # states of files that are remembered
EXAMINATIONS = 50  # of a file whose commits follow each other so fast that each is gone before it was looked at


def refuse_foreign(path: str, deadline: float) -> None:
    """Look at a file without changing it or anything beside it.

    Args:
        path: The file.
        deadline: The time of the monotonic clock until which another process may be waited for.

    Raises:
        NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, Locked, StorageFailure: The file is not to be opened.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise NoSuchDatabase(f"there is no database at {path!r}; 'fpdb init' or 'fpdb add' creates one") from None
    except OSError as error:
        raise StorageFailure(f"{path!r} cannot be read: {error.strerror}") from error
    if stat.S_ISDIR(status.st_mode):
        raise NotADatabase(f"{path!r} is a folder, not a database")
    if not stat.S_ISREG(status.st_mode):
        raise NotADatabase(f"{path!r} is not a regular file")
    if status.st_size == 0:
        raise NotADatabase(f"{path!r} is empty; remove it if a database is to be made there")
    try:
        size, needed = _sizes(path)
        if size < needed:  # a writer may be between its commit and the filling up of the file
            time.sleep(0.05)
            size, needed = _sizes(path)
    except OSError as error:
        raise StorageFailure(f"{path!r} cannot be read: {error.strerror}") from error
    if size < needed and not _lacks_only_free_pages(path):
        raise Corrupt(
            f"{path!r} is cut short: {size} bytes of {needed}; use a backup, or save what is sound with 'fpdb repair'"
        )
    if not os.path.exists(files.lock_path(path)):
        _probe(path, deadline)


def _sizes(path: str) -> tuple[int, int]:
    """Return the file's size, and what its newest commit needs, in bytes. Raises NotADatabase, OSError."""
    with open(path, "rb") as file:
        newest = newest_meta(file.read(2 * PAGE))
        if newest is None:
            raise NotADatabase(f"{path!r} is not an fpdb database")
        # The size comes second: files only grow.
        return os.fstat(file.fileno()).st_size, (newest.last_page + 1) * PAGE


def _lacks_only_free_pages(path: str) -> bool:
    """Return True if all used pages are there: LMDB may leave free pages at the end unwritten, and then crash."""
    try:
        return not structure_problems(path)
    except (lmdb.verify.VerifyError, OSError):
        return False


def structure_problems(path: str) -> list[str]:
    """Return what is wrong with the file as an LMDB file, without LMDB's own code. Raises VerifyError, OSError."""
    verify: Callable[..., list[str]] = lmdb.verify.verify
    return verify(path, subdir=False)


def _probe(path: str, deadline: float) -> None:
    """Read the format record of a file that no process has open, leaving no lock file behind."""
    with translated(path), flocked(file := os.open(path, os.O_RDONLY | os.O_CLOEXEC)):
        # compact takes the lock file away, then swaps the file: not in between.
        if not wait_for_flock(file, fcntl.LOCK_SH, deadline):
            raise Locked(f"another process is putting a new file at {path!r} and does not go on; end it, or try again")
        if os.path.exists(files.lock_path(path)) or files.identity(path) != files.identity(file):
            return  # whoever opens it looks again
        try:
            env = lmdb.open(
                os.fsencode(path),
                subdir=False,
                readonly=True,
                lock=False,
                create=False,
                map_size=files.MAP_SIZE,
                max_dbs=0,
            )
            try:
                read_format(file, env, path)
            finally:
                env.close()
        except Corrupt:
            if not os.path.exists(files.lock_path(path)):  # else somebody may be writing: as above
                raise


def read_format(file: int, env: lmdb.Environment, path: str) -> FormatRecord:
    """Examine a file's pages, then read its format record; file: its descriptor.

    Raises:
        NotADatabase, NewerFormat, Corrupt: The file is not to be read further.
    """
    _refuse_damaged(file, env, path)
    with env.begin() as txn:
        value = txn.get(file_format.FORMAT_KEY)
        if value is None:
            raise NotADatabase(f"{path!r} is an LMDB file of another program")
        return file_format.unpack_format(value)


_sound: dict[tuple[object, ...], None] = {}
"""States of files that this process found sound."""


def _state(file: int) -> tuple[object, ...] | None:
    """Return what any later write changes; None if the file was written to just now."""
    status = os.fstat(file)
    if abs(time.time_ns() - status.st_mtime_ns) < SETTLED:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, os.pread(file, 2 * PAGE, 0)


def _refuse_damaged(file: int, env: lmdb.Environment, path: str) -> None:
    state = _state(file)
    if state in _sound:
        return
    _examine(file, env, path)
    if state is not None and state == _state(file):
        if len(_sound) >= MOST_SOUND:
            _sound.clear()
        _sound[state] = None


def _examine(file: int, env: lmdb.Environment, path: str) -> None:
    before = None
    for _ in range(EXAMINATIONS):
        with env.begin() as txn:
            fault, commit = page_check.find_fault(file, txn.id()), txn.id()
        if fault is None:
            return
        if commit == before:
            break
        before = commit
    else:
        return  # others commit all the time, so they can read it
    if not page_check.mentions(file, file_format.FORMAT_KEY):
        raise NotADatabase(f"{path!r} is an LMDB file of another program")
    raise Corrupt(
        f"{path!r} is damaged: {fault}; it was not touched: use a backup, or save what is sound with 'fpdb repair'"
    )
