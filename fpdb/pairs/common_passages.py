"""Common passages: text that many documents hold, by document frequency, each with a document that shows it.

Reads all postings once, and keeps 20 bytes in memory for each frequent hash. The documents that show passages are read
one at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fpdb.arrays import I64, U32, U64, contains, sorted_distinct
from fpdb.errors import BadQuery
from fpdb.fingerprint import NO_POSITION, Recipe
from fpdb.regions.sources import Sources, SourceState, read_document
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.posting_scan import scan_posting_lists
from fpdb.validation import check_integer


@dataclass(frozen=True, slots=True)
class CommonPassage:
    """A passage that many documents hold.

    Attributes:
        documents: The number of documents that hold the rarest of its fingerprints.
        fingerprints: The number of its fingerprints.
        name: The document added first of those that hold it.
        start, end: The characters [start, end) of that document's decoded text; None if it cannot be read.
        text: The passage itself; None likewise.
        source: "same" if the document could be read, else why not, see `Match`.
        hashes: The hashes of all its k-grams if the document could be read, else of its fingerprints; sorted, (n,).
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
        """Return a plain dict, as `fpdb common --format json` prints it."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "hashes"}


def find_common_passages(
    reader: IndexReader, recipe: Recipe, sources: Sources, *, min_df: int, top: int | None = None
) -> Iterator[CommonPassage]:
    """Return the passages of hashes that `min_df` documents hold or more, boilerplate excluded.

    Those of most documents come first, then those of most fingerprints, then by place. Raises BadQuery, Corrupt,
    MissingPackage.
    """
    check_integer(min_df, "min_df", 2, error=BadQuery)
    if top is not None:
        check_integer(top, "top", 1, error=BadQuery)
    hashes, frequencies, holders = _frequent_hashes(reader, min_df)
    order = np.argsort(holders, kind="stable")  # then by hash, as they were
    passages: list[CommonPassage] = []
    for part in np.split(order, np.flatnonzero(np.diff(holders[order])) + 1) if len(order) else ():
        holder = int(holders[part[0]])
        passages += _passages_of(reader, recipe, sources, holder, (hashes[part], frequencies[part]))
    passages.sort(key=lambda passage: (-passage.documents, -passage.fingerprints))
    return iter(passages[:top])


def _frequent_hashes(reader: IndexReader, min_df: int) -> tuple[U64, I64, U32]:
    """Return the frequent hashes, their document frequencies, and the first document that holds each; shape (n,)."""
    parts: list[tuple[U64, I64, U32]] = [(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.uint32))]
    for lists in scan_posting_lists(reader):
        chosen = lists.frequencies >= min_df
        starts = (np.cumsum(lists.frequencies) - lists.frequencies)[chosen]
        parts.append((lists.hashes[chosen], lists.frequencies[chosen], lists.document_ids[starts]))
    hashes, frequencies, holders = (np.concatenate(column) for column in zip(*parts, strict=True))
    return hashes, frequencies, holders


def _passages_of(
    reader: IndexReader, recipe: Recipe, sources: Sources, document_id: int, frequent: tuple[U64, I64]
) -> Iterator[CommonPassage]:
    """Yield the passages of one document that frequent hashes, sorted, with their frequencies, make up."""
    hashes, frequencies = frequent
    name = reader.catalogue.record(document_id).name.decode("utf-8", "surrogateescape")
    state, original = read_document(reader, recipe, document_id, sources)
    if original is None:
        yield CommonPassage(int(frequencies.min()), len(hashes), name, None, None, None, state, hashes)
        return
    fingerprints, symbols = original.fingerprints, original.text.symbols
    k = recipe.rule_for(fingerprints.kind)[1].k
    chosen = contains(hashes, fingerprints.hashes) & (fingerprints.positions != NO_POSITION)
    positions = fingerprints.positions[chosen].astype(np.int64)
    document_counts = frequencies[np.searchsorted(hashes, fingerprints.hashes[chosen])]
    kgrams = recipe.hash_kgrams(fingerprints.kind, symbols)
    for part in np.split(np.arange(len(positions)), np.flatnonzero(np.diff(positions) > k) + 1):
        if not len(part):
            continue
        first, last = int(positions[part[0]]), int(positions[part[-1]])
        start, end = int(symbols.offsets[first]), int(symbols.ends[last + k - 1])
        text, part_hashes = symbols.text[start:end], sorted_distinct(kgrams[first : last + 1])
        yield CommonPassage(int(document_counts[part].min()), len(part), name, start, end, text, "same", part_hashes)
