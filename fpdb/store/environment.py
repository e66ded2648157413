"""The LMDB file: what is refused before it is touched, how it is opened, and its transactions.

LMDB facts relied on: engine 0.9 (file format v1) for new files; one map so large that it never has to grow; never
writemap, metasync or sync off; short read transactions; a read needs no lock file only where nobody else has one.
Knows nothing of what is stored.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import lmdb
import lmdb.verify

from fpdb.errors import Corrupt, Error, Locked, NoSuchDatabase, NotADatabase, ReadOnly, StorageFailure
from fpdb.store import layout
from fpdb.store.locking import FileLock

PAGE = 4096
MAP_SIZE = 1 << 40
MAX_READERS = 510
_NAMED = (layout.BLOCKS, layout.DOCUMENTS, layout.NAMES, layout.SIZES)
_META = struct.Struct(
    "<16xIIQQI92xQQ"
)  # page header; magic, version, address, map size, page size; last page, transaction
_LMDB_MAGIC = 0xBEEFC0DE


BESIDE = ("-lock", "-writer", "-merge")  # suffixes of the files beside a database


def lock_path(path: str) -> str:
    """Where LMDB keeps its table of readers."""
    return path + BESIDE[0]


def refuse_foreign(path: str) -> None:
    """Looks at a file without changing it or anything beside it. Raises NoSuchDatabase, NotADatabase, Corrupt."""
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
        with open(path, "rb") as file:
            metas = [file.read(PAGE), file.read(PAGE)]
    except OSError as error:
        raise StorageFailure(f"{path!r} cannot be read: {error.strerror}") from error
    last_page = _last_page(path, metas)
    if status.st_size < (last_page + 1) * PAGE and not _only_free_pages_missing(path):
        raise Corrupt(
            f"{path!r} is cut short: {status.st_size} bytes of {(last_page + 1) * PAGE}; "
            f"take a backup, or salvage what is sound with another copy"
        )
    if not os.path.exists(lock_path(path)):
        _probe(path)


def _last_page(path: str, metas: list[bytes]) -> int:
    found = []
    for meta in metas:
        if len(meta) < _META.size:
            continue
        magic, version, _, _, page_size, last_page, transaction = _META.unpack_from(meta)
        if magic == _LMDB_MAGIC and version == 1 and page_size == PAGE:
            found.append((transaction, last_page))
    if not found:
        raise NotADatabase(f"{path!r} is not an fpdb database")
    return int(max(found)[1])


def _only_free_pages_missing(path: str) -> bool:
    """LMDB may leave free pages at the end unwritten; a crash can come before Environment.write fills the file up."""
    try:
        return not structure_problems(path)
    except (lmdb.verify.VerifyError, OSError):
        return False


def structure_problems(path: str) -> list[str]:
    """What is wrong with the file as an LMDB file, without LMDB's own code. Raises VerifyError, OSError."""
    verify: Callable[..., list[str]] = lmdb.verify.verify
    return verify(path, subdir=False)


def _probe(path: str) -> None:
    """Reads the format record of a file that no process has open, leaving no lock file behind."""
    with _opened(path) as env, env.begin() as txn:
        read_format(txn, path)


@contextmanager
def _opened(path: str) -> Iterator[lmdb.Environment]:
    with translated(path):
        env = lmdb.open(path, subdir=False, readonly=True, lock=False, create=False, map_size=MAP_SIZE, max_dbs=0)
        try:
            yield env
        finally:
            env.close()


def read_format(txn: lmdb.Transaction, path: str) -> dict[str, object]:
    """The recipe of the format record. Raises NotADatabase, NewerFormat, Corrupt."""
    value = txn.get(layout.FORMAT_KEY)
    if value is None:
        raise NotADatabase(f"{path!r} is an LMDB file of another program")
    return layout.unpack_format(value)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turns errors of LMDB and the operating system into fpdb's."""
    try:
        yield
    except lmdb.ReadersFullError as error:
        raise StorageFailure(f"{MAX_READERS} readers have {path!r} open already; close some") from error
    except (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.PanicError) as error:
        raise Corrupt(f"{path!r} is damaged ({error}); run 'fpdb check'") from error
    except (lmdb.InvalidError, lmdb.VersionMismatchError, lmdb.IncompatibleError) as error:
        raise NotADatabase(f"{path!r} is not an fpdb database ({error})") from error
    except lmdb.Error as error:
        if "already open" in str(error):
            raise Locked(f"{path!r} is already open in this process; share that Database") from error
        raise StorageFailure(_explain(path, str(error))) from error
    except OSError as error:
        raise StorageFailure(_explain(path, error.strerror or str(error))) from error


def _explain(path: str, message: str) -> str:
    try:
        free = os.statvfs(os.path.dirname(path) or ".")
        if free.f_bavail * free.f_frsize < 1 << 20:
            return f"the disk of {path!r} is full ({message}); what was committed is safe: make room and try again"
    except OSError:
        pass
    return f"{path!r}: {message}; what was committed is safe"


