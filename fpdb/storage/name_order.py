"""Documents in the byte order of their names: the database of names is read in the order of its keys, many at a time.

The keys of long names end in digests: those of one beginning are put in order here.
"""

from collections.abc import Callable, Iterator
from itertools import chain, groupby
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import U32
from fpdb.storage.file_format import LONGEST_PLAIN_NAME

BATCH: Final = 1024  # documents that are yielded together where they are known
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


def walk(blocks: Iterator[tuple[list[bytes], U32]], name_of: Callable[[int], bytes]) -> Iterator[NamedIds]:
    """Yield the documents of names in parts.

    Args:
        blocks: Keys, ascending, and the ids of their documents.
        name_of: Returns the name of a document.

    Raises:
        Corrupt: A value is damaged.
    """
    for keys, ids in blocks:
        if max(map(len, keys)) > LONGEST_PLAIN_NAME:
            yield from _walk_long(chain([(keys, ids)], blocks), name_of)
            return
        yield NamedIds(ids, keys, keys[-1])


def _walk_long(blocks: Iterator[tuple[list[bytes], U32]], name_of: Callable[[int], bytes]) -> Iterator[NamedIds]:
    entries = ((key, id_) for keys, ids in blocks for key, id_ in zip(keys, ids.tolist(), strict=True))
    for (_, is_long), group in groupby(entries, _beginning):
        entries_of_group = list(group)
        last = entries_of_group[-1][0]
        named = sorted((name_of(id_), id_) for _, id_ in entries_of_group) if is_long else entries_of_group
        names, ids = zip(*named, strict=True)
        yield NamedIds(np.array(ids, np.uint32), list(names), last)


def _beginning(entry: tuple[bytes, int]) -> tuple[bytes, bool]:
    key = entry[0]
    return key[:LONGEST_PLAIN_NAME], len(key) > LONGEST_PLAIN_NAME
