"""Evidence: where in both documents a query and other documents are alike.

Fingerprints that both share become regions (`regions`), whose ends are extended where the document's original can be
had and is unchanged; else the positions in the store say what they can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import U64, contains, sorted_distinct
from fpdb.errors import BadQuery, MissingPackage, UnknownKind, Unreadable
from fpdb.fingerprint import NO_POSITION, Fingerprints, Recipe, Symbols, find_scheme
from fpdb.regions.joining import Region, Selected, bridge, coverages, extend, find_regions
from fpdb.regions.line_index import LineIndex, locate_regions
from fpdb.regions.places import MatchedRegion
from fpdb.regions.sources import Sources, SourceState
from fpdb.storage.file_format import Record
from fpdb.storage.reader import Reader

AT_ONCE: Final = 32  # documents that are held while they are compared with a query


class Read(NamedTuple):
    """What came of looking for a document's original; where it is the same, its fingerprints, and itself."""

    state: SourceState
    fingerprints: Fingerprints | None = None
    original: LineIndex | None = None

    @classmethod
    def of(cls, found: Fingerprints) -> Read:
        """Of fingerprints that came with the document's symbols."""
        return cls("same", found, LineIndex(symbols_of(found)))


def read_document(view: Reader, recipe: Recipe, number: int, sources: Sources) -> Read:
    """A document's original, read as it was when it was added. Raises Corrupt, MissingPackage: its text is kept, and
    cannot be unpacked."""
    record = view.catalogue.record(number)
    try:
        recipe.rule_for(record.kind)
    except UnknownKind:
        return Read("unavailable")
    original = sources.find(view, number, record)
    if original.content is None:
        return Read(original.state)
    try:
        for name in (record.name.decode("utf-8", "surrogateescape"), record.source, None):  # may tell the language
            found = recipe.fingerprint(original.content, record.kind, purpose="search", name=name)
            if found.symbols == record.symbols:
                return Read.of(found)
    except (Unreadable, MissingPackage):
        pass
    return Read("unavailable")  # or it is read otherwise today


def symbols_of(found: Fingerprints) -> Symbols:
    """The symbols that fingerprints came with."""
    if found.source is None:
        raise ValueError("the fingerprints came without the document's symbols")
    return found.source


class Alike(NamedTuple):
    """Where a document is like the query, in symbols, and how much of either lies in regions; and what was read."""

    regions: list[Region]
    query_coverage: float
    document_coverage: float
    read: Read


class Evidence:
    """Finds the regions of a query document and others."""

    def __init__(self, view: Reader, recipe: Recipe, found: Fingerprints, ignored: U64, gap: int) -> None:
        """found: the query's fingerprints, with its symbols. ignored: hashes that do not count, beside boilerplate.
        gap: regions that are no farther apart, in symbols, are joined. Raises BadQuery, Corrupt."""
        if isinstance(gap, bool) or not isinstance(gap, int) or gap < 0:
            raise BadQuery(f"gap is a number of symbols, 0 or more, not {gap!r}")
        rule = recipe.rule_for(found.kind)[1]
        scheme = find_scheme(rule.scheme)
        self._view, self._recipe, self._gap = view, recipe, gap
        self._k = rule.k
        self._slack = max(rule.k, int(rule.parameters[scheme.window]) if scheme.window else 0)
        self._whole = scheme.sampling is None and not scheme.fixed_size  # else samples, of which none are consecutive
        self._symbols = symbols_of(found)
        self._ours = LineIndex(self._symbols)
        self._selected = _selected(found, self._whole)
        hashes = self._selected.hashes
        boilerplate = view.boilerplate()
        common = contains(np.sort(ignored), hashes)
        self._counted = sorted_distinct(hashes[~(contains(boilerplate, hashes) | common)])
        passages = self._selected.positions[common].astype(np.int64)
        if len(boilerplate):  # of which no k-gram is taken in, selected or not
            all_kgrams = recipe.hash_kgrams(found.kind, self._symbols)
            passages = np.union1d(passages, np.flatnonzero(contains(boilerplate, all_kgrams)))
        self._within = passages + 1, passages + self._k - 1

    def align(self, documents: Sequence[int], sources: Sources) -> Iterator[Alike]:
        """Align each document with the query, in order. Raises Corrupt, MissingPackage."""
        return self.compare(documents, lambda number: read_document(self._view, self._recipe, number, sources))

    def locate(self, alike: Alike) -> list[MatchedRegion]:
        """Return the regions of an alignment as `Match` has them."""
        return locate_regions(alike.regions, self._ours, alike.read.original)

    def compare(self, documents: Sequence[int], read: Callable[[int], Read]) -> Iterator[Alike]:
        """Where each of some documents, all of them different, is like the query; in order. Raises Corrupt."""
        for start in range(0, len(documents), AT_ONCE):
            some = documents[start : start + AT_ONCE]
            records = [self._view.catalogue.record(number) for number in some]
            originals = list(map(read, some))
            stored = self._stored([number for number, one in zip(some, originals, strict=True) if not one.fingerprints])
            for number, record, one in zip(some, records, originals, strict=True):
                yield self._compare(record, one, stored.get(number))

    def _stored(self, numbers: Sequence[int]) -> dict[int, Selected]:
        """Where the store says that these documents hold the query's hashes."""
        if not numbers:
            return {}
        asked = np.array(sorted(numbers), np.uint32)
        indices, documents, positions = self._view.find_occurrences(self._counted, asked)
        order = np.lexsort((positions, documents))
        indices, documents, positions = indices[order], documents[order], positions[order]
        found = {}
        for number in asked.tolist():
            own = slice(*np.searchsorted(documents, [number, number + 1]).tolist())
            found[int(number)] = Selected(self._counted[indices[own]], positions[own], whole=False)
        return found

    def _compare(self, record: Record, read: Read, stored: Selected | None) -> Alike:
        if read.fingerprints is not None:
            selected = _selected(read.fingerprints, self._whole)
        else:
            selected = stored or Selected(self._counted[:0], np.empty(0, np.uint32))
        shared = self._counted[contains(np.sort(selected.hashes), self._counted)]
        regions = find_regions(self._selected, selected, shared, self._k, self._slack)
        if read.original is not None:
            regions = extend(self._symbols.values, read.original.symbols.values, regions, self._within)
        if self._gap:
            regions = bridge(regions, self._gap)
        return Alike(sorted(regions), *coverages(regions, len(self._symbols), record.symbols), read)


def _selected(found: Fingerprints, whole: bool) -> Selected:
    placed = found.positions != NO_POSITION
    return Selected(found.hashes[placed], found.positions[placed], whole)
