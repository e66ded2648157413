"""Frequent passages: what many documents hold, by document frequency, each with a document to show it.

Reads all postings once, and holds 20 bytes in memory for each hash that is frequent. The documents that show them are
read one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fpdb.arrays import I64, U32, U64, contains, sorted_distinct
from fpdb.errors import BadQuery
from fpdb.fingerprint import NO_POSITION, Recipe
from fpdb.regions.sources import Sources, SourceState, read_document
from fpdb.storage.posting_scan import scan_posting_lists
from fpdb.storage.reader import Reader


@dataclass(frozen=True, slots=True)
class Frequent:
    """A passage that many documents hold.

    documents: that hold the rarest of its fingerprints. fingerprints: how many it has. name: the document added first
    of those that hold it. start, end: where it is there, characters of the decoded text; text: what it is. source:
    "same" where that could be read; else why not, see `Match`, and the other three are None. hashes: all its k-grams'
    where it could be read, else its fingerprints'; sorted, shape (n,).
    """

    documents: int
    fingerprints: int
    name: str
    start: int | None
    end: int | None
    text: str | None
    source: SourceState
    hashes: U64 = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """A plain dict, as `fpdb common --format json` prints it."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "hashes"}


def frequent(
    view: Reader, recipe: Recipe, sources: Sources, *, min_df: int, top: int | None = None
) -> Iterator[Frequent]:
    """The passages of hashes that `min_df` documents hold or more, boilerplate left out: those of most documents first,
    then of most fingerprints, then by where they are. Raises BadQuery, Corrupt, MissingPackage."""
    for name, value, least in (("min_df", min_df, 2), ("top", top, 1)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise BadQuery(f"{name} must be a whole number, {least} or more, not {value!r}")
    hashes, counts, holders = _counted(view, min_df)
    order = np.argsort(holders, kind="stable")  # and by hash, as they are
    starts = np.flatnonzero(np.r_[True, holders[order][1:] != holders[order][:-1]][: len(order)])
    found: list[Frequent] = []
    for own in np.split(order, starts[1:]) if len(order) else ():
        found += _passages(view, recipe, sources, int(holders[own[0]]), hashes[own], counts[own])
    found.sort(key=lambda one: (-one.documents, -one.fingerprints))
    yield from found[:top]


def _counted(view: Reader, least: int) -> tuple[U64, I64, U32]:
    """The hashes that so many live documents hold, in how many, and the first of these; shape (n,)."""
    parts: list[tuple[U64, I64, U32]] = [(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.uint32))]
    for lists in scan_posting_lists(view):
        chosen = lists.frequencies >= least
        starts = (np.cumsum(lists.frequencies) - lists.frequencies)[chosen]
        parts.append((lists.hashes[chosen], lists.frequencies[chosen], lists.document_ids[starts]))
    hashes, counts, holders = (np.concatenate(column) for column in zip(*parts, strict=True))
    return hashes, counts, holders


def _passages(
    view: Reader, recipe: Recipe, sources: Sources, number: int, hashes: U64, counts: I64
) -> Iterator[Frequent]:
    """The passages of one document that these hashes make up. hashes: sorted."""
    name = view.catalogue.record(number).name.decode("utf-8", "surrogateescape")
    read = read_document(view, recipe, number, sources)
    if read.original is None:
        yield Frequent(int(counts.min()), len(hashes), name, None, None, None, read.state, hashes)
        return
    found, symbols = read.original.fingerprints, read.original.text.symbols
    k = recipe.rule_for(found.kind)[1].k
    which = contains(hashes, found.hashes) & (found.positions != NO_POSITION)
    positions = found.positions[which].astype(np.int64)
    frequencies = counts[np.searchsorted(hashes, found.hashes[which])]
    kgrams = recipe.hash_kgrams(found.kind, symbols)
    apart = np.flatnonzero(np.diff(positions) > k) + 1
    for start, end in zip([0, *apart.tolist()], [*apart.tolist(), len(positions)], strict=True):
        if start == end:
            continue
        first, last = int(positions[start]), int(positions[end - 1])
        begin, behind = int(symbols.offsets[first]), int(symbols.ends[last + k - 1])
        yield Frequent(
            int(frequencies[start:end].min()),
            end - start,
            name,
            begin,
            behind,
            symbols.text[begin:behind],
            "same",
            sorted_distinct(kgrams[first : last + 1]),
        )
