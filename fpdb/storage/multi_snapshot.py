"""MultiSnapshot: commits of several stores read as one that holds the documents of all.

A document's id is its id in its store plus the ids of all stores before. So the documents of each store stand in order,
after those of the store before. Boilerplate of any store is boilerplate for all; boilerplate documents have no id here.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from heapq import merge
from itertools import accumulate, islice, pairwise, starmap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64, Bools, sorted_distinct
from fpdb.errors import Error
from fpdb.storage import commit, file_format
from fpdb.storage.hits import Hits, concat_hits
from fpdb.storage.index_reader import Occurrences
from fpdb.storage.records import Record
from fpdb.storage.runs.postings import Postings
from fpdb.storage.sizes import HeldSizes
from fpdb.storage.snapshot import Snapshot

if TYPE_CHECKING:
    from fpdb.storage.document_table import DocumentTable

NAMES_TOGETHER = 64
DiscardedCounts = dict[int, I64]
"""By store: the number of hashes of each document, by its id there, that are boilerplate only in other stores."""


class _Stores:
    """The snapshots of the stores, and the way from a common id to a store's own."""

    def __init__(self, snapshots: Sequence[Snapshot]) -> None:
        self.snapshots = snapshots
        self.bases = [0, *accumulate(snapshot.state.next_document for snapshot in snapshots)]

    def __iter__(self) -> Iterator[tuple[Snapshot, int]]:
        """Yield each snapshot, and the number of ids before it."""
        return zip(self.snapshots, self.bases, strict=False)

    def index(self, document_id: int) -> int:
        """Return the index of the store that a document is in."""
        return bisect_right(self.bases, document_id) - 1

    def find(self, document_id: int) -> tuple[Snapshot, int]:
        """Return a document's own snapshot, and its id there."""
        index = self.index(document_id)
        return self.snapshots[index], document_id - self.bases[index]

    def split(self, document_ids: U32) -> Iterator[tuple[int, slice, U32]]:
        """Yield each store that has some of the ascending ids: its index, their slice, and their ids there."""
        for index, (start, end) in enumerate(pairwise(np.searchsorted(document_ids, self.bases).tolist())):
            if start < end:
                yield index, slice(start, end), document_ids[start:end] - np.uint32(self.bases[index])


