"""The LMDB file: what is refused before it is touched, how it is opened, and its transactions.

LMDB facts relied on: engine 0.9 (file format v1) for new files; one map so large that it never has to grow; never
writemap, metasync or sync off; short read transactions; a read needs no lock file only where nobody else has one.
Knows nothing of what is stored.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import lmdb
import lmdb.verify

from fpdb.errors import Corrupt, Error, NoSuchDatabase, NotADatabase, ReadOnly, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment import files, page_check
from fpdb.storage.environment.failures import NO_ROOM, lmdb_translated, translated
from fpdb.storage.environment.locking import FileLock, unlock

MAX_READERS = 510
LOCK_BYTES = 32_768  # LMDB's table of so many readers
EXAMINATIONS = 50  # of a file whose commits follow each other so fast that each is gone before it was looked at


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
        size, wanted = _sizes(path)
        if size < wanted:  # a writer may be between its commit and Environment.write's filling up
            time.sleep(0.05)
            size, wanted = _sizes(path)
    except OSError as error:
        raise StorageFailure(f"{path!r} cannot be read: {error.strerror}") from error
    if size < wanted and not _only_free_pages_missing(path):
        raise Corrupt(
            f"{path!r} is cut short: {size} bytes of {wanted}; "
            f"use a backup, or save what is sound with 'fpdb check --repair'"
        )
    if not os.path.exists(files.lock_path(path)):
        _probe(path)


def _sizes(path: str) -> tuple[int, int]:
    """The file's size, and what its newest commit needs, in bytes. Raises NotADatabase, OSError."""
    with open(path, "rb") as file:
        newest = page_check.newest(file.read(2 * page_check.PAGE))
        if newest is None:
            raise NotADatabase(f"{path!r} is not an fpdb database")
        # The size comes second: files only grow.
        return os.fstat(file.fileno()).st_size, newest[1] * page_check.PAGE


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
    with translated(path), open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)  # compact takes the lock file away, then swaps the file: not in between
        if os.path.exists(files.lock_path(path)) or _identity(path) != _identity(file.fileno()):
            return  # whoever opens it looks again
        try:
            with _opened(path) as env:
                _refuse_damaged(file.fileno(), env, path)
                with env.begin() as txn:
                    read_format(txn, path)
        except Corrupt:
            if not os.path.exists(files.lock_path(path)):  # else somebody may be writing: as above
                raise


def _refuse_damaged(file: int, env: lmdb.Environment, path: str) -> None:
    """Raises Corrupt, or NotADatabase, where LMDB is not to read further."""
    before = None
    for _ in range(EXAMINATIONS):
        with env.begin() as txn:
            fault, commit = page_check.fault(file, txn.id()), txn.id()
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
        f"{path!r} is damaged: {fault}; it was not touched: use a backup, or save what is sound with "
        "'fpdb check --repair'"
    )


@contextmanager
def _opened(path: str) -> Iterator[lmdb.Environment]:
    with translated(path):
        env = lmdb.open(
            os.fsencode(path), subdir=False, readonly=True, lock=False, create=False, map_size=files.MAP_SIZE, max_dbs=0
        )
        try:
            yield env
        finally:
            env.close()


def read_format(txn: lmdb.Transaction, path: str) -> dict[str, object]:
    """The recipe of the format record. Raises NotADatabase, NewerFormat, Corrupt."""
    value = txn.get(file_format.FORMAT_KEY)
    if value is None:
        raise NotADatabase(f"{path!r} is an LMDB file of another program")
    return file_format.unpack_format(value)


@dataclass(eq=False)
class OpenFile:
    """One LMDB file, open until it is retired and its last transaction has ended.

    generation: which opening of the path this is; what was cached from another one is void. users: the thread of each
    transaction. failed: a write transaction has failed; if it was at the meta page, LMDB refuses all further ones.
    """

    env: lmdb.Environment
    databases: dict[bytes, Any]
    recipe: dict[str, object]
    identities: tuple[object, object]
    generation: int
    users: list[int] = field(default_factory=list)
    retired: bool = False
    failed: bool = False

    def __post_init__(self) -> None:
        _open_files.add(self)


