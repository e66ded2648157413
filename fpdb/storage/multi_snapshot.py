"""Several stores' commits read as one that holds all of their documents: what a query asks of a `Snapshot`.

A document's id is that in its store plus the ids of all stores before, so that the documents of each stand in order,
and after those of the one before. Boilerplate of any store is boilerplate for all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64, Bools
from fpdb.errors import Error
from fpdb.storage import commit, file_format
from fpdb.storage.catalogue import Catalogue
from fpdb.storage.file_format import Record, State
from fpdb.storage.runs.run_blocks import Postings
from fpdb.storage.snapshot import Hits, Snapshot, concat_hits
from fpdb.storage.texts import KeptText, Texts

Discarded = dict[int, I64]
"""By store: how many of each document's hashes, by its id there, other stores alone have for boilerplate."""


class MultiSnapshot(Snapshot):
    """Valid as long as each of the snapshots. Has no transaction of its own: what belongs to one file, as runs and
    blocks do, is not asked of it."""

    def __init__(self, views: Sequence[Snapshot], cache: MultiSnapshotCache) -> None:
        """Raises Error where the documents are too many to be numbered."""
        self.views = views
        self.bases = [0, *accumulate(view.state.next_document for view in views)]
        if self.bases[-1] > file_format.FIRST_BOILERPLATE:
            raise Error(f"{self.bases[-1]:,} ids are too many for one query; ask some of the databases at a time")
        self.state = State(next_document=self.bases[-1], documents=sum(view.state.documents for view in views))
        self._boilerplate, discarded = cache.boilerplate(views)
        self.catalogue = _Catalogues(self, discarded)
        self.texts = _Texts(self)

    def store_of(self, document: int) -> int:
        """Which of the stores a document is in."""
        return bisect_right(self.bases, document) - 1

    def find(self, document: int) -> tuple[Snapshot, int]:
        """A document's own snapshot, and its id there."""
        at = self.store_of(document)
        return self.views[at], document - self.bases[at]

    def split(self, documents: U32) -> Iterator[tuple[int, slice]]:
        """Of ascending ids: each store that has some, and which these are."""
        bounds = np.searchsorted(documents, self.bases).tolist()
        return ((at, slice(*ends)) for at, ends in enumerate(pairwise(bounds)) if ends[0] < ends[1])

    def boilerplate(self) -> U64:
        return self._boilerplate

    def named(self, names: Collection[bytes]) -> dict[bytes, list[int]]:
        found: dict[bytes, list[int]] = {}
        for view, base in self._each():
            for name, (number,) in view.named(names).items():
                found.setdefault(name, []).append(base + number)
        return found

    def any_dead(self) -> bool:
        return any(view.any_dead() for view in self.views)

    def scans(self) -> list[Iterator[Postings]]:
        return [_moved(pieces, np.uint32(base)) for view, base in self._each() for pieces in view.scans()]

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        parts = []
        wanted = np.ones(len(hashes), np.bool_)
        for view, base in self._each():
            hits = view.look_up(hashes[wanted], cap=cap).spread(wanted)
            parts.append(Hits(hits.counts, hits.documents + np.uint32(base), hits.capped))
            wanted = wanted & ~hits.capped
        return concat_hits(parts, cap)

    def tally(self, hashes: U64) -> U32 | None:
        counts = []
        for view in self.views:
            of_view = view.tally(hashes)
            if of_view is None:
                return None
            counts.append(of_view)
        return np.concatenate(counts)

    def places(self, hashes: U64, documents: U32) -> tuple[U32, U32, U32]:
        parts = [(np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))]
        for at, which in self.split(documents):
            base = np.uint32(self.bases[at])
            indices, holders, positions = self.views[at].places(hashes, documents[which] - base)
            parts.append((indices, holders + base, positions))
        every = [np.concatenate([part[column] for part in parts]) for column in range(3)]
        order = np.argsort(every[0], kind="stable")
        return every[0][order], every[1][order], every[2][order]

    def _each(self) -> Iterator[tuple[Snapshot, int]]:
        return zip(self.views, self.bases, strict=False)


class MultiSnapshotCache:
    """What is kept from one reading of some stores to the next, as long as none of them changes."""

    def __init__(self) -> None:
        self._kept: tuple[list[tuple[int, int]], U64, Discarded] | None = None

    def boilerplate(self, views: Sequence[Snapshot]) -> tuple[U64, Discarded]:
        """The hashes that are boilerplate in any store, sorted, distinct; and what this discards elsewhere."""
        key = [view.version for view in views]
        kept = self._kept
        if kept is not None and kept[0] == key:
            return kept[1:]
        own = [view.boilerplate() for view in views]
        every: U64 = np.unique(np.concatenate(own))
        discarded: Discarded = {}
        for at, (view, of_view) in enumerate(zip(views, own, strict=True)):
            others = np.setdiff1d(every, of_view, assume_unique=True)
            if len(others):
                counts = np.zeros(view.state.next_document, np.int64)
                for start in range(0, len(others), commit.HASHES_A_LOOK):
                    hits = view.look_up(others[start : start + commit.HASHES_A_LOOK])
                    np.add.at(counts, hits.documents, 1)
                discarded[at] = counts
        self._kept = key, every, discarded
        return every, discarded


class _Catalogues(Catalogue):
    """The catalogues of several stores, to read from."""

    def __init__(self, together: MultiSnapshot, discarded: Discarded) -> None:
        self._together = together
        self._discarded = discarded

    def record(self, document: int) -> Record:
        view, number = self._together.find(document)
        return view.catalogue.record(number)

    def described(self, documents: U32) -> tuple[list[bytes], list[int]]:
        names: list[bytes] = []
        kgrams: list[int] = []
        for at, which in self._together.split(documents):
            base = np.uint32(self._together.bases[at])
            found = self._together.views[at].catalogue.described(documents[which] - base)
            names += found[0]
            kgrams += found[1]
        return names, kgrams

    def sizes(self, documents: U32) -> NDArray[np.void]:
        out = np.empty(len(documents), file_format.SIZE)
        for at, which in self._together.split(documents):
            numbers = documents[which] - np.uint32(self._together.bases[at])
            out[which] = self._together.views[at].catalogue.sizes(numbers)
            if at in self._discarded:
                out["boilerplate"][which] += self._discarded[at][numbers].astype(np.uint32)
        return out

    def first_by_name(self, wanted: Bools, count: int) -> list[int]:
        first = []
        for view, (base, end) in zip(self._together.views, pairwise(self._together.bases), strict=True):
            first += [base + number for number in view.catalogue.first_by_name(wanted[base:end], count)]
        return sorted(first, key=lambda document: (self.record(document).name, document))[:count]


class _Texts(Texts):
    """The kept texts of several stores, to read from."""

    def __init__(self, together: MultiSnapshot) -> None:
        self._together = together

    def kept(self, document: int, record: Record) -> KeptText | None:
        view, number = self._together.find(document)
        return view.texts.kept(number, record)


def _moved(pieces: Iterator[Postings], base: np.uint32) -> Iterator[Postings]:
    return (Postings(piece.hashes, piece.documents + base, piece.numbers) for piece in pieces)
