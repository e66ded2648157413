"""Spans: which characters of a document to cut, so that no passage is left that others have too.

Passages are regions. Those of several documents are merged, widened if that is asked for, and merged again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32
from fpdb.errors import BadQuery
from fpdb.gc_control import gc_paused
from fpdb.pairs.compared_set import ComparedSet
from fpdb.pairs.counting import PairCounter
from fpdb.pairs.keep_policy import KeepRule, keep_order
from fpdb.pairs.options import PairOptions, Watch
from fpdb.pairs.passage_finder import Passage, PassageFinder
from fpdb.pairs.results import Comparison, IgnoredHashes
from fpdb.regions.pair_aligner import PairAligner
from fpdb.regions.region import RegionOptions
from fpdb.regions.sources import Contents, SourceState
from fpdb.search.results import Answer
from fpdb.spool import spool
from fpdb.storage.index_reader import IndexReader
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
        Passage(*region.a.interval, match.name, region.matched_fingerprints)
        for match in answer.matches
        for region in match.regions or ()
    )
    query = answer.query
    ignored = IgnoredHashes(query.max_df or 0, query.ignored_common, None)
    return Comparison(merge_passages(query.name or "-", text, passages, cut), ignored)


def spans_of_pairs(
    reader: IndexReader, contents: Contents, options: PairOptions, keep: str, cut: Cut, watch: Watch | None = None
) -> Comparison[Span]:
    """Return the spans of all documents, by name, then in order: of each pair, the document that is kept later is cut.

    The order is told by `keep`, see `KeepRule`. Memory is that of `PairCounter` and 12 bytes a pair that passes.
    Raises BadQuery, Corrupt, MissingPackage.
    """
    if options.by_owner:
        raise BadQuery("spans are of documents, not of owners: leave by_owner out")
    if options.top is not None:
        raise BadQuery("spans are of all pairs that pass: leave top out")
    rule = KeepRule.parse(keep)
    counter = PairCounter(reader, options, watch, contents=contents)
    region_options = RegionOptions.of(cut.gap, 1, repeats=True)
    find_common = counter.common_hashes().among
    aligner = PairAligner(reader, *contents, find_common=find_common, region_options=region_options)
    places = keep_order(reader, counter.compared_set, rule)
    cuts = _cut_later(reader, aligner, counter, places, cut)
    return counter.compared(spool(cuts, astuple, lambda values: Span(*values)))


def _cut_later(
    reader: IndexReader, aligner: PairAligner, counter: PairCounter, places: I64, cut: Cut
) -> Iterator[Span]:
    """Yield the spans; places: the order in which ranks are kept."""
    compared_set = counter.compared_set
    finder = PassageFinder(reader, aligner, compared_set)
    order = np.argsort(compared_set.name_order)
    for later, earlier, shared in _by_later(counter, places, order):
        first = np.lexsort((compared_set.name_order[earlier], -shared.astype(np.int64)))
        with gc_paused():
            spans = list(
                _spans_of_document(aligner, finder, compared_set, (later, earlier[first], int(shared[first[0]])), cut)
            )
        yield from spans


def _by_later(counter: PairCounter, places: I64, order: NDArray[np.intp]) -> Iterator[tuple[int, U32, U32]]:
    """Yield the ranks that are kept later, in this order, with the earlier ones of their pairs, and what they share."""
    batches: list[tuple[NDArray[np.intp], I64, list[U32]]] = []  # ranks, their numbers of pairs, and these in columns
    counts = np.zeros(len(order), np.int64)
    for pairs in counter.batches():
        first = places[pairs.a] < places[pairs.b]
        later = np.where(first, pairs.b, pairs.a)
        by_later = np.argsort(later, kind="stable")
        of_batch = np.bincount(later, minlength=len(order))
        ranks = np.flatnonzero(of_batch)
        columns = [np.where(first, pairs.a, pairs.b)[by_later], pairs.shared[by_later]]
        batches.append((ranks, of_batch[ranks], columns))
        counts += of_batch
    ends = np.cumsum(counts)
    earlier_of_all, shared_of_all = (_join_columns(batches, ends - counts) for _ in range(2))
    for rank in order.tolist():
        if counts[rank]:
            part = slice(int(ends[rank] - counts[rank]), int(ends[rank]))
            yield rank, earlier_of_all[part], shared_of_all[part]


def _join_columns(batches: Sequence[tuple[NDArray[np.intp], I64, list[U32]]], starts: I64) -> U32:
    """Take the first column out of the batches, and return it with the values of each rank together, from its start."""
    joined = np.empty(sum(len(columns[0]) for _, _, columns in batches), np.uint32)
    filled = starts.copy()
    for ranks, numbers, columns in batches:
        column = columns.pop(0)
        offsets = np.repeat(filled[ranks] - (np.cumsum(numbers) - numbers), numbers)
        joined[offsets + np.arange(len(column))] = column
        filled[ranks] += numbers
    return joined


def _spans_of_document(
    aligner: PairAligner, finder: PassageFinder, compared_set: ComparedSet, compared: tuple[int, U32, int], cut: Cut
) -> Iterator[Span]:
    """Yield the spans of one document.

    compared: its rank, those of the others, which share the most hashes first, and the number that the first shares.
    """
    rank, others, most = compared
    name, document_id = compared_set.name(rank), int(compared_set.document_ids(rank)[0])
    query = aligner.stored_query(document_id)
    if query is None:
        state = aligner.read(document_id).state
        yield Span(name, None, None, compared_set.name(int(others[0])), most, len(others), state)
        return
    passages, unaligned = finder.find(query, others)
    for span in merge_passages(name, query.original.text.symbols.text, passages, cut):
        more = unaligned.count(span.start or 0, span.end or 0) if unaligned else 0
        yield replace(span, documents=span.documents + more)


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
