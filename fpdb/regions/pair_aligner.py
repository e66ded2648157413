"""Align two documents: where two documents of the database are alike, and how much that is of each; of many pairs."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from fpdb.arrays import U64, sorted_distinct
from fpdb.fingerprint import Recipe
from fpdb.regions.joining import Region
from fpdb.regions.region_finder import Alike, Evidence, Read, read_document
from fpdb.regions.sources import Sources
from fpdb.regions.stored_positions import Positions
from fpdb.storage.reader import Reader

KEPT: Final = 1 << 24
"""Symbols of documents that are kept while others are compared with them: some 250 MB."""


class PairAlignment(NamedTuple):
    """Where documents a and b are alike, a's symbols first; the share of the symbols of either that lie there; and what
    was read of them. regions: None, and the shares 0, where nothing tells."""

    regions: list[Region] | None
    coverage_a: float
    coverage_b: float
    a: Read
    b: Read


class PairAligner:
    """Compares documents by their ids, and reads them as seldom as may be."""

    def __init__(
        self, view: Reader, recipe: Recipe, sources: Sources, cap: int, *, gap: int = 0, most: int | None = None
    ) -> None:
        """cap: see `comparison.cap_of`. gap: see `Evidence`. most: see `Positions`."""
        self._view, self._recipe, self._sources = view, recipe, sources
        self._cap, self._gap, self._most = cap, gap, most
        self._kept: OrderedDict[int, Read] = OrderedDict()
        self._symbols = 0

    def compare(self, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, PairAlignment]]:
        """The index of each pair (a, b), and what is found; in another order. Raises Corrupt, MissingPackage."""
        groups: dict[int, list[int]] = defaultdict(list)
        for index, (a, _) in enumerate(pairs):
            groups[a].append(index)
        unread: list[int] = []
        for a, indices in groups.items():
            evidence = self.evidence(a)
            if evidence is None:
                for index in indices:
                    b = pairs[index][1]
                    turned = self.evidence(b)
                    if turned is None:
                        unread.append(index)
                    else:
                        (alike,) = turned.compare([a], self.read)
                        yield index, _turned(alike, self.read(b))
                continue
            read = self.read(a)
            found = evidence.compare([pairs[index][1] for index in indices], self.read)
            for index, alike in zip(indices, found, strict=True):
                yield (
                    index,
                    PairAlignment(alike.regions, alike.query_coverage, alike.document_coverage, read, alike.read),
                )
        numbers = {number for index in unread for number in pairs[index]}
        positions = Positions(self._view, self._recipe, numbers, self._ignored, self._gap, self._most)
        for index in unread:
            a, b = pairs[index]
            yield index, PairAlignment(*positions.compare(a, b), self.read(a), self.read(b))

    def evidence(self, number: int) -> Evidence | None:
        """What finds the regions of a document and others; None where it cannot be read."""
        found = self.read(number).fingerprints
        if found is None:
            return None
        return Evidence(self._view, self._recipe, found, self._ignored(sorted_distinct(found.hashes)), self._gap)

    def read(self, number: int) -> Read:
        """A document's original. Raises Corrupt, MissingPackage."""
        read = self._kept.get(number)
        if read is None:
            read = self._kept[number] = read_document(self._view, self._recipe, number, self._sources)
            self._symbols += _size(read)
            while self._symbols > KEPT and len(self._kept) > 2:
                self._symbols -= _size(self._kept.popitem(last=False)[1])
        self._kept.move_to_end(number)
        return read

    def _ignored(self, hashes: U64) -> U64:
        """Those of sorted hashes that are common."""
        return hashes[self._view.look_up(hashes, cap=self._cap).capped] if self._cap else hashes[:0]


def _turned(alike: Alike, b: Read) -> PairAlignment:
    """As of a and b, of what was found when b was the query."""
    regions = sorted(
        Region(one.document_start, one.document_end, one.query_start, one.query_end, one.shared)
        for one in alike.regions
    )
    return PairAlignment(regions, alike.document_coverage, alike.query_coverage, alike.read, b)


def _size(read: Read) -> int:
    found = read.fingerprints
    return 1 if found is None else found.symbols + 1