_open_files: WeakSet[OpenFile] = WeakSet()
_making = threading.Lock()  # held by whoever makes or opens a lock file, in this process


def _allocate_lock_file(path: str) -> None:
    """Gives the lock file all its blocks: LMDB writes to it through a map, and where a disk is full, a block that is
    not there is a SIGBUS. Raises OSError."""
    if not hasattr(os, "posix_fallocate"):
        return  # macOS
    path = files.lock_path(path)
    try:
        status = os.stat(path)
    except FileNotFoundError:
        pass
    else:
        here = (status.st_dev, status.st_ino)
        if status.st_blocks * 512 >= LOCK_BYTES or any(here == file.identities[1] for file in list(_open_files)):
            return  # to open and close it would drop the locks that this process has on it
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(file, 0, LOCK_BYTES)  # leaves alone what is there: another process may use it already
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
    finally:
        os.close(file)


def _keep_open_in_child() -> None:
    """A forked child must never close what it inherits: LMDB would free the parent's readers' slots."""
    import ctypes

    for file in list(_open_files):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(file.env))


os.register_at_fork(after_in_child=_keep_open_in_child)


class Environment:
    """The file at a path. Follows the path when `fpdb compact` has put another file there."""

    def __init__(self, path: str, *, readonly: bool, timeout: float) -> None:
        """Opens an existing database. Raises NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, StorageFailure."""
        self.path = os.path.realpath(path)
        self.readonly = readonly
        self.writing = FileLock(self.path + files.BESIDE[1], "writing to the database", timeout)
        self.merging = FileLock(self.path + files.BESIDE[2], "merging runs", timeout)
        self._opening = threading.Lock()
        self._counting = threading.Lock()
        self._process = os.getpid()
        self._file: OpenFile | None = self._open(1)
        self.recipe = self._file.recipe

    def _open(self, generation: int) -> OpenFile:
        refuse_foreign(self.path)
        tries = 4
        while True:
            try:
                return self._open_once(generation)
            except StorageFailure as error:  # another process may be opening or closing at this moment
                tries -= 1
                if not tries or not isinstance(error.__cause__, lmdb.Error):
                    raise
                time.sleep(0.02)

    def _open_once(self, generation: int) -> OpenFile:
        with translated(self.path):
            # compact swaps the file under an exclusive flock on it; this shared one keeps the swap out.
            guard = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(guard, fcntl.LOCK_SH)
                status = os.fstat(guard)
                if (status.st_dev, status.st_ino) != _identity(self.path):
                    raise lmdb.Error("the file was replaced while it was being opened")
                lock = not self.readonly or os.access(os.path.dirname(self.path), os.W_OK)
                with _making:
                    if lock:
                        _allocate_lock_file(self.path)
                    env = lmdb.open(
                        os.fsencode(self.path),
                        subdir=False,
                        create=False,
                        readonly=self.readonly,
                        lock=lock or os.path.exists(files.lock_path(self.path)),
                        map_size=files.MAP_SIZE,
                        max_dbs=len(file_format.NAMED),
                        max_readers=MAX_READERS,
                        max_spare_txns=4,
                        mode=0o600,
                    )
                try:
                    _refuse_damaged(guard, env, self.path)
                    with env.begin() as txn:
                        recipe = read_format(txn, self.path)
                    databases = {name: env.open_db(name, create=False) for name in file_format.NAMED}
                except BaseException:
                    env.close()
                    raise
                return OpenFile(env, databases, recipe, self._identify(), generation)
            finally:
                unlock(guard)

    def _identify(self) -> tuple[object, object]:
        return _identity(self.path), _identity(files.lock_path(self.path))

    def close(self) -> None:
        """Closes the file, or lets the last transaction of another thread close it; closing twice is harmless."""
        file = self._file
        self._file = None
        if file is not None and self._process == os.getpid():
            self._retire(file, {threading.get_ident()})

    def _retire(self, file: OpenFile, harmless: Collection[int] = ()) -> None:
        """Closes a file once no transaction reads its map; those of harmless threads are not running."""
        with self._counting:
            file.retired = True
            idle = all(user in harmless for user in file.users)
        if idle:
            file.env.close()

    def _enter(self) -> OpenFile:
        """The file that is at the path now, which stays open until `_leave`."""
        if self._process != os.getpid():
            raise Error("the database was opened before a fork; open it anew in the child process")
        with self._opening:
            file = self._file
            if file is None:
                raise Error("the database is closed")
            if file.failed or file.identities != self._identify():
                if file.identities[0] == _identity(self.path):  # still the same file, which a process opens once
                    if file.users and file.failed:
                        raise StorageFailure(
                            f"a write to {self.path!r} has failed; what was committed is safe: end the reads that are "
                            f"still going on in this process, and try again"
                        )
                    if not file.users:
                        file.env.close()
                self._file = self._open(file.generation + 1)
                self._retire(file)
                file = self._file
            with self._counting:
                file.users.append(threading.get_ident())
            return file

    def _leave(self, file: OpenFile, thread: int) -> None:
        with self._counting:
            file.users.remove(thread)
            idle = file.retired and not file.users
        if idle:
            file.env.close()

    @contextmanager
    def _used(self) -> Iterator[OpenFile]:
        thread = threading.get_ident()  # a generator may end in another one
        with translated(self.path):
            file = self._enter()
        try:
            yield file
        except lmdb.PanicError:
            file.failed = True
            raise
        finally:
            self._leave(file, thread)

    @contextmanager
    def read(self) -> Iterator[tuple[lmdb.Transaction, OpenFile]]:
        """A read transaction, whose buffers die with it, and the file that it reads."""
        with lmdb_translated(self.path), self._used() as file, file.env.begin(buffers=True) as txn:
            yield txn, file

    @contextmanager
    def write(self) -> Iterator[tuple[lmdb.Transaction, OpenFile]]:
        """A write transaction under the writer's lock, and the file that it changes: committed and on disk when the
        block ends, undone on an error. Raises Locked, ReadOnly, StorageFailure."""
        if self.readonly:
            raise ReadOnly(f"{self.path!r} was opened for reading only")
        with translated(self.path), self.writing.held(), self._used() as file:
            file.env.reader_check()  # one that died would keep pages from being used again, for as long as this is open
            try:
                with file.env.begin(write=True, buffers=True) as txn:
                    yield txn, file
            except lmdb.Error:
                file.failed = True
                with suppress(OSError):  # of a disk that goes on failing; the file is refused then, if need be
                    page_check.put_back(self.path)
                raise
            self._fill_up(file.env)

    def _fill_up(self, env: lmdb.Environment) -> None:
        """Makes the file as long as LMDB counts it, so that a file cut short can be told by its size."""
        wanted = (env.info()["last_pgno"] + 1) * page_check.PAGE
        with suppress(OSError):  # the commit is done; `refuse_foreign` bears a file that lacks free pages
            if os.stat(self.path).st_size < wanted:
                os.truncate(self.path, wanted)

    def swap(self, path: str) -> None:
        """Puts the finished file at `path` in this one's place; the caller holds the writer's lock. Every process
        opens the new file at its next transaction."""
        with translated(self.path):
            os.chmod(path, stat.S_IMODE(os.stat(self.path).st_mode))
            files.sync(path)
            guard = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(guard, fcntl.LOCK_EX)  # nobody is opening the file now
                # The old readers' table goes with the old file: a new pair must not share it.
                os.unlink(files.lock_path(self.path))
                os.rename(path, self.path)
                files.sync(os.path.dirname(self.path))
            finally:
                unlock(guard)

    def copy(self, path: str) -> None:
        """Writes the newest commit to a new file, without free pages."""
        with translated(path), self.read() as (txn, file):
            out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                file.env.copyfd(out, compact=True, txn=txn)
            finally:
                os.close(out)


def _identity(path: str | int) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
