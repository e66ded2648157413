"""Values of keys that may not exist, where a missing key must not be a damaged one."""

from collections.abc import Iterable
from typing import Any

import lmdb

from fpdb.errors import Corrupt
from fpdb.storage import file_format


def get_verified(txn: lmdb.Transaction, database: Any, key: bytes) -> Any:
    """Return the value of a key, or None if the entries around its place are sound. Raises Corrupt."""
    value = txn.get(key, db=database)
    if value is None:
        cursor = txn.cursor(database)
        if cursor.set_range(key):
            file_format.unseal(bytes(cursor.key()), cursor.value())
        verify_entry_before(cursor, key)
    return value


def verify_entry_before(cursor: lmdb.Cursor, key: bytes) -> None:
    """Move a cursor from where `set_range` put it to the entry before, and verify value and order. Raises Corrupt."""
    if cursor.prev() if cursor.key() else cursor.last():
        before = bytes(cursor.key())
        file_format.unseal(before, cursor.value())
        if before >= key:
            raise Corrupt(f"the key {before!r} is out of order; run 'fpdb check'")


def put_all(txn: lmdb.Transaction, database: Any, items: Iterable[tuple[bytes, bytes | None]]) -> None:
    """Write values, and delete the keys of those that are None; keys ascending. What follows all others fills pages.

    Raises Corrupt if a key is out of order.
    """
    cursor = txn.cursor(database)
    last = bytes(cursor.key()) if cursor.last() else b""
    for key, value in items:
        if value is None:
            txn.delete(key, db=database)
        elif not txn.put(key, value, db=database, append=key > last):
            raise Corrupt(f"the key {key!r} came out of order; run 'fpdb check'")
