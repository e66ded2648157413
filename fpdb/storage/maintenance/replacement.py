"""A finished file takes the place of a database, which others may have open, or of none."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from fpdb.errors import StorageFailure
from fpdb.storage.environment import files
from fpdb.storage.environment.failures import translated
from fpdb.storage.environment.lock_files import MERGE, WRITER
from fpdb.storage.environment.locking import FileLock
from fpdb.storage.environment.network import refuse_network
from fpdb.storage.environment.refusal import refuse_foreign

SUFFIX = "publish"


@contextmanager
def replacement(path: str, timeout: float) -> Iterator[str]:
    """Give the name of a file that does not exist yet; it becomes the database at a path when the block ends.

    Readers go on, and follow to the new file at their next transaction; merges wait for the block, and writers for its
    end only. Killed at any moment, it leaves the old file or the new one, and maybe a file that the next call removes.

    Args:
        path: The real path of a database, or of nothing.
        timeout: Seconds to wait for another process.

    Raises:
        NotADatabase, NewerFormat, Corrupt: There is something else at the path.
        Locked, StorageFailure: The file cannot be put there.
    """
    with translated(path):
        refuse_network(os.path.dirname(path))
        before = files.identity(path)
    if before is not None:
        refuse_foreign(path, time.monotonic() + timeout)
    writing = FileLock(path, WRITER, "writing to the database", timeout)
    merging = FileLock(path, MERGE, "merging runs, or publishing a database there,", timeout)
    with merging.held():  # which also keeps out whoever compacts, or publishes
        before = files.identity(path)
        with translated(path):
            _discard_leftovers(path)
        temporary = files.temporary_name(path, SUFFIX)
        try:
            yield temporary
            with writing.held(), translated(path):
                _put(temporary, path, before, time.monotonic() + timeout)
        finally:
            files.discard(temporary)


def _put(finished: str, path: str, before: object, deadline: float) -> None:
    if files.identity(path) != before:
        raise StorageFailure(f"another file was put at {path!r} meanwhile, and was left as it is: try again")
    if before is not None:
        files.replace(path, finished, deadline)
        return
    try:
        files.publish(finished, path)
    except FileExistsError as error:
        raise StorageFailure(f"another file was put at {path!r} meanwhile, and was left as it is: try again") from error


def _discard_leftovers(path: str) -> None:
    """Remove the files of calls that were killed; under the lock there are no others."""
    folder, name = os.path.split(path)
    left = re.compile(rf"{re.escape(name)}\.[0-9a-f]{{16}}\.{SUFFIX}")
    for other in os.listdir(folder):
        if (match := left.match(other)) is not None:
            files.discard(os.path.join(folder, match[0]))
