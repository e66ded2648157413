"""Transactions on the LMDB file at a path.

LMDB facts relied on: engine 0.9 (file format 1) for new files; one map so large that it never has to grow; never
writemap, metasync or sync off; short read transactions; nobody reads without a lock beside a possible writer.
Knows nothing of what is stored.
"""

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

import lmdb

from fpdb.errors import Corrupt, Error, ReadOnly, RecipeMismatch, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment import commit_record, files, page_check
from fpdb.storage.environment.failures import lmdb_translated, translated
from fpdb.storage.environment.lock_files import MERGE, WRITER
from fpdb.storage.environment.locking import FileLock, refuse_in_child
from fpdb.storage.environment.network import refuse_network
from fpdb.storage.environment.open_file import Access, OpenFile, open_file
from fpdb.storage.environment.refusal import refuse_foreign

if TYPE_CHECKING:
    from fpdb.storage.environment.readers import ActiveReader

LOOK_BYTES = 2 << 20  # of a file from which on a writer looks for readers that make it grow
TRIES = 4  # of a transaction on a file that another process overwrites


class Environment:
    """The file at a path. Follows the path when `fpdb compact` has put another file there."""

    def __init__(self, path: str, *, readonly: bool, timeout: float, immutable: bool = False) -> None:
        """Open an existing database.

        Args:
            path: The file.
            readonly: Refuse write transactions.
            timeout: Seconds to wait for another writer.
            immutable: Take the caller's word that nobody writes to the file, and read it without a lock.

        Raises:
            NoSuchDatabase, NotADatabase, NewerFormat, Corrupt, Locked, StorageFailure: It cannot be opened.
        """
        self.path = os.path.realpath(path)
        self.readonly = readonly
        self.immutable = immutable
        self.timeout = timeout
        self._access = Access(readonly, timeout, immutable)
        self.writing = FileLock(self.path, WRITER, "writing to the database", timeout)
        self.merging = FileLock(self.path, MERGE, "merging runs", timeout)
        self._opening = threading.Lock()
        self._counting = threading.Lock()
        self._process = os.getpid()
        self._next_look = float(LOOK_BYTES)
        deadline = time.monotonic() + timeout
        refuse_foreign(self.path, deadline)  # before a lock file is made beside it
        if not immutable:
            refuse_network(self.path)
        if not readonly:
            self.merging.refuse_foreign()  # else whoever merges after a commit would pass over it in silence
        with self._alone_if_writable():
            self._file: OpenFile | None = open_file(self.path, 1, self._access)
        self.recipe = self._file.format_record.recipe

    def _alone_if_writable(self) -> AbstractContextManager[None]:
        """Hold the writer's lock, unless the file is opened for reading only. Raises Locked.

        To open a file that may be written to, LMDB begins a write transaction, which would wait without end, deaf to
        signals, behind a writer that is stopped.
        """
        return nullcontext() if self.readonly else self.writing.held()

    @property
    def format_version(self) -> int:
        """The version of the file that the last transaction saw."""
        return file_format.FORMAT_VERSION if self._file is None else self._file.format_record.version

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
        refuse_in_child(self._process)
        while True:
            with self._opening:
                file = self._file
                if file is None:
                    raise Error("the database is closed")
                if file.is_usable(self.path):
                    with self._counting:
                        file.users.append(threading.get_ident())
                    return file
            with self._alone_if_writable(), self._opening:  # in this order, which is that of `write`
                if self._file is file:
                    self._reopen(file)

    def _reopen(self, old: OpenFile) -> None:
        if old.identities[0] == files.identity(self.path):  # still the same file, which a process opens once
            if old.users and old.failure is not None:
                raise StorageFailure(
                    f"{old.failure}: end the reads that are still going on in this process, and try again"
                )
            if not old.users:
                old.env.close()
        new = open_file(self.path, old.generation + 1, self._access)
        if new.format_record.recipe != self.recipe:
            new.env.close()
            raise RecipeMismatch(
                f"another database was put at {self.path!r}, whose recipe is not the one that was opened: open it anew"
            )
        self._file = new
        self._retire(old)

    def _leave(self, file: OpenFile, thread: int) -> None:
        with self._counting:
            file.users.remove(thread)
            idle = file.retired and not file.users
        if idle:
            file.env.close()

    def _used(self) -> "_Use":
        return _Use(self.path, self._enter, self._leave)

    @contextmanager
    def read(self) -> Iterator[tuple[lmdb.Transaction, OpenFile]]:
        """Give a read transaction, whose buffers die with it, and the file that it reads. Raises Corrupt."""
        for trial in range(TRIES):
            with lmdb_translated(self.path), self._used() as file, file.env.begin(buffers=True) as txn:
                if commit_record.is_expected(txn, file.format_record, txn.id()):
                    yield txn, file
                    return
                self._distrust(file, trial)
        raise self._unexpected_commit()

    def _distrust(self, file: OpenFile, trial: int) -> None:
        """Have the file opened anew at the second trial; at the first one, a commit may just have been made."""
        if trial:
            file.failure = f"{self.path!r} was overwritten while it was open"

    def _unexpected_commit(self) -> Corrupt:
        return Corrupt(
            f"{self.path!r} holds other content than was committed last: it was overwritten while it was open, changed "
            f"by another program, or the disk has lost a write; run 'fpdb check', or use a backup"
        )

    @contextmanager
    def write(self) -> Iterator[tuple[lmdb.Transaction, OpenFile]]:
        """Give a write transaction under the writer's lock, and the file that it changes.

        It is committed and on disk when the block ends, undone on an error.

        Raises:
            Corrupt: The file holds other content than was committed last.
            Locked, ReadOnly, StorageFailure: The file cannot be written.
        """
        if self.readonly:
            raise ReadOnly(f"{self.path!r} was opened for reading only")
        with translated(self.path), self.writing.held():
            for trial in range(TRIES):
                with self._used() as file, self._write_transaction(file) as txn:
                    if commit_record.is_expected(txn, file.format_record, txn.id() - 1):
                        yield txn, file
                        commit_record.write(txn, file.format_record)
                        return
                    self._distrust(file, trial)
            raise self._unexpected_commit()

    @contextmanager
    def _write_transaction(self, file: OpenFile) -> Iterator[lmdb.Transaction]:
        if file.format_record.version < file_format.FORMAT_VERSION:
            raise ReadOnly(
                f"{self.path!r} has format version {file.format_record.version}, which this fpdb reads and does not "
                f"change: 'fpdb compact' brings it up to date"
            )
        file.env.reader_check()  # one that died would keep pages from being used again, for as long as this is open
        try:
            with file.env.begin(write=True, buffers=True) as txn:
                yield txn
        except lmdb.Error:
            file.note_failed_write(self.path)
            with suppress(OSError):  # of a disk that goes on failing; the file is refused then, if need be
                page_check.clear_failed_meta(self.path)
            raise
        file.size = files.fill_up(self.path, file.env, file.size)
        if file.size >= self._next_look:
            from fpdb.storage.environment.readers import warn_of_old_reader

            with suppress(lmdb.Error):  # the commit is done
                self._next_look = warn_of_old_reader(self.path, file.env, file.databases.values(), file.size)

    def usage(self) -> "tuple[int, list[ActiveReader]]":
        """Return the bytes of the file that the newest commit uses, and who reads the file now."""
        from fpdb.storage.environment.readers import active_readers, used_bytes

        with self.read() as (txn, file):
            used = used_bytes(txn, file.databases.values())
        with self._used() as file:
            return used, active_readers(file.env)

    def swap(self, path: str) -> None:
        """Put the finished file at `path` in this one's place; the caller holds the writer's lock.

        Every process opens the new file at its next transaction.
        """
        with translated(self.path):
            files.replace(self.path, path, time.monotonic() + self._access.timeout)

    def copy(self, out: int) -> None:
        """Write the newest commit to an empty file, without free pages. out: its descriptor."""
        with self.read() as (txn, file):
            file.env.copyfd(out, compact=True, txn=txn)


class _Use:
    """Keeps the file that is at a path open inside a `with` block, and looks at the end whether it was changed."""

    __slots__ = "_enter", "_file", "_leave", "_path", "_thread"

    def __init__(self, path: str, enter: Callable[[], OpenFile], leave: Callable[[OpenFile, int], None]) -> None:
        self._path = path
        self._enter = enter
        self._leave = leave

    def __enter__(self) -> OpenFile:
        self._thread = threading.get_ident()  # a generator may end in another one
        with translated(self._path):
            self._file = self._enter()
        return self._file

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            if isinstance(error, lmdb.PanicError):
                self._file.note_failed_write(self._path)
            elif error is None or isinstance(error, Exception):
                self._file.refuse_changed(self._path)
        finally:
            self._leave(self._file, self._thread)