class Environment:
    """An open file. Follows the path when `fpdb compact` has put another file there."""

    def __init__(self, path: str, *, readonly: bool, timeout: float) -> None:
        """Opens an existing database. Raises NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, StorageFailure."""
        self.path = os.path.realpath(path)
        self.readonly = readonly
        self.writing = FileLock(self.path + BESIDE[1], "writing to the database", timeout)
        self.merging = FileLock(self.path + BESIDE[2], "merging runs", timeout)
        self._opening = threading.Lock()
        self._process = os.getpid()
        self._env: lmdb.Environment | None = None
        self.generation = 0  # counts openings: what was cached from another file is void
        self._open()

    def _open(self) -> None:
        refuse_foreign(self.path)
        for last_try in (False, False, False, True):
            try:
                self._open_once()
                return
            except StorageFailure as error:  # another process may be opening or closing at this moment
                if last_try or not isinstance(error.__cause__, lmdb.Error):
                    raise
                time.sleep(0.02)

    def _open_once(self) -> None:
        with translated(self.path):
            # compact swaps the file under an exclusive flock on it; this shared one keeps the swap out.
            guard = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(guard, fcntl.LOCK_SH)
                status = os.fstat(guard)
                if (status.st_dev, status.st_ino) != _identity(self.path):
                    raise lmdb.Error("the file was replaced while it was being opened")
                lock = not self.readonly or os.access(os.path.dirname(self.path), os.W_OK)
                env = lmdb.open(
                    self.path,
                    subdir=False,
                    create=False,
                    readonly=self.readonly,
                    lock=lock or os.path.exists(lock_path(self.path)),
                    map_size=MAP_SIZE,
                    max_dbs=len(_NAMED),
                    max_readers=MAX_READERS,
                    max_spare_txns=4,
                    mode=0o600,
                )
                try:
                    with env.begin() as txn:
                        self.recipe = read_format(txn, self.path)
                    self.databases = {name: env.open_db(name, create=False) for name in _NAMED}
                except BaseException:
                    env.close()
                    raise
                self._identities = self._identify()
            finally:
                os.close(guard)
        self._env = env
        self.generation += 1

    def _identify(self) -> tuple[object, object]:
        return _identity(self.path), _identity(lock_path(self.path))

    def close(self) -> None:
        """Closes the file; closing twice is harmless."""
        if self._env is not None and self._process == os.getpid():
            self._env.close()
        self._env = None

    def _current(self) -> lmdb.Environment:
        if self._process != os.getpid():
            raise Error("the database was opened before a fork; open it anew in the child process")
        if self._env is None:
            raise Error("the database is closed")
        if self._identities != self._identify():
            with self._opening:
                if self._identities != self._identify():
                    self._env.close()
                    self._env = None
                    self._open()
        assert self._env is not None  # noqa: S101 (for the type checker)
        return self._env

    @contextmanager
    def read(self) -> Iterator[lmdb.Transaction]:
        """A read transaction; its buffers die with it."""
        with translated(self.path), self._current().begin(buffers=True) as txn:
            yield txn

    @contextmanager
    def write(self) -> Iterator[lmdb.Transaction]:
        """A write transaction under the writer's lock: committed and on disk when the block ends, undone on an error.
        Raises Locked, ReadOnly, StorageFailure."""
        if self.readonly:
            raise ReadOnly(f"{self.path!r} was opened for reading only")
        with translated(self.path), self.writing.held():
            env = self._current()
            with env.begin(write=True, buffers=True) as txn:
                yield txn
            self._fill_up(env)

    def _fill_up(self, env: lmdb.Environment) -> None:
        """Makes the file as long as LMDB counts it, so that a file cut short can be told by its size."""
        wanted = (env.info()["last_pgno"] + 1) * PAGE
        if os.stat(self.path).st_size < wanted:
            try:
                os.truncate(self.path, wanted)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                    raise

    def clear_stale_readers(self) -> None:
        """Frees the slots of readers that died, whose snapshots would keep pages from being used again."""
        self._current().reader_check()

    def swap(self, path: str) -> None:
        """Puts the finished file at `path` in this one's place; the caller holds the writer's lock. Every process
        opens the new file at its next transaction."""
        with translated(self.path):
            sync(path)
            guard = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(guard, fcntl.LOCK_EX)  # nobody is opening the file now
                # The old readers' table goes with the old file: a new pair must not share it.
                os.unlink(lock_path(self.path))
                os.rename(path, self.path)
                sync(os.path.dirname(self.path))
            finally:
                os.close(guard)

    def copy(self, path: str, txn: lmdb.Transaction) -> None:
        """Writes the transaction's state to a new file, without free pages."""
        with translated(path):
            self._current().copy(path, compact=True, txn=txn)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def create(path: str, format_record: bytes, records: dict[bytes, bytes]) -> None:
    """Makes a new database file, whole or not at all. Raises FileExistsError, StorageFailure."""
    path = os.path.realpath(path)
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}.new"
    try:
        new_file(temporary, format_record, records)
        publish(temporary, path)
    finally:
        discard(temporary)


def new_file(path: str, format_record: bytes, records: dict[bytes, bytes]) -> None:
    """Writes an LMDB file with fpdb's databases and these records. Raises StorageFailure."""
    with translated(path):
        env = lmdb.open(path, subdir=False, map_size=MAP_SIZE, max_dbs=len(_NAMED), lib_version=0, mode=0o600)
        try:
            for name in _NAMED:
                env.open_db(name)
            with env.begin(write=True) as txn:
                txn.put(layout.FORMAT_KEY, format_record)
                for key, value in records.items():
                    txn.put(key, value)
        finally:
            env.close()


def publish(temporary: str, path: str) -> None:
    """Gives a finished file its name, durably, unless a file has that name. Raises FileExistsError, StorageFailure."""
    try:
        os.chmod(temporary, 0o600)
        sync(temporary)
        os.link(temporary, path)
        sync(os.path.dirname(os.path.abspath(path)))
    except FileExistsError:
        raise
    except OSError as error:
        raise StorageFailure(_explain(path, error.strerror or str(error))) from error


def sync(path: str) -> None:
    """Makes a file's content, or a folder's names, durable."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def discard(path: str) -> None:
    """Removes a temporary database and the files beside it, as far as they are there."""
    for suffix in ("", *BESIDE):
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)
