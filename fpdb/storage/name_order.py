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


class NamedIds(NamedTuple):
    """Some documents in the order of their names; last: the key after which to go on."""

    ids: U32
    names: list[bytes]
    last: bytes


def walk(cursor: lmdb.Cursor, name_of: Callable[[int], bytes]) -> Iterator[NamedIds]:
    """Yield the documents of the names from the cursor on, in parts.

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
        names = [bytes(key) for key, _ in batch]
        yield NamedIds(_read_ids(batch), names, names[-1])
        size = min(2 * size, BATCH)


def _walk_long(entries: Iterator[tuple[Any, Any]], name_of: Callable[[int], bytes]) -> Iterator[NamedIds]:
    read = ((bytes(entry[0]), int(_read_ids([entry])[0])) for entry in entries)
    for (_, is_long), group in groupby(read, _beginning):
        entries_of_group = list(group)
        last = entries_of_group[-1][0]
        named = sorted((name_of(id_), id_) for _, id_ in entries_of_group) if is_long else entries_of_group
        names, ids = zip(*named, strict=True)
        yield NamedIds(np.array(ids, np.uint32), list(names), last)


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
