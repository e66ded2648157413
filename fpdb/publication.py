"""Publish a database: a checked copy of it takes the place of another one, which others have open to be read."""

from __future__ import annotations

import os
import time

from fpdb.checked_calls import check_timeout, checked
from fpdb.documents.source_access import pass_on_roots
from fpdb.errors import Corrupt, Error
from fpdb.maintenance import copy_checked
from fpdb.storage.environment.files import identity
from fpdb.storage.environment.refusal import refuse_foreign
from fpdb.storage.maintenance.replacement import replacement


@checked
def publish(
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    timeout: float = 10.0,
    immutable: bool = False,
) -> None:
    """Put a copy of a database in the place of another one, or of none, after a check of all of it in a subprocess.

    Each process that has the other one open sees all of it or all of the copy, at its next call. Killed at any moment,
    it leaves the one or the other.

    Args:
        source: The database to copy, of which others may read and write.
        path: The database to replace. If there is one, it must have the same recipe, since whoever has it open knows
            that.
        timeout: Seconds to wait for another process that writes or publishes there.
        immutable: See `fpdb.open`; of the source.

    Raises:
        NoSuchDatabase: There is no source; NotADatabase, NewerFormat: One of the files is none.
        Corrupt: The source is damaged, or the database to replace cannot be opened.
        RecipeMismatch: The recipes differ.
        Error: Both are the same; Locked, StorageFailure: The file cannot be replaced.
    """
    check_timeout(timeout)
    source, path = (os.path.realpath(os.fspath(each)) for each in (source, path))
    if identity(source) == identity(path) is not None:
        raise Error(f"{source!r} cannot be published in its own place; give another path")
    refuse_foreign(source, time.monotonic() + timeout)  # before there are lock files beside the other path
    with replacement(path, timeout) as temporary:
        try:
            copied = copy_checked(source, temporary, path if identity(path) else None, immutable=immutable)
        except Corrupt as error:
            raise Corrupt(f"{source!r} was not published: {error}; see 'fpdb check'") from error
    pass_on_roots(copied.source_id, copied.copy_id)
