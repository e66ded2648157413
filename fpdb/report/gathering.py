"""Gathering: the sources and regions of pairs and matches, for a page. Knows no HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final

from fpdb.columns import MATCH, PAIR, Columns, select
from fpdb.errors import Unreadable
from fpdb.fingerprint import Recipe
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owners import OwnerRule
from fpdb.pairs.ranking import Pair, rank_pairs
from fpdb.regions.pair_aligner import PairAligner, PairAlignment
from fpdb.regions.places import MatchedRegion, SymbolPlace
from fpdb.regions.sources import Original, ReadDocument, Sources, read_document
from fpdb.report.contents import Column, Contents, Limits, Region, Row, Source
from fpdb.report.page import check_packages, escaped_json, render
from fpdb.search.results import Answer, Match
from fpdb.storage import file_format
from fpdb.storage.reader import Reader

MOST: Final = 20_000_000
"""Postings that a database may have for positions to be read from it; to go through more would take too long."""

OF_OWNERS: Final = 3
"""Pairs of documents that stand under a pair of owners."""

CONNECT: Final = 0.5


def _page_columns(columns: Columns) -> tuple[Column, ...]:
    return tuple(Column(column.page, column.about, share=column.type is float) for column in columns if column.page)


OWNER_COLUMNS = _page_columns(select(PAIR, ["page"]))
PAIR_COLUMNS = _page_columns(PAIR)
QUERY_COLUMNS = _page_columns(MATCH)


class Report:
    """A page that is filled with answers or with pairs, and then written; made by `Database.report`."""

    def __init__(
        self,
        snapshot: Callable[[], AbstractContextManager[Reader]],
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
        found = self._read_query(content, answer.query.kind, answer.query.name)
        ours = self._source("query", answer.query.name or "-", found)
        with self._snapshot() as view:
            for match in answer.matches[:room]:
                page.rows.append(self._match_row(view, ours, match))

    def _read_query(self, content: str | bytes, kind: str, name: str | None) -> ReadDocument:
        try:
            fingerprints = self._recipe.fingerprint(content, kind, purpose="search", name=name)
        except Unreadable:
            return ReadDocument("unavailable")
        return ReadDocument("same", Original.of(fingerprints))

    def _match_row(self, view: Reader, ours: int, match: Match) -> Row:
        theirs = self._index.get(("document", match.name))
        if theirs is None:
            number = _find(view, match.name)
            read = ReadDocument("unavailable")
            if number is not None:
                read = read_document(view, self._recipe, number, self._sources)
            theirs = self._source("document", match.name, read)
        values = [match.shared, match.containment, match.reverse_containment, match.resemblance]
        row = Row(
            ours,
            theirs,
            float(getattr(match, self._by)),
            [
                *values,
                None if match.regions is None else len(match.regions),
                match.query_coverage,
                match.document_coverage,
            ],
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
        page.title, page.connect = "Pairs", self._connect
        page.columns = OWNER_COLUMNS if by_owner else PAIR_COLUMNS
        listed = list(islice(pairs, self.limits.rows + 1))
        page.more |= len(listed) > self.limits.rows
        listed = listed[: self.limits.rows]
        with self._snapshot() as view:
            cap = PairOptions(max_df=max_df).frequency_cap(view.document_count)
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
                own = [
                    replace(row, part=True, values=row.values[: len(OWNER_COLUMNS)])
                    for row in islice(parts, len(group))
                ]
                page.rows += [self._owner_row(pair, own), *own]

    def _owner_row(self, pair: Pair, parts: Sequence[Row]) -> Row:
        a, b = (self._source("owner", name, ReadDocument("unavailable")) for name in (pair.a, pair.b))
        regions = [len(row.regions) for row in parts if row.regions is not None]
        return Row(a, b, self._pair_score(pair), [*_pair_values(pair), sum(regions) if regions else None])

    def _pair_rows(self, view: Reader, pairs: Sequence[Pair], cap: int) -> list[Row]:
        """In the order of the pairs. cap: see `cap_of`."""
        beside = PairAligner(view, self._recipe, self._sources, max_df=cap, max_postings=MOST)
        found = [(_find(view, pair.a), _find(view, pair.b)) for pair in pairs]
        there = [(index, (a, b)) for index, (a, b) in enumerate(found) if a is not None and b is not None]
        rows: dict[int, Row] = {}
        for at, both in beside.align_pairs([numbers for _, numbers in there]):
            index = there[at][0]
            rows[index] = self._pair_row(pairs[index], both)
        for index, numbers in enumerate(found):
            if index not in rows:  # one was removed meanwhile
                read = [ReadDocument("unavailable") if number is None else beside.read(number) for number in numbers]
                rows[index] = self._pair_row(pairs[index], PairAlignment(None, 0.0, 0.0, *read))
        return [rows[index] for index in range(len(pairs))]

    def _pair_row(self, pair: Pair, both: PairAlignment) -> Row:
        a, b = self._source("document", pair.a, both.a), self._source("document", pair.b, both.b)
        if both.regions is None:
            return Row(a, b, self._pair_score(pair), [*_pair_values(pair), None, None, None])
        told = [len(both.regions), both.coverage_a, both.coverage_b]
        row = Row(a, b, self._pair_score(pair), [*_pair_values(pair), *told])
        _place(row, both.located())
        return row

    def _pair_score(self, pair: Pair) -> float:
        if self._by.endswith("resemblance"):
            return float(getattr(pair, self._by))
        return max(float(getattr(pair, f"{self._by}_{side}")) for side in "ab")

    # ------------------------------------------------------------ sources

    def _source(self, role: str, name: str, read: ReadDocument) -> int:
        """The index of a source on the page, with its text if there is room for it."""
        key = role, name
        if key not in self._index:
            source = Source(name, read.state)
            if read.original is not None:
                text = read.original.text.symbols.text
                size = len(escaped_json(text).encode()) if len(text) <= self._room else self._room + 1
                if size <= self._room:
                    self._room -= size
                    source.text = text
                else:
                    source.state = "omitted"
            self._index[key] = len(self._contents.sources)
            self._contents.sources.append(source)
        return self._index[key]


def _best_pairs(view: Reader, listed: Sequence[Pair], options: PairOptions) -> list[list[Pair]]:
    """For each pair of owners, the first pairs of their documents, each in the order of its owners. Raises Corrupt."""
    groups: dict[tuple[str, str], list[Pair]] = {(pair.a, pair.b): [] for pair in listed}
    rule = OwnerRule.parse(options.owners).owner

    @cache
    def owner(name: str) -> str:
        number = _find(view, name)
        found = None if number is None else rule(view.catalogue.record(number))
        return name if found is None else found.decode("utf-8", "surrogateescape")

    for pair in rank_pairs(view, options) if groups else ():
        a, b = owner(pair.a), owner(pair.b)
        if (b, a) in groups:
            pair, a, b = pair.swapped(), b, a
        if len(groups.get((a, b), ())) < OF_OWNERS and (a, b) in groups:
            groups[a, b].append(pair)
    return list(groups.values())


def _find(view: Reader, name: str) -> int | None:
    key = file_format.name_bytes(name)
    return next(iter(view.find_by_name([key]).get(key, ())), None)


def _pair_values(pair: Pair) -> list[float | int | None]:
    return [pair.shared, pair.containment_a, pair.containment_b, pair.resemblance]


def _place(row: Row, places: Sequence[MatchedRegion] | None) -> None:
    """Gives the row its regions."""
    if places is None:
        return
    row.regions = sorted(Region(*place.a.interval, *place.b.interval, place.shared) for place in places)
    if places:
        row.symbols = isinstance(places[0].a, SymbolPlace), isinstance(places[0].b, SymbolPlace)
