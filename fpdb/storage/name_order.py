"""Documents in the byte order of their names: the database of names is read in the order of its keys, many at a time.

The keys of long names end in digests: those of one beginning are put in order here.
"""

from collections.abc import Callable, Iterator
from itertools import chain, groupby, islice
from typing import Any, Final, NamedTuple

import lmdb
import numpy as np

from fpdb.arrays import U32
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage._checksums import read_ids
from fpdb.storage.file_format import LONGEST_PLAIN_NAME

FIRST_BATCH: Final = 32  # entries that are read together at first; ever more follow
BATCH: Final = 1024
NONE: Final[U32] = np.empty(0, np.uint32)


class NamesInOrder(NamedTuple):
    """The documents that come first by name, as far as they were read; last: the key of the last name, if any."""

    ids: U32 = NONE
    last: bytes = b""


def walk(cursor: lmdb.Cursor, name_of: Callable[[int], bytes]) -> Iterator[tuple[U32, bytes]]:
    """Yield the documents of the names from the cursor on, in parts, with the key after which to go on.

    Args:
        cursor: At the first key; valid buffers end with the part that was yielded for them.
        name_of: Returns the name of a document.

    Raises:
        Corrupt: A value is damaged.
    """
    entries = iter(cursor)
    size = FIRST_BATCH
    while batch := list(islice(entries, size)):
        if max(len(key) for key, _ in batch) > LONGEST_PLAIN_NAME:
            yield from _walk_long(chain(batch, entries), name_of)
            return
        yield _read_ids(batch), bytes(batch[-1][0])
        size = min(2 * size, BATCH)


def _walk_long(entries: Iterator[tuple[Any, Any]], name_of: Callable[[int], bytes]) -> Iterator[tuple[U32, bytes]]:
    read = ((bytes(entry[0]), int(_read_ids([entry])[0])) for entry in entries)
    for (_, is_long), group in groupby(read, _beginning):
        keys, ids = zip(*group, strict=True)
        yield np.array(sorted(ids, key=name_of) if is_long else ids, np.uint32), keys[-1]


def cut_beginning(entry: tuple[Any, Any]) -> bytes:
    """Return what the names of a long key begin with, as far as it stands in the key; empty for the key of one name."""
    key = entry[0]
    return bytes(key[:LONGEST_PLAIN_NAME]) if len(key) > LONGEST_PLAIN_NAME else b""


def _beginning(entry: tuple[bytes, int]) -> tuple[bytes, bool]:
    key = entry[0]
    return key[:LONGEST_PLAIN_NAME], len(key) > LONGEST_PLAIN_NAME


def _read_ids(entries: list[tuple[Any, Any]]) -> U32:
    try:
        return read_ids(entries)
    except ValueError:
        for key, value in entries:
            file_format.parse_id_key(bytes(file_format.unseal(bytes(key), value)))  # which says what is wrong
        raise Corrupt("a name leads to no document; run 'fpdb check'") from None
