"""Gathering: the sources and regions of pairs and matches, for a page. Knows no HTML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import Unreadable
from fpdb.fingerprint import Fingerprints, Recipe
from fpdb.match.answers import Answer, Match
from fpdb.match.collection import owner_rule
from fpdb.match.comparison import PairOptions, cap_of
from fpdb.match.evidence import Evidence, Places, Read, read_document
from fpdb.match.pairs import Pair
from fpdb.match.pairs import pairs as pairs_of
from fpdb.match.queries import sorted_distinct
from fpdb.match.report.contents import Column, Contents, Limits, Region, Row, Source
from fpdb.match.report.page import check_packages, escaped_json, render
from fpdb.match.report.positions import Positions
from fpdb.match.sources import Sources
from fpdb.store import layout
from fpdb.store.snapshot import Snapshot

U64 = NDArray[np.uint64]

KEPT: Final = 256
"""Documents whose fingerprints are kept while others are compared with them."""

OF_OWNERS: Final = 3
"""Pairs of documents that stand under a pair of owners."""

CONNECT: Final = 0.5

SHARED = Column("shared", "fingerprints that both have", share=False)
RESEMBLANCE = Column("resemblance", "how much of both together they share")
REGIONS = Column("regions", "stretches of text that are alike", share=False)
PAIR_COLUMNS = (
    SHARED,
    Column("A in B", "how much of A is in B"),
    Column("B in A", "how much of B is in A"),
    RESEMBLANCE,
    REGIONS,
)
QUERY_COLUMNS = (
    SHARED,
    Column("containment", "how much of the query is in the document"),
    Column("reverse", "how much of the document is in the query"),
    RESEMBLANCE,
    REGIONS,
)


class Report:
    """A page that is filled with answers or with pairs, and then written; made by `Database.report`."""

    def __init__(
        self,
        snapshot: Callable[[], AbstractContextManager[Snapshot]],
        recipe: Recipe,
        sources: Sources,
        *,
        by: str = "containment",
        connect: float | None = None,
        limits: Limits | None = None,
    ) -> None:
        """sources: of documents' contents. by: the measure that rows are ranked by. connect: the score from which pairs
        are clustered, by default CONNECT. Raises MissingPackage."""
        check_packages()
        self._snapshot, self._recipe, self._sources = snapshot, recipe, sources
        self._by = "containment" if by == "shared" else by
        self._connect = CONNECT if connect is None else connect
        self.limits = limits or Limits()
        self._contents = Contents("Report", "pair", ("A", "B"), self._by.replace("_", " "), ())
        self._index: dict[tuple[str, str], int] = {}
        self._room = self.limits.text

    def html(self) -> str:
        """The page. The same for the same sources and answers."""
        return render(self._contents, self.limits)

    # ------------------------------------------------------------ answers

    def add_answer(self, answer: Answer, content: str | bytes) -> None:
        """One query's matches, which have their regions. content: the query's. Raises Corrupt."""
        page = self._contents
        page.title, page.noun, page.sides = "Matches", "match", ("query", "document")
        page.columns = QUERY_COLUMNS
        room = self.limits.rows - len(page.rows)
        page.more |= len(answer.matches) > room
        if not answer.matches or room <= 0:
            return
        found = self._fingerprints(content, answer.query.kind, answer.query.name)
        ours = self._source("query", answer.query.name or "-", Read("same", found) if found else Read("unavailable"))
        with self._snapshot() as view:
            for match in answer.matches[:room]:
                page.rows.append(self._match_row(view, ours, match))

    def _fingerprints(self, content: str | bytes, kind: str, name: str | None) -> Fingerprints | None:
        try:
            return self._recipe.fingerprint(content, kind, purpose="search", name=name)
        except Unreadable:
            return None

    def _match_row(self, view: Snapshot, ours: int, match: Match) -> Row:
        theirs = self._index.get(("document", match.name))
        if theirs is None:
            number = view.catalogue.find(layout.name_bytes(match.name))
            read = Read("unavailable")
            if number is not None:
                read = read_document(view, self._recipe, number, self._sources)
            theirs = self._source("document", match.name, read)
        values = [match.shared, match.containment, match.reverse_containment, match.resemblance]
        row = Row(
            ours,
            theirs,
            float(getattr(match, self._by)),
            [*values, None if match.regions is None else len(match.regions)],
        )
        _place(row, match.regions)
        return row

    # ------------------------------------------------------------ pairs

    def add_pairs(
        self, pairs: Iterable[Pair], *, by_owner: bool = False, owners: str = "label:owner", max_df: int | None = None
    ) -> None:
        """Pairs, ranked. The rest says how they were made, see `PairOptions`: hashes that max_df left out are in no
        region; pairs of owners come each with its best pairs of documents, OF_OWNERS of them at most. Raises BadQuery,
        Corrupt."""
        page = self._contents
        page.title, page.columns, page.connect = "Pairs", PAIR_COLUMNS, self._connect
        listed = list(islice(pairs, self.limits.rows + 1))
        page.more |= len(listed) > self.limits.rows
        listed = listed[: self.limits.rows]
        with self._snapshot() as view:
            cap = cap_of(max_df, view.state.documents)
            if not by_owner:
                page.rows += self._pair_rows(view, listed, cap)
                return
            page.sides = "owner A", "owner B"
            page.notes.append(
                "Owners were compared, the documents of each taken as one. Under each pair stand those of their "
                f"documents that are the most alike, {OF_OWNERS} pairs at most."
            )
            groups = _best_pairs(view, listed, PairOptions(by=self._by, owners=owners, max_df=max_df))
            parts = iter(self._pair_rows(view, [pair for group in groups for pair in group], cap))
            for pair, group in zip(listed, groups, strict=True):
                own = [replace(row, part=True) for row in islice(parts, len(group))]
                page.rows += [self._owner_row(pair, own), *own]

    def _owner_row(self, pair: Pair, parts: Sequence[Row]) -> Row:
        a, b = (self._source("owner", name, Read("unavailable")) for name in (pair.a, pair.b))
        regions = [len(row.regions) for row in parts if row.regions is not None]
        return Row(a, b, self._pair_score(pair), [*_pair_values(pair), sum(regions) if regions else None])

    def _pair_rows(self, view: Snapshot, pairs: Sequence[Pair], cap: int) -> list[Row]:
        """In the order of the pairs. Those of one first document are compared together. cap: see `cap_of`."""

        def ignored(hashes: U64) -> U64:
            return hashes[view.look_up(hashes, cap=cap).capped] if cap else hashes[:0]

        @lru_cache(maxsize=KEPT)
        def read(name: str) -> tuple[int, Read]:
            number = view.catalogue.find(layout.name_bytes(name))
            if number is None:  # it was removed meanwhile
                return -1, Read("unavailable")
            return number, read_document(view, self._recipe, number, self._sources)

        evidence_of = partial(self._evidence, view, ignored=ignored)
        groups: dict[str, list[int]] = defaultdict(list)
        for index, pair in enumerate(pairs):
            groups[pair.a].append(index)
        rows: dict[int, Row] = {}
        unread: dict[int, tuple[int, int]] = {}
        for name, indices in groups.items():
            evidence = evidence_of(read(name)[1])
            for index in indices:
                rows[index] = self._pair_row(pairs[index], read, evidence, evidence_of)
                if rows[index].regions is None:
                    unread[index] = read(pairs[index].a)[0], read(pairs[index].b)[0]
        there = {index: numbers for index, numbers in unread.items() if min(numbers) >= 0}
        positions = Positions(view, self._recipe, {number for numbers in there.values() for number in numbers}, ignored)
        for index, numbers in there.items():
            _place(rows[index], positions.regions(*numbers))
        return [_counted(rows[index]) for index in range(len(pairs))]

    def _evidence(self, view: Snapshot, read: Read, ignored: Callable[[U64], U64]) -> Evidence | None:
        if read.fingerprints is None:
            return None
        hashes = ignored(sorted_distinct(read.fingerprints.hashes))
        return Evidence(view, self._recipe, read.fingerprints, hashes, 0)

    def _pair_row(
        self,
        pair: Pair,
        read: Callable[[str], tuple[int, Read]],
        evidence: Evidence | None,
        evidence_of: Callable[[Read], Evidence | None],
    ) -> Row:
        """evidence: that of the first document, if it can be read; else that of the second one is asked for. No regions
        if that cannot be read either."""
        (first, one), (second, other) = read(pair.a), read(pair.b)
        a, b = self._source("document", pair.a, one), self._source("document", pair.b, other)
        row = Row(a, b, self._pair_score(pair), _pair_values(pair))
        if min(first, second) < 0:
            return row
        if evidence is not None:
            _place(row, _only(evidence.find([second], lambda *_: other)).regions)
        elif (turned := evidence_of(other)) is not None:
            places = _only(turned.find([first], lambda *_: one)).regions
            _place(row, [{**place, "query": place["document"], "document": place["query"]} for place in places])
        return row

    def _pair_score(self, pair: Pair) -> float:
        if self._by.endswith("resemblance"):
            return float(getattr(pair, self._by))
        return max(float(getattr(pair, f"{self._by}_{side}")) for side in "ab")

    # ------------------------------------------------------------ sources

    def _source(self, role: str, name: str, read: Read) -> int:
        """The index of a source on the page, with its text if there is room for it."""
        key = role, name
        if key not in self._index:
            source = Source(name, read.state)
            if read.fingerprints is not None and read.fingerprints.source is not None:
                text = read.fingerprints.source.text
                size = len(escaped_json(text).encode()) if len(text) <= self._room else self._room + 1
                if size <= self._room:
                    self._room -= size
                    source.text = text
                else:
                    source.state = "omitted"
            self._index[key] = len(self._contents.sources)
            self._contents.sources.append(source)
        return self._index[key]


def _best_pairs(view: Snapshot, listed: Sequence[Pair], options: PairOptions) -> list[list[Pair]]:
    """For each pair of owners, the first pairs of their documents, each in the order of its owners. Raises Corrupt."""
    groups: dict[tuple[str, str], list[Pair]] = {(pair.a, pair.b): [] for pair in listed}
    rule = owner_rule(options.owners)

    @cache
    def owner(name: str) -> str:
        number = view.catalogue.find(layout.name_bytes(name))
        found = None if number is None else rule(view.catalogue.record(number))
        return name if found is None else found.decode("utf-8", "surrogateescape")

    for pair in pairs_of(view, options) if groups else ():
        a, b = owner(pair.a), owner(pair.b)
        if (b, a) in groups:
            pair, a, b = pair.turned(), b, a
        if len(groups.get((a, b), ())) < OF_OWNERS and (a, b) in groups:
            groups[a, b].append(pair)
    return list(groups.values())


def _only(places: Sequence[Places]) -> Places:
    (place,) = places
    return place


def _pair_values(pair: Pair) -> list[float | int | None]:
    return [pair.shared, pair.containment_a, pair.containment_b, pair.resemblance]


def _counted(row: Row) -> Row:
    """The row with the number of its regions as its last value."""
    row.values.append(None if row.regions is None else len(row.regions))
    return row


def _place(row: Row, places: Sequence[dict[str, Any]] | None) -> None:
    """Gives the row its regions."""
    if places is None:
        return
    spans = [(_span(place["query"]), _span(place["document"]), int(place["shared"])) for place in places]
    row.regions = sorted(Region(*one, *other, shared) for one, other, shared in spans)
    if places:
        row.symbols = "start" not in places[0]["query"], "start" not in places[0]["document"]


def _span(place: dict[str, int]) -> tuple[int, int]:
    if "start" in place:
        return place["start"], place["end"]
    return place["first_symbol"], place["last_symbol"] + 1
