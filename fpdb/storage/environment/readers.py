"""The readers of a file, its free space, and the warning that a reader makes it grow.

LMDB uses no page again that the commit of a reader, or a later one, still had in use. So a transaction that stays open
lets the file grow with every commit beside it.
"""

import os
from collections.abc import Collection
from typing import Any, Final, NamedTuple

import lmdb

from fpdb.storage.environment._page_check import PAGE

PATIENCE: Final = 100  # transactions that a reader may be behind before it is named
TOLERATED_BYTES: Final = 1 << 20  # of free pages, however small the rest of the file is
GROWTH: Final = 1.25  # of the file, after which it is looked at again


class ActiveReader(NamedTuple):
    """A transaction that reads a commit: its process, and how many write transactions have ended since."""

    pid: int
    commits_behind: int

    @property
    def command(self) -> str | None:
        """The name of the process's program, if the system tells it, and the process is of this PID namespace."""
        try:
            with open(f"/proc/{self.pid}/comm", encoding="utf-8", errors="replace") as file:
                return file.read().rstrip("\n")
        except OSError:
            return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as `Database.info` has them."""
        return {"pid": self.pid, "command": self.command, "commits_behind": self.commits_behind}

    def __str__(self) -> str:
        """Return words for it."""
        command = self.command or ""
        command = command if command.isprintable() else ascii(command)
        return f"process {self.pid}{f' ({command})' if command else ''}"


def active_readers(env: lmdb.Environment) -> list[ActiveReader]:
    """Return the readers of a file, those of the oldest commit first."""
    try:
        env.reader_check()  # a process that was killed is none
        rows = [line.split() for line in env.readers().splitlines()[1:]]
    except lmdb.Error:  # of a file that is read without a lock
        return []
    newest = env.info()["last_txnid"]
    readers = [ActiveReader(int(pid), newest - int(commit)) for pid, _, commit in rows if commit != "-"]
    return sorted(readers, key=lambda reader: -reader.commits_behind)


def used_bytes(txn: lmdb.Transaction, databases: Collection[Any]) -> int:
    """Return the bytes of the pages that a commit uses, without those of LMDB's list of free pages."""
    trees = [txn.stat(database) for database in (None, *databases)]
    pages = sum(tree["branch_pages"] + tree["leaf_pages"] + tree["overflow_pages"] for tree in trees)
    return (2 + pages) * PAGE


def warn_of_old_reader(path: str, env: lmdb.Environment, databases: Collection[Any], file_bytes: int) -> float:
    """Log a warning if a reader makes the file at a path grow beyond twice what is in use.

    Returns the size of the file at which to look again: not at all after a warning.
    """
    with env.begin() as txn:
        used = used_bytes(txn, databases)
    free = file_bytes - used
    readers = active_readers(env)
    if free < max(used, TOLERATED_BYTES) or not readers or readers[0].commits_behind < PATIENCE:
        return file_bytes * GROWTH
    import logging  # which takes time to import

    logging.getLogger("fpdb").warning(
        "%s has had a snapshot of %r open for %d transactions, so that the file grows: %.1f MB of its %.1f MB are not "
        "in use. End what it does there; 'fpdb compact' gives the space back",
        str(readers[0]),
        path,
        readers[0].commits_behind,
        free / 1e6,
        file_bytes / 1e6,
    )
    return float("inf")


def pid_namespace() -> str | None:
    """Return the PID namespace of this process, if there are any; process ids of others say nothing here."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return None
