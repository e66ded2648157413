"""Spans: which characters of a document to cut, so that no passage is left of what it has in common with others.

Passages are the regions of `evidence`. Those of several documents are merged, made longer where that is asked for, and
merged again. Knows no disk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from fpdb.errors import BadQuery
from fpdb.fingerprint import Recipe
from fpdb.pairs.counting import Comparison, PairOptions, Watch
from fpdb.pairs.keep_policy import keep_order, keep_rule
from fpdb.regions.pair_aligner import PairAligner
from fpdb.regions.sources import Sources, SourceState
from fpdb.search.results import Answer
from fpdb.storage import file_format
from fpdb.storage.reader import Reader

WORD: Final = re.compile(r"[\w\u0300-\u036f]")
"""What words are made of: letters and digits of any script, underscores, combining marks."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How passages become spans. Raises BadQuery when made from what makes no sense.

    shortest: characters that a passage has at least, once those that overlap are merged. pad: characters that are added
    on either side of it. snap: whether a span then goes on to the ends of the words that it begins and ends in. gap:
    passages no more symbols apart are one.
    """

    shortest: int = 1
    pad: int = 0
    snap: bool = False
    gap: int = 0

    def __post_init__(self) -> None:
        for name, least in (("shortest", 1), ("pad", 0), ("gap", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise BadQuery(f"{name} must be a whole number, {least} or more, not {value!r}")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of a document's decoded text that others have too.

    with_: of these the one that shares the most fingerprints there, and shared: how many. documents: how many others
    there are. source: "same" where the document's text could be read; else why not, see `Match`, and start and end are
    None.
    """

    name: str
    start: int | None
    end: int | None
    with_: str
    shared: int
    documents: int
    source: SourceState = "same"

    def to_dict(self) -> dict[str, Any]:
        """A plain dict, as `fpdb spans --format json` prints it."""
        return {name.rstrip("_"): getattr(self, name) for name in self.__slots__}


class Passage(NamedTuple):
    """Characters [start, end) that another document has too, and the fingerprints shared in them."""

    start: int
    end: int
    other: str
    shared: int


def merged(name: str, text: str, passages: Iterable[Passage], cut: Cut) -> Iterator[Span]:
    """The spans to cut of a document, in order; none overlaps or touches another one."""
    groups = [group for group in _joined((one.start, one.end, [one]) for one in passages) if _long(group, cut)]
    for start, end, group in _joined((*_widened(text, start, end, cut), group) for start, end, group in groups):
        shared = Counter[str]()
        for passage in group:
            shared[passage.other] += passage.shared
        first = min(shared, key=lambda other: (-shared[other], other.encode("utf-8", "surrogateescape")))
        yield Span(name, start, end, first, shared[first], len(shared))


def of_answer(answer: Answer, text: str, cut: Cut) -> Iterator[Span]:
    """The spans of a query's text that its matches have too; they have their regions."""
    passages = (
        Passage(*region.a.interval, match.name, region.shared)
        for match in answer.matches
        for region in match.regions or ()
    )
    yield from merged(answer.query.name or "-", text, passages, cut)


def of_pairs(
    view: Reader,
    recipe: Recipe,
    sources: Sources,
    options: PairOptions,
    keep: str,
    cut: Cut,
    watch: Watch | None = None,
) -> Iterator[Span]:
    """The spans of all documents that one which is kept before them has too: of each pair that passes the later one is
    cut. By name, then in order. Memory is that of `Comparison` and 8 bytes a pair that passes. Raises BadQuery,
    Corrupt, MissingPackage."""
    if options.by_owner:
        raise BadQuery("spans are of documents, not of owners: leave by_owner out")
    if options.top is not None:
        raise BadQuery("spans are of all pairs that pass: leave top out")
    keep_rule(keep)
    comparison = Comparison(view, options, watch)
    documents = comparison.documents
    batches = [np.stack((found.a, found.b, found.shared)) for found in comparison.batches()]
    links = np.concatenate([np.empty((3, 0), np.uint32), *batches], axis=1)
    if not links.shape[1]:
        return
    places = keep_order(view, documents, keep)
    first = places[links[0]] < places[links[1]]
    later, earlier = np.where(first, links[1], links[0]), np.where(first, links[0], links[1])
    order = np.lexsort((documents.order[earlier], documents.order[later]))
    later, earlier, shared = later[order], earlier[order], links[2][order]
    starts = np.flatnonzero(np.r_[True, later[1:] != later[:-1]])
    cutter = _Cutter(view, recipe, sources, comparison.max_df, cut)
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(later)], strict=True):
        others = [documents.name(rank) for rank in earlier[start:end].tolist()]
        yield from cutter.spans(documents.name(int(later[start])), others, shared[start:end].tolist())


class _Cutter:
    """Finds the spans of one document after the other."""

    def __init__(self, view: Reader, recipe: Recipe, sources: Sources, cap: int, cut: Cut) -> None:
        self._view, self._cut = view, cut
        self._beside = PairAligner(view, recipe, sources, max_df=cap, gap=cut.gap)

    def spans(self, name: str, others: Sequence[str], shared: Sequence[int]) -> Iterator[Span]:
        """others: the documents that it is compared with, in order of names; shared: fingerprints, each."""
        number = self._number(name)
        read, query = self._beside.read(number), self._beside.stored_query(number)
        if read.original is None or query is None:
            most = max(range(len(others)), key=lambda index: (shared[index], -index))
            yield Span(name, None, None, others[most], shared[most], len(others), read.state)
            return
        found = self._beside.align_query(query, [self._number(other) for other in others])
        passages = (
            Passage(*place.interval, other, region.shared)
            for other, alike in zip(others, found, strict=True)
            for region in alike.regions or ()
            for place in [read.original.text.locate(region.a_start, region.a_end)]
        )
        yield from merged(name, read.original.text.symbols.text, passages, self._cut)

    def _number(self, name: str) -> int:
        key = file_format.name_bytes(name)
        return self._view.find_by_name([key])[key][0]


Group = tuple[int, int, list[Passage]]


def _joined(groups: Iterable[Group]) -> list[Group]:
    """Groups that overlap or touch as one; in order."""
    done: list[Group] = []
    for start, end, passages in sorted(groups, key=lambda group: group[:2]):
        if done and start <= done[-1][1]:
            last = done.pop()
            last[2].extend(passages)
            done.append((last[0], max(end, last[1]), last[2]))
        else:
            done.append((start, end, passages))
    return done


def _long(group: Group, cut: Cut) -> bool:
    return group[1] - group[0] >= cut.shortest


def _widened(text: str, start: int, end: int, cut: Cut) -> tuple[int, int]:
    start, end = max(start - cut.pad, 0), min(end + cut.pad, len(text))
    if cut.snap:
        while 0 < start < len(text) and WORD.match(text, start) and WORD.match(text, start - 1):
            start -= 1
        while 0 < end < len(text) and WORD.match(text, end - 1) and WORD.match(text, end):
            end += 1
    return start, end
