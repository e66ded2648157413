"""The documents of a commit as columns, read without making a record of each."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import numpy as np

from fpdb.arrays import I64, U8, U32
from fpdb.storage.file_format import DIGEST_BYTES, RECORDS_PER_GROUP, id_key
from fpdb.storage.records import read_columns

GROUPS = 1 << 12  # that are read into one array


class DocumentTable(NamedTuple):
    """Documents by ascending id, boilerplate excluded; arrays of shape (documents,), or (documents, columns).

    Attributes:
        ids: Their ids.
        names: Their names.
        kinds: Their kinds.
        digests: Those of their contents; shape (documents, DIGEST_BYTES).
        counts: Of symbols, k-grams, fingerprints and distinct hashes, and when each was added; shape (documents, 5).
        labels: The values of each label that was asked for, None for a document without it.
    """

    ids: U32
    names: list[bytes]
    kinds: list[str]
    digests: U8
    counts: I64
    labels: dict[str, list[str | None]]

    @classmethod
    def read(cls, groups: Iterable[tuple[int, bytes | memoryview]], label_keys: Sequence[str]) -> Self:
        """Read groups of records, given with their numbers, which ascend. Raises Corrupt."""
        keys = sorted(set(label_keys))
        columns: tuple[list[bytes], list[str], list[str | None]] = [], [], []
        indices: list[int] = []
        sizes: list[int] = []
        all_places: list[int] = []
        parts: list[tuple[I64, U8]] = []
        used = room = 0
        for index, value in groups:
            if room - used < RECORDS_PER_GROUP:
                parts = [*parts[:-1], *(_cut(part, used) for part in parts[-1:])]
                used, room = 0, GROUPS * RECORDS_PER_GROUP
                parts.append((np.empty((room, 5), np.int64), np.empty((room, DIGEST_BYTES), np.uint8)))
            counts, digests = parts[-1]
            places = read_columns(id_key(index), value, keys, columns, (counts[used:], digests[used:]))
            indices.append(index)
            sizes.append(len(places))
            all_places += places
            used += len(places)
        parts = [*parts[:-1], *(_cut(part, used) for part in parts[-1:])]
        return cls(
            np.repeat(np.array(indices, np.uint32) * np.uint32(RECORDS_PER_GROUP), np.array(sizes, np.intp))
            + np.array(all_places, np.uint32),
            columns[0],
            columns[1],
            np.concatenate([np.empty((0, DIGEST_BYTES), np.uint8), *(digests for _, digests in parts)]),
            np.concatenate([np.empty((0, 5), np.int64), *(counts for counts, _ in parts)]),
            {key: columns[2][place :: len(keys)] for place, key in enumerate(keys)},
        )

    @classmethod
    def concatenate(cls, tables: Sequence[Self]) -> Self:
        """Return the documents of one or more tables; the ids of each are above those of the one before."""
        ids, digests, counts = (np.concatenate([t[place] for t in tables]) for place in (0, 3, 4))
        names, kinds = [name for t in tables for name in t.names], [kind for t in tables for kind in t.kinds]
        labels = {key: [value for t in tables for value in t.labels[key]] for key in tables[0].labels}
        return cls(ids, names, kinds, digests, counts, labels)

    def take(self, chosen: Sequence[int]) -> Self:
        """Return the documents of these places."""
        if len(chosen) == len(self.ids):
            return self
        names, kinds = [self.names[place] for place in chosen], [self.kinds[place] for place in chosen]
        labels = {key: [values[place] for place in chosen] for key, values in self.labels.items()}
        places = np.array(chosen, np.intp)
        return type(self)(self.ids[places], names, kinds, self.digests[places], self.counts[places], labels)


def _cut(part: tuple[I64, U8], used: int) -> tuple[I64, U8]:
    return part[0][:used], part[1][:used]
