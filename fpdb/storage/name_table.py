"""The keys of names in order, in blocks, with the ids of their documents. Works inside a transaction that it is given.

A block has those keys that its own key does not exceed, and that precede the next block's. In files of version 1,
a value is the id alone, and its key the name's.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

import lmdb
import numpy as np

from fpdb.arrays import I64, U32
from fpdb.errors import Corrupt
from fpdb.storage import _names, file_format

FIRST_KEY: Final = b"\0"  # no name is less
ROOM: Final = file_format.TEXT_PIECE  # bytes of a block
COUNT: Final = 2  # bytes of a block that tell how many keys it has
SINGLE: Final = 4  # bytes of a block of version 1
WHOLE_BLOCKS: Final = ROOM, ROOM
FEW: Final = ROOM // 4  # bytes to which a block has shrunk that is joined to the one before,
JOINED: Final = ROOM * 3 // 4  # if both together have no more


class NameTable:
    """The keys of names in one transaction. Every method raises Corrupt."""

    def __init__(self, txn: lmdb.Transaction, database: Any) -> None:
        """Read from, and write to, the database of names in a transaction."""
        self._txn = txn
        self._database = database

    def find(self, keys: list[bytes]) -> Iterator[tuple[bytes, int]]:
        """Yield those keys, ascending, that are there, and the ids of their documents; others are not damaged keys."""
        cursor, start = self._txn.cursor(self._database), 0
        while start < len(keys):
            block = self._seek(cursor, keys[start])
            end = self._end(cursor, block, keys, start)
            found = [-1] * (end - start) if block is None else self._find(*block, keys, range(start, end))
            if -1 in found and cursor.key():
                file_format.unseal(bytes(cursor.key()), cursor.value())
            yield from ((keys[row], id_) for row, id_ in enumerate(found, start) if id_ >= 0)
            start = end

    def _seek(self, cursor: lmdb.Cursor, key: bytes) -> tuple[bytes, memoryview] | None:
        """Go to the block where a key is, if it is anywhere; return its key and content, None if there is none."""
        found = cursor.set_range(key)
        stored = bytes(cursor.key()) if found else b""
        if stored != key:
            if not (cursor.prev() if found else cursor.last()):
                return None
            stored = bytes(cursor.key())
            if stored > key:
                raise _out_of_order(stored)
        return stored, file_format.unseal(stored, cursor.value())

    @staticmethod
    def _end(cursor: lmdb.Cursor, block: tuple[bytes, memoryview] | None, keys: list[bytes], start: int) -> int:
        """Go to the next block, if there is one; return the index of the first key that is not before it."""
        if not (cursor.first() if block is None else cursor.next()):
            return len(keys)
        following = bytes(cursor.key())
        if following <= keys[start]:
            raise _out_of_order(following)
        return bisect_left(keys, following, start)

    @staticmethod
    def _find(block_key: bytes, body: memoryview, keys: list[bytes], part: range) -> list[int]:
        if len(body) == SINGLE:
            return [file_format.parse_id_key(bytes(body)) if keys[row] == block_key else -1 for row in part]
        try:
            return _names.find(body, keys, part.start, part.stop)
        except ValueError as error:
            raise _malformed(block_key, error) from error

    def blocks(self, start: bytes = b"", *, after: bool = False) -> Iterator[tuple[list[bytes], U32]]:
        """Yield the keys from one on, some at a time and ascending, and the ids of their documents.

        after: without the key itself.
        """
        cursor, last = self._txn.cursor(self._database), b""
        block = self._seek(cursor, start) if start else None
        if block is None and not cursor.first():
            return
        for key, value in cursor:
            stored = bytes(key)
            keys, ids = unpack_names(stored, value)
            if stored <= last:
                raise _out_of_order(stored)
            last = keys[-1]
            first = (bisect_right if after else bisect_left)(keys, start)
            if first < len(keys):
                yield keys[first:], ids[first:]

    def count(self) -> int:
        """Return the number of keys, as the blocks tell it."""
        bodies = (file_format.unseal(bytes(key), value) for key, value in self._txn.cursor(self._database))
        return sum(1 if len(body) == SINGLE else int.from_bytes(body[:COUNT], "little") for body in bodies)

    def change(self, keys: list[bytes], ids: I64) -> None:
        """Set the ids of the documents of keys, which are distinct and ascending; -1 deletes a key."""
        cursor, start = self._txn.cursor(self._database), 0
        while start < len(keys):
            block = self._seek(cursor, keys[start])
            part = range(start, self._end(cursor, block, keys, start))
            block_key, body = block or (FIRST_KEY, memoryview(b""))
            written = self._changed(block_key, body, keys, ids, part)
            if len(written) == 1 and len(written[0]) < FEW and len(written[0]) < len(body):
                block_key, written[0] = self._joined(cursor, block_key, written[0])
            self._write(block_key, written)
            start = part.stop

    @staticmethod
    def _changed(block_key: bytes, body: bytes | memoryview, keys: list[bytes], ids: I64, part: range) -> list[bytes]:
        """Return the blocks that take a block's place: full ones if only keys behind its own are set, or else equal."""
        try:
            blocks, follow = _names.change(body, keys, ids, part, WHOLE_BLOCKS)
            if len(blocks) > 1 and not follow:
                enough = sum(map(len, blocks)) // len(blocks)
                blocks, _ = _names.change(body, keys, ids, part, (ROOM, enough))
        except ValueError as error:
            raise _malformed(block_key, error) from error
        return blocks

    def _joined(self, cursor: lmdb.Cursor, block_key: bytes, body: bytes) -> tuple[bytes, bytes]:
        """Return the key and the content of a block, or of that before with both contents; then its own is deleted."""
        if not (cursor.set_key(block_key) and cursor.prev()):
            return block_key, body
        before = bytes(cursor.key())
        content = file_format.unseal(before, cursor.value())
        if len(content) + len(body) > JOINED:
            return block_key, body
        keys, ids = _names.unpack(body)
        joined = self._changed(before, content, keys, ids.astype(np.int64), range(len(keys)))
        if len(joined) > 1:  # they were out of order
            raise _out_of_order(block_key)
        self._txn.delete(block_key, db=self._database)
        return before, joined[0]

    def _write(self, block_key: bytes, blocks: list[bytes]) -> None:
        """Write blocks, the first one under a key that it has."""
        if not blocks:
            self._txn.delete(block_key, db=self._database)
        for key, body in zip(chain([block_key], map(_names.first_key, blocks[1:])), blocks, strict=False):
            self._txn.put(key, file_format.seal(key, body), db=self._database)


def unpack_names(block_key: bytes, value: bytes | memoryview) -> tuple[list[bytes], U32]:
    """Return the keys in a block as it is stored, and the ids of their documents. Raises Corrupt."""
    body = file_format.unseal(block_key, value)
    if len(body) == SINGLE:
        return [block_key], np.array([file_format.parse_id_key(bytes(body))], np.uint32)
    try:
        keys, ids = _names.unpack(body)
    except ValueError as error:
        raise _malformed(block_key, error) from error
    if keys[0] < block_key:
        raise _out_of_order(keys[0])
    return keys, ids


def _out_of_order(key: bytes) -> Corrupt:
    return Corrupt(f"the name {file_format.name_text(key)!r} is out of order; run 'fpdb check'")


def _malformed(block_key: bytes, error: ValueError) -> Corrupt:
    return Corrupt(f"the names at {block_key!r} are malformed: {error}; run 'fpdb check'")
