"""Evidence: where in both documents the ranked matches are.

Fingerprints that both share become regions (`regions`), whose ends are extended where the document's original can be
had and is unchanged; else the positions in the store say what they can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import BadQuery, MissingPackage, UnknownKind, Unreadable
from fpdb.fingerprint import NO_POSITION, Fingerprints, Recipe, find_scheme
from fpdb.match.answers import Answer
from fpdb.match.locating import Original
from fpdb.match.queries import Ranked, sorted_distinct
from fpdb.match.regions import Region, Selected, bridge, coverage, extend, find_regions
from fpdb.match.sources import Sources, SourceState
from fpdb.store.layout import Record
from fpdb.store.runs import contains
from fpdb.store.snapshot import Snapshot

I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]


class Read(NamedTuple):
    """What came of looking for a document's original, and its fingerprints where it is the same."""

    state: SourceState
    fingerprints: Fingerprints | None = None


def read_document(view: Snapshot, recipe: Recipe, number: int, sources: Sources) -> Read:
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
                return Read("same", found)
    except (Unreadable, MissingPackage):
        pass
    return Read("unavailable")  # or it is read otherwise today


class Places(NamedTuple):
    """Where a document is like the query: what `Match` has under these names."""

    query_coverage: float
    document_coverage: float
    source: SourceState
    regions: list[dict[str, Any]]


class Evidence:
    """Finds the regions of a query document and others."""

    def __init__(self, view: Snapshot, recipe: Recipe, found: Fingerprints, ignored: U64, gap: int) -> None:
        """found: the query's fingerprints, with their source. ignored: hashes that do not count, beside boilerplate.
        gap: regions that are no farther apart, in symbols, are joined. Raises BadQuery, Corrupt."""
        if isinstance(gap, bool) or not isinstance(gap, int) or gap < 0:
            raise BadQuery(f"gap is a number of symbols, 0 or more, not {gap!r}")
        rule = recipe.rule_for(found.kind)[1]
        scheme = find_scheme(rule.scheme)
        self._view, self._recipe, self._gap = view, recipe, gap
        self._k = rule.k
        self._slack = max(rule.k, int(rule.parameters[scheme.window]) if scheme.window else 0)
        self._whole = scheme.sampling is None and not scheme.fixed  # else samples, of which none are consecutive
        if found.source is None:
            raise ValueError("the query's fingerprints came without its symbols")
        self._query = found.source
        self._ours = Original(found.source)
        self._selected = _selected(found, self._whole)
        hashes = self._selected.hashes
        boilerplate = view.boilerplate()
        common = contains(np.sort(ignored), hashes)
        self._counted = sorted_distinct(hashes[~(contains(boilerplate, hashes) | common)])
        passages = self._selected.positions[common].astype(np.int64)
        if len(boilerplate):  # of which no k-gram is taken in, selected or not
            all_kgrams = recipe.kgrams(found.kind, found.source)
            passages = np.union1d(passages, np.flatnonzero(contains(boilerplate, all_kgrams)))
        self._within = passages + 1, passages + self._k - 1

    def attach(self, ranked: Ranked, sources: Sources) -> Answer:
        """The answer, each match with its regions and what they cover. Raises Corrupt, MissingPackage."""
        found = self.find(ranked.documents, lambda number, _: read_document(self._view, self._recipe, number, sources))
        matches = [
            match._replace(**places._asdict()) for match, places in zip(ranked.answer.matches, found, strict=True)
        ]
        return replace(ranked.answer, matches=matches)

    def find(self, documents: Sequence[int], read_one: Callable[[int, Record], Read]) -> list[Places]:
        """Where each of some documents, all of them different, is like the query. Raises Corrupt."""
        records = {number: self._view.catalogue.record(number) for number in documents}
        read = {number: read_one(number, record) for number, record in records.items()}
        stored = self._stored([number for number, text in read.items() if text.fingerprints is None])
        return [self._places(records[number], read[number], stored.get(number)) for number in documents]

    def _stored(self, numbers: Sequence[int]) -> dict[int, Selected]:
        """Where the store says that these documents hold the query's hashes."""
        if not numbers:
            return {}
        asked = np.array(sorted(numbers), np.uint32)
        indices, documents, positions = self._view.places(self._counted, asked)
        order = np.lexsort((positions, documents))
        indices, documents, positions = indices[order], documents[order], positions[order]
        found = {}
        for number in asked.tolist():
            own = slice(*np.searchsorted(documents, [number, number + 1]).tolist())
            found[int(number)] = Selected(self._counted[indices[own]], positions[own], whole=False)
        return found

    def _places(self, record: Record, text: Read, stored: Selected | None) -> Places:
        theirs = None
        if text.fingerprints is not None and text.fingerprints.source is not None:
            selected = _selected(text.fingerprints, self._whole)
            theirs = Original(text.fingerprints.source)
        else:
            selected = stored or Selected(self._counted[:0], np.empty(0, np.uint32))
        shared = self._counted[contains(np.sort(selected.hashes), self._counted)]
        regions = find_regions(self._selected, selected, shared, self._k, self._slack)
        if theirs is not None:
            regions = extend(self._query.values, theirs.symbols.values, regions, self._within)
        if self._gap:
            regions = bridge(regions, self._gap)
        return Places(
            coverage(((r.query_start, r.query_end) for r in regions), len(self._query)),
            coverage(((r.document_start, r.document_end) for r in regions), record.symbols),
            text.state,
            [_to_dict(region, self._ours, theirs) for region in sorted(regions)],
        )


def _to_dict(region: Region, ours: Original, theirs: Original | None) -> dict[str, Any]:
    start, end = region.document_start, region.document_end
    return {
        "query": ours.locate(region.query_start, region.query_end),
        "document": {"first_symbol": start, "last_symbol": end - 1} if theirs is None else theirs.locate(start, end),
        "shared": region.shared,
    }


def _selected(found: Fingerprints, whole: bool) -> Selected:
    placed = found.positions != NO_POSITION
    return Selected(found.hashes[placed], found.positions[placed], whole)
