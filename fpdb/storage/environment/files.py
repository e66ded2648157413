"""Files of databases as wholes: made under another name, synced, put in their place, thrown away.

Knows nothing of what is stored but the names of the databases that LMDB keeps in a file.
"""

from __future__ import annotations

import errno
import os
import threading

import lmdb

from fpdb.errors import StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment.failures import explain, translated

MAP_SIZE = 1 << 40
BESIDE = ("-lock", "-writer", "-merge")  # suffixes of the files beside a database


def lock_path(path: str) -> str:
    """Where LMDB keeps its table of readers."""
    return path + BESIDE[0]


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
        env = lmdb.open(
            os.fsencode(path),
            subdir=False,
            lock=False,  # nobody else knows the name
            map_size=MAP_SIZE,
            max_dbs=len(file_format.NAMED),
            lib_version=0,
            mode=0o600,
        )
        try:
            for name in file_format.NAMED:
                env.open_db(name)
            with env.begin(write=True) as txn:
                txn.put(file_format.FORMAT_KEY, format_record)
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
        raise StorageFailure(explain(path, error.strerror or str(error))) from error


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
        try:
            os.unlink(path + suffix)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EROFS):  # a read-only medium has none
                raise