class MultiSnapshot:
    """A reader of several snapshots, valid as long as each of them. Every method raises Corrupt."""

    def __init__(self, snapshots: Sequence[Snapshot], cache: "MultiSnapshotCache") -> None:
        """Combine the snapshots.

        Raises:
            Error: The stores have too many ids for one numbering.
        """
        self._stores = _Stores(snapshots)
        ids = self._stores.bases[-1]
        if ids > file_format.FIRST_BOILERPLATE:
            raise Error(f"{ids:,} ids are too many for one query; ask some of the databases at a time")
        self.document_count = sum(snapshot.document_count for snapshot in snapshots)
        self.posting_count = sum(snapshot.posting_count for snapshot in snapshots)
        self._boilerplate, discarded = cache.boilerplate(snapshots)
        self.catalogue = _MultiCatalogue(self._stores, discarded)
        self.texts = _MultiTexts(self._stores)

    def store_of(self, document_id: int) -> int:
        """Return the index of the store that a document is in."""
        return self._stores.index(document_id)

    def file_id(self, document_id: int) -> bytes:
        """Return the random id of the file that a document is in, see `IndexReader`."""
        return self._stores.find(document_id)[0].file_id()

    def boilerplate(self) -> U64:
        """Return the hashes that are boilerplate in any store; sorted, distinct."""
        return self._boilerplate

    def find_by_name(self, names: Collection[bytes]) -> dict[bytes, list[int]]:
        """Return the ids of the documents of each name, one in each store at most, boilerplate excluded."""
        ids: dict[bytes, list[int]] = {}
        for snapshot, base in self._stores:
            for name, own_ids in snapshot.find_by_name(names).items():
                ids.setdefault(name, []).extend(base + document_id for document_id in own_ids)
        return ids

    def has_dead_postings(self) -> bool:
        """Return True if `scans` yields postings of removed documents."""
        return any(snapshot.has_dead_postings() for snapshot, _ in self._stores)

    def find_frequent(self, minimum: int) -> U64 | None:
        """Return all hashes that this many documents hold, see `IndexReader.find_frequent`."""
        in_a_store = -(-minimum // max(len(self._stores.snapshots), 1))
        parts = [snapshot.find_frequent(in_a_store) for snapshot, _ in self._stores]
        found = [part for part in parts if part is not None]
        return np.unique(np.concatenate([np.empty(0, np.uint64), *found])) if len(found) == len(parts) else None

    def scans(self, document_ids: U32 | None = None) -> list[Iterator[Postings]]:
        """Return the postings of runs of every store, those of dead documents included; see `IndexReader.scans`."""
        own_ids: dict[int, U32 | None] = dict.fromkeys(range(len(self._stores.snapshots)))
        if document_ids is not None:
            own_ids = {index: ids for index, _, ids in self._stores.split(document_ids)}
        return [
            _shifted(pieces, np.uint32(self._stores.bases[index]))
            for index, ids in own_ids.items()
            for pieces in self._stores.snapshots[index].scans(ids)
        ]

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        """Find the live ordinary documents that hold the hashes, see `IndexReader.look_up`."""
        parts = []
        uncapped = np.ones(len(hashes), np.bool_)
        for snapshot, base in self._stores:
            hits = snapshot.look_up(hashes[uncapped], cap=cap).scatter(uncapped)
            parts.append(Hits(hits.counts, hits.document_ids + np.uint32(base), hits.capped))
            uncapped = uncapped & ~hits.capped
        return concat_hits(parts, cap)

    def count_by_document(self, hashes: U64) -> U32 | None:
        """Count the hashes each ordinary document holds, by id; see `IndexReader.count_by_document`."""
        parts = []
        for snapshot, _ in self._stores:
            counts = snapshot.count_by_document(hashes)
            if counts is None:
                return None
            parts.append(counts)
        return np.concatenate(parts)

    def are_common(self, hashes: U64) -> Bools:
        """Return which hashes very many documents of a store hold, see `IndexReader.are_common`."""
        common = np.zeros(len(hashes), np.bool_)
        for snapshot, _ in self._stores:
            common |= snapshot.are_common(hashes)
        return common

    def find_holders(self, hashes: U64, document_ids: U32) -> Bools:
        """Return which documents hold which hashes, see `IndexReader.find_holders`."""
        held = np.zeros((len(hashes), len(document_ids)), np.bool_)
        for index, places, own_ids in self._stores.split(document_ids):
            held[:, places] = self._stores.snapshots[index].find_holders(hashes, own_ids)
        return held

    def count_holders(self, hashes: U64) -> I64:
        """Return how many documents hold each hash, see `IndexReader.count_holders`."""
        counts = np.zeros(len(hashes), np.int64)
        for snapshot, _ in self._stores:
            counts += snapshot.count_holders(hashes)
        return counts

    def find_occurrences(self, hashes: U64, document_ids: U32) -> Occurrences:
        """Find where live documents hold the hashes, see `IndexReader.find_occurrences`."""
        parts = []
        for index, _, own_ids in self._stores.split(document_ids):
            part = self._stores.snapshots[index].find_occurrences(hashes, own_ids)
            parts.append(part._replace(document_ids=part.document_ids + np.uint32(self._stores.bases[index])))
        return Occurrences.concatenate(parts)


class MultiSnapshotCache:
    """Values kept from one combined snapshot of some stores to the next, as long as no store changes."""

    def __init__(self) -> None:
        """Begin with nothing cached."""
        self._cached: tuple[list[tuple[int, int]], U64, DiscardedCounts] | None = None

    def boilerplate(self, snapshots: Sequence[Snapshot]) -> tuple[U64, DiscardedCounts]:
        """Return the hashes that are boilerplate in any store, sorted, distinct; and how many that discards where."""
        versions = [snapshot.version for snapshot in snapshots]
        if self._cached is not None and self._cached[0] == versions:
            return self._cached[1:]
        boilerplate = [snapshot.boilerplate() for snapshot in snapshots]
        union = sorted_distinct(np.concatenate(boilerplate))
        discarded: DiscardedCounts = {}
        for index, (snapshot, own_hashes) in enumerate(zip(snapshots, boilerplate, strict=True)):
            others = np.setdiff1d(union, own_hashes, assume_unique=True)
            if len(others):
                counts = np.zeros(snapshot.state.next_document, np.int64)
                for start in range(0, len(others), commit.HASHES_PER_RECOUNT):
                    hits = snapshot.look_up(others[start : start + commit.HASHES_PER_RECOUNT])
                    np.add.at(counts, hits.document_ids, 1)
                discarded[index] = counts
        self._cached = versions, union, discarded
        return union, discarded


class _MultiCatalogue:
    """The catalogues of several stores."""

    def __init__(self, stores: _Stores, discarded: DiscardedCounts) -> None:
        self._stores = stores
        self._discarded = discarded

    def record(self, document_id: int) -> Record:
        """Return the record of a document, which must exist."""
        snapshot, own_id = self._stores.find(document_id)
        return snapshot.catalogue.record(own_id)

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate excluded, by ascending id."""
        for snapshot, base in self._stores:
            for own_id, record in snapshot.catalogue.records():
                yield base + own_id, record

    def table(self, label_keys: Sequence[str] = ()) -> "DocumentTable":
        """Return all documents as columns, boilerplate excluded, with the values of these labels."""
        from fpdb.storage.document_table import DocumentTable

        tables = [(snapshot.catalogue.table(label_keys), base) for snapshot, base in self._stores]
        return DocumentTable.concatenate([table._replace(ids=table.ids + np.uint32(base)) for table, base in tables])

    def names_and_kgrams(self, document_ids: U32) -> tuple[list[bytes], list[int]]:
        """Return the names and the numbers of k-grams of existing documents; ids ascending."""
        names: list[bytes] = []
        kgrams: list[int] = []
        for index, _, own_ids in self._stores.split(document_ids):
            own_names, own_kgrams = self._stores.snapshots[index].catalogue.names_and_kgrams(own_ids)
            names += own_names
            kgrams += own_kgrams
        return names, kgrams

    def sizes(self, document_ids: U32) -> NDArray[np.void]:
        """Return the sizes of documents, boilerplate counted by that of all stores; see `CatalogueReader.sizes`."""
        sizes = np.empty(len(document_ids), file_format.SIZE)
        order = np.argsort(document_ids)  # stores are split by ranges of ids
        for index, part, own_ids in self._stores.split(document_ids[order]):
            places = order[part]
            sizes[places] = self._stores.snapshots[index].catalogue.sizes(own_ids)
            if index in self._discarded:
                sizes["boilerplate"][places] += self._discarded[index][own_ids].astype(np.uint32)
        return sizes

    def ids_by_name(self) -> Iterator[U32]:
        """Yield the ids of all documents in byte order of their names, see `CatalogueReader.ids_by_name`."""
        ids = (document_id for _, document_id in merge(*starmap(_named, self._stores)))
        while part := list(islice(ids, NAMES_TOGETHER)):
            yield np.array(part, np.uint32)

    def held_sizes(self) -> HeldSizes:
        """Return the numbers of hashes that documents hold, without those that are boilerplate in any store."""
        parts = []
        for index, snapshot in enumerate(self._stores.snapshots):
            by_id = snapshot.catalogue.held_sizes().by_id
            if index in self._discarded:
                by_id = np.where(by_id == file_format.DEAD, by_id, by_id - self._discarded[index].astype(np.uint32))
            parts.append(by_id)
        return HeldSizes.of(np.concatenate(parts))

    def first_by_name(self, candidates: Bools, count: int) -> list[int]:
        """Return the ids of the candidates whose names come first in byte order, in any order."""
        first = []
        for (snapshot, base), end in zip(self._stores, self._stores.bases[1:], strict=True):
            own_ids = snapshot.catalogue.first_by_name(candidates[base:end], count)
            first += [base + document_id for document_id in own_ids]
        return sorted(first, key=lambda document_id: (self.record(document_id).name, document_id))[:count]


class _MultiTexts:
    """The kept texts of several stores."""

    def __init__(self, stores: _Stores) -> None:
        self._stores = stores

    def read(self, document_id: int, record: Record) -> str | bytes | None:
        """Return a document's content as it was given, or None if it is not kept."""
        snapshot, own_id = self._stores.find(document_id)
        return snapshot.texts.read(own_id, record)


def _named(snapshot: Snapshot, base: int) -> Iterator[tuple[bytes, int]]:
    """Yield the name and the common id of each ordinary document in order."""
    for ids in snapshot.catalogue.ids_by_name():
        for document_id in ids[ids < file_format.FIRST_BOILERPLATE].tolist():
            yield snapshot.catalogue.record(document_id).name, base + document_id


def _shifted(pieces: Iterator[Postings], base: np.uint32) -> Iterator[Postings]:
    return (Postings(piece.hashes, piece.document_ids + base, piece.encoded_positions) for piece in pieces)
