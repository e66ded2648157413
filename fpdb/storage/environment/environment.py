"""Transactions on the LMDB file at a path.

LMDB facts relied on: engine 0.9 (file format 1) for new files; one map so large that it never has to grow; never
writemap, metasync or sync off; short read transactions; a read needs no lock file only where nobody else has one.
Knows nothing of what is stored.
"""

import os
import threading
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import lmdb

from fpdb.errors import Error, ReadOnly, StorageFailure
from fpdb.storage.environment import files, page_check
from fpdb.storage.environment._page_check import PAGE
from fpdb.storage.environment.failures import lmdb_translated, translated
from fpdb.storage.environment.locking import FileLock
from fpdb.storage.environment.open_file import OpenFile, identities, open_file
from fpdb.storage.environment.refusal import refuse_foreign


class Environment:
    """The file at a path. Follows the path when `fpdb compact` has put another file there."""

    def __init__(self, path: str, *, readonly: bool, timeout: float) -> None:
        """Open an existing database.

        Args:
            path: The file.
            readonly: Refuse write transactions.
            timeout: Seconds to wait for another writer.

        Raises:
            NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, Locked, StorageFailure: It cannot be opened.
        """
        self.path = os.path.realpath(path)
        self.readonly = readonly
        self.writing = FileLock(self.path + files.BESIDE[1], "writing to the database", timeout)
        self.merging = FileLock(self.path + files.BESIDE[2], "merging runs", timeout)
        self._opening = threading.Lock()
        self._counting = threading.Lock()
        self._process = os.getpid()
        refuse_foreign(self.path)  # before a lock file is made beside it
        with self._alone_if_writable():
            self._file: OpenFile | None = open_file(self.path, 1, readonly=readonly)
        self.recipe = self._file.recipe

    def _alone_if_writable(self) -> AbstractContextManager[None]:
        """Hold the writer's lock, unless the file is opened for reading only. Raises Locked.

        To open a file that may be written to, LMDB begins a write transaction, which would wait without end, deaf to
        signals, behind a writer that is stopped.
        """
        return nullcontext() if self.readonly else self.writing.held()

    def close(self) -> None:
        """Close the file, or let the last transaction of another thread close it; closing twice is harmless."""
        file = self._file
        self._file = None
        if file is not None and self._process == os.getpid():
            self._retire(file, {threading.get_ident()})

    def _retire(self, file: OpenFile, idle_threads: Collection[int] = ()) -> None:
        """Close a file once no transaction reads its map; transactions of idle threads are not running."""
        with self._counting:
            file.retired = True
            idle = all(user in idle_threads for user in file.users)
        if idle:
            file.env.close()

    def _enter(self) -> OpenFile:
        """Return the file that is at the path now, which stays open until `_leave`."""
        if self._process != os.getpid():
            raise Error("the database was opened before a fork; open it anew in the child process")
        while True:
            with self._opening:
                file = self._file
                if file is None:
                    raise Error("the database is closed")
                if not file.failed and file.identities == identities(self.path):
                    with self._counting:
                        file.users.append(threading.get_ident())
                    return file
            with self._alone_if_writable(), self._opening:  # in this order, which is that of `write`
                if self._file is file:
                    self._reopen(file)

    def _reopen(self, old: OpenFile) -> None:
        if old.identities[0] == files.identity(self.path):  # still the same file, which a process opens once
            if old.users and old.failed:
                raise StorageFailure(
                    f"a write to {self.path!r} has failed; what was committed is safe: end the reads that are "
                    f"still going on in this process, and try again"
                )
            if not old.users:
                old.env.close()
        self._file = open_file(self.path, old.generation + 1, readonly=self.readonly)
        self._retire(old)

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
        """Give a read transaction, whose buffers die with it, and the file that it reads."""
        with lmdb_translated(self.path), self._used() as file, file.env.begin(buffers=True) as txn:
            yield txn, file

    @contextmanager
    def write(self) -> Iterator[tuple[lmdb.Transaction, OpenFile]]:
        """Give a write transaction under the writer's lock, and the file that it changes.

        It is committed and on disk when the block ends, undone on an error.

        Raises:
            Locked, ReadOnly, StorageFailure: The file cannot be written.
        """
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
                    page_check.clear_failed_meta(self.path)
                raise
            self._fill_up(file.env)

    def _fill_up(self, env: lmdb.Environment) -> None:
        """Make the file as long as LMDB counts it, so that a file cut short can be told by its size."""
        wanted = (env.info()["last_pgno"] + 1) * PAGE
        with suppress(OSError):  # the commit is done; `refuse_foreign` bears a file that lacks free pages
            if os.stat(self.path).st_size < wanted:
                os.truncate(self.path, wanted)

    def swap(self, path: str) -> None:
        """Put the finished file at `path` in this one's place; the caller holds the writer's lock.

        Every process opens the new file at its next transaction.
        """
        with translated(self.path):
            files.replace(self.path, path)

    def copy(self, path: str) -> None:
        """Write the newest commit to a new file, without free pages."""
        with translated(path), self.read() as (txn, file):
            out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                file.env.copyfd(out, compact=True, txn=txn)
            finally:
                os.close(out)
