"""Spans: which characters of a document to cut, so that no passage is left that others have too.

Passages are regions. Those of several documents are merged, widened if that is asked for, and merged again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from fpdb.arrays import I64
from fpdb.errors import BadQuery
from fpdb.pairs.counting import PairCounter
from fpdb.pairs.keep_policy import KeepRule, keep_order
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.results import Comparison, IgnoredHashes
from fpdb.regions.pair_aligner import PairAligner
from fpdb.regions.sources import SourceState
from fpdb.search.results import Answer
from fpdb.spool import spool
from fpdb.storage import file_format
from fpdb.storage.reader import Reader, find_listed
from fpdb.validation import check_integer

WORD: Final = re.compile(r"[\w\u0300-\u036f]")
"""A character of a word: a letter or digit of any script, an underscore, a combining mark."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Options that turn passages into spans. Raises BadQuery when made from invalid values.

    Attributes:
        shortest: The characters that a passage has at least, once overlapping ones are merged.
        pad: The characters that are added on either side.
        snap: Widen a span to the ends of the words that it begins and ends in.
        gap: Passages no more symbols apart are one.
    """

    shortest: int = 1
    pad: int = 0
    snap: bool = False
    gap: int = 0

    def __post_init__(self) -> None:
        """Check the values."""
        for name, minimum in (("shortest", 1), ("pad", 0), ("gap", 0)):
            check_integer(getattr(self, name), name, minimum, error=BadQuery)


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a document that others have too.

    Attributes:
        name: The document.
        start, end: The characters [start, end) of the decoded text; None if it could not be read.
        with_: The other document that shares the most fingerprints there.
        shared: The number of these fingerprints.
        documents: The number of other documents.
        source: "same" if the text could be read, else why not, see `Match`.
    """

    name: str
    start: int | None
    end: int | None
    with_: str
    shared: int
    documents: int
    source: SourceState = "same"

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dict, as `fpdb spans --format json` prints it."""
        return {name.rstrip("_"): getattr(self, name) for name in self.__slots__}


class Passage(NamedTuple):
    """Characters [start, end) that another document has too, and the number of fingerprints shared in them."""

    start: int
    end: int
    other: str
    shared: int


def merge_passages(name: str, text: str, passages: Iterable[Passage], cut: Cut) -> Iterator[Span]:
    """Yield the spans to cut of a document, in order, none touching another one."""
    merged = _merged((passage.start, passage.end, [passage]) for passage in passages)
    widened = [(*_widened(text, start, end, cut), group) for start, end, group in merged if end - start >= cut.shortest]
    for start, end, group in _merged(widened):
        shared = Counter[str]()
        for passage in group:
            shared[passage.other] += passage.shared
        first = min(shared, key=lambda other: (-shared[other], other.encode("utf-8", "surrogateescape")))
        yield Span(name, start, end, first, shared[first], len(shared))


def compare_answer(answer: Answer, text: str, cut: Cut) -> Comparison[Span]:
    """Return the spans of a query's text that its matches, which have their regions, have too."""
    passages = (
        Passage(*region.a.interval, match.name, region.shared)
        for match in answer.matches
        for region in match.regions or ()
    )
    query = answer.query
    ignored = IgnoredHashes(query.max_df or 0, query.ignored_common, None)
    return Comparison(merge_passages(query.name or "-", text, passages, cut), ignored)


def spans_of_pairs(
    reader: Reader, aligner: PairAligner, options: PairOptions, keep: str, cut: Cut, watch: Watch | None = None
) -> Comparison[Span]:
    """Return the spans of all documents, by name, then in order: of each pair, the document that is kept later is cut.

    The order is told by `keep`, see `KeepRule`. Memory is that of `PairCounter` and 8 bytes a pair that passes.
    Raises BadQuery, Corrupt, MissingPackage.
    """
    if options.by_owner:
        raise BadQuery("spans are of documents, not of owners: leave by_owner out")
    if options.top is not None:
        raise BadQuery("spans are of all pairs that pass: leave top out")
    rule = KeepRule.parse(keep)
    counter = PairCounter(reader, options, watch, contents=aligner.contents)
    places = keep_order(reader, counter.corpus, rule)
    cuts = _cut_later(reader, aligner, counter, places, cut)
    return counter.compared(spool(cuts, astuple, lambda values: Span(*values)))


def _cut_later(reader: Reader, aligner: PairAligner, counter: PairCounter, places: I64, cut: Cut) -> Iterator[Span]:
    """Yield the spans; places: the order in which ranks are kept."""
    batches = [np.stack((pairs.a, pairs.b, pairs.shared)) for pairs in counter.batches()]
    a, b, shared = np.concatenate([np.empty((3, 0), np.uint32), *batches], axis=1)
    if not len(a):
        return
    corpus = counter.corpus
    first = places[a] < places[b]
    later, earlier = np.where(first, b, a), np.where(first, a, b)
    order = np.lexsort((corpus.name_order[earlier], corpus.name_order[later]))
    later, earlier, shared = later[order], earlier[order], shared[order]
    for part in np.split(np.arange(len(later)), np.flatnonzero(np.diff(later)) + 1):
        others = dict(zip(map(corpus.name, earlier[part].tolist()), shared[part].tolist(), strict=True))
        yield from _spans_of_document(reader, aligner, corpus.name(int(later[part[0]])), others, cut)


def _spans_of_document(
    reader: Reader, aligner: PairAligner, name: str, others: dict[str, int], cut: Cut
) -> Iterator[Span]:
    """Yield the spans of one document. others: the documents to compare with, and the hashes shared with each."""
    keys = [file_format.name_bytes(other) for other in (name, *others)]
    ids = find_listed(reader, keys)
    document_id, *other_ids = (ids[key] for key in keys)
    query = aligner.stored_query(document_id)
    if query is None:
        most = max(others, key=others.__getitem__)
        yield Span(name, None, None, most, others[most], len(others), aligner.read(document_id).state)
        return
    text = query.original.text
    passages = (
        Passage(*text.locate(region.a_start, region.a_end).interval, other, region.shared)
        for other, alignment in zip(others, aligner.align_query(query, other_ids), strict=True)
        for region in alignment.regions or ()
    )
    yield from merge_passages(name, text.symbols.text, passages, cut)


Group = tuple[int, int, list[Passage]]


def _merged(groups: Iterable[Group]) -> list[Group]:
    """Merge groups that overlap or touch; return them in order."""
    merged: list[Group] = []
    for start, end, passages in sorted(groups, key=lambda group: group[:2]):
        if merged and start <= merged[-1][1]:
            last_start, last_end, last_passages = merged[-1]
            last_passages.extend(passages)
            merged[-1] = last_start, max(end, last_end), last_passages
        else:
            merged.append((start, end, passages))
    return merged


def _widened(text: str, start: int, end: int, cut: Cut) -> tuple[int, int]:
    start, end = max(start - cut.pad, 0), min(end + cut.pad, len(text))
    if cut.snap:
        while 0 < start < len(text) and WORD.match(text, start) and WORD.match(text, start - 1):
            start -= 1
        while 0 < end < len(text) and WORD.match(text, end - 1) and WORD.match(text, end):
            end += 1
    return start, end
