"""Files of databases as wholes: made under another name, synced, put in their place, discarded.

Knows nothing of what is stored but the names of the databases that LMDB keeps in a file.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import lmdb

from fpdb.errors import Locked, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment import commit_record
from fpdb.storage.environment._page_check import PAGE
from fpdb.storage.environment.failures import explain, translated
from fpdb.storage.environment.lock_files import MERGE, READERS, REVIEWS, WRITER
from fpdb.storage.environment.locking import flocked, wait_for_flock
from fpdb.storage.environment.network import refuse_network

MAP_SIZE = 1 << 40
COMPACT = ".compact"  # suffix of the file that compacting writes: one name, since it keeps every other process out
BESIDE = (READERS, WRITER, MERGE, REVIEWS)  # suffixes of the files beside a database


def lock_path(path: str) -> str:
    """Return where LMDB keeps its table of readers."""
    return path + READERS


def create(path: str, format_record: bytes, records: dict[bytes, bytes]) -> None:
    """Make a new database file, whole or not at all. Raises FileExistsError, StorageFailure."""
    path = os.path.realpath(path)
    _check_folder(path)
    with translated(path):
        refuse_network(os.path.dirname(path))
    temporary = temporary_name(path, "new")
    try:
        new_file(temporary, format_record, records)
        publish(temporary, path)
    finally:
        discard(temporary)


def _check_folder(path: str) -> None:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise StorageFailure(f"there is no folder {folder!r}: make it first, or give another path")


def temporary_name(path: str, suffix: str) -> str:
    """Return a name beside a file that nobody can guess, and so prepare."""
    return f"{path}.{os.urandom(8).hex()}.{suffix}"


def open_new(path: str) -> int:
    """Make a file for its owner alone, and return its descriptor.

    Raises FileExistsError, also for a link; StorageFailure if there is no such folder.
    """
    _check_folder(path)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def new_file(path: str, format_record: bytes, records: dict[bytes, bytes]) -> None:
    """Write an LMDB file with fpdb's databases and these records. Raises StorageFailure, also if there is a file."""
    with translated(path):
        os.close(open_new(path))
    with _open_alone(path) as env:
        for name in file_format.NAMED:
            env.open_db(name)
        with env.begin(write=True) as txn:
            txn.put(file_format.FORMAT_KEY, format_record)
            for key, value in records.items():
                txn.put(key, value)
            commit_record.write(txn, file_format.unpack_format(format_record))


def give_new_id(path: str) -> bytes:
    """Give a copy of a database an id of its own; return it. LMDB counts its commits anew. Raises StorageFailure."""
    with _open_alone(path) as env:
        with env.begin(write=True) as txn:
            record = file_format.unpack_format(txn.get(file_format.FORMAT_KEY, b""))
            if record.version > 1:
                value = file_format.pack_format(record.recipe)
                record = file_format.unpack_format(value)
                txn.put(file_format.FORMAT_KEY, value)
                commit_record.write(txn, record)
        fill_up(path, env)
    return record.file_id


def fill_up(path: str, env: lmdb.Environment, size: int = 0) -> int:
    """Make a file as long as LMDB counts it, so that one cut short can be told by its size; return that in bytes.

    size: bytes that it has at least.
    """
    wanted: int = (env.info()["last_pgno"] + 1) * PAGE
    if wanted <= size:
        return wanted
    with suppress(OSError):  # the commit is done; `refuse_foreign` bears a file that lacks free pages
        if os.stat(path).st_size < wanted:
            os.truncate(path, wanted)
    return wanted


@contextmanager
def _open_alone(path: str) -> Iterator[lmdb.Environment]:
    """Open a file that nobody else knows, for writing and without a lock file; it may be empty."""
    with translated(path):
        env = lmdb.open(
            os.fsencode(path),
            subdir=False,
            lock=False,
            map_size=MAP_SIZE,
            max_dbs=len(file_format.NAMED),
            lib_version=0,
        )
        try:
            yield env
        finally:
            env.close()


def publish(temporary: str, path: str) -> None:
    """Give a finished file its name, durably, unless a file has that name. Raises FileExistsError, StorageFailure."""
    try:
        os.chmod(temporary, 0o600)
        sync(temporary)
        os.link(temporary, path)
        sync(os.path.dirname(os.path.abspath(path)))
    except FileExistsError:
        raise
    except OSError as error:
        raise StorageFailure(explain(path, error.strerror or str(error))) from error


def replace(path: str, finished: str, deadline: float) -> None:
    """Put a finished file in the place of a database; the caller keeps writers out.

    Raises:
        OSError: The system refuses.
        Locked: Another process was opening the database, and the monotonic clock has passed the deadline.
    """
    _copy_access(os.stat(path), finished)
    sync(finished)
    guard = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    with flocked(guard):
        if not wait_for_flock(guard, fcntl.LOCK_EX, deadline):
            raise Locked(f"another process is opening {path!r} and does not go on; end it, or try again later")
        # The old readers' table goes with the old file: a new pair must not share it.
        with suppress(FileNotFoundError):  # nobody has opened it yet
            os.unlink(lock_path(path))
        os.rename(finished, path)
        sync(os.path.dirname(path))


def _copy_access(status: os.stat_result, path: str) -> None:
    """Give a file the owner, the group and the mode of another, as far as this user may."""
    mode = stat.S_IMODE(status.st_mode)
    with suppress(PermissionError):
        os.chown(path, status.st_uid, -1)
    try:
        os.chown(path, -1, status.st_gid)
    except PermissionError:  # what was for that group is not for the one that the file has
        mode &= ~stat.S_IRWXG
    os.chmod(path, mode)


def drop_lock_file(path: str, guard: int) -> bool:
    """Remove a lock file that counts the commits of another file; each process that has it open makes a new one.

    Args:
        path: The database.
        guard: A descriptor of the database, under a shared flock.

    Returns:
        False if another process is opening the file at this moment.
    """
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    with suppress(FileNotFoundError):
        os.unlink(lock_path(path))
    return True


def identity(file: str | int) -> tuple[int, int] | None:
    """Return what tells a file, by path or descriptor, from all others; None where there is none."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def sync(path: str) -> None:
    """Make a file's content, or a folder's names, durable."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def discard(path: str) -> None:
    """Remove a temporary database and the files beside it, as far as they are there."""
    for suffix in ("", *BESIDE):
        try:
            os.unlink(path + suffix)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EROFS):  # a read-only medium has none
                raise
