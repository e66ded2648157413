"""Reports: gather the sources and regions of pairs and matches for a page. Knows no HTML."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from typing import Final

from fpdb.errors import Unreadable
from fpdb.fingerprint import Recipe
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owner_pairs import find_document_pairs
from fpdb.pairs.ranking import Pair
from fpdb.pairs.results import IgnoredHashes, Results
from fpdb.regions.pair_aligner import PairAligner, PairAlignment
from fpdb.regions.places import MatchedRegion
from fpdb.regions.region import RegionOptions
from fpdb.regions.sources import Original, SourceDocument, Sources, read_document
from fpdb.report.contents import Contents, Limits, PageSource, ReportColumn, Row
from fpdb.report.page import check_packages, escaped_json, render
from fpdb.search.results import Answer, Match
from fpdb.storage import file_format
from fpdb.storage.reader import Reader

MAX_POSTINGS: Final = 20_000_000
"""Postings that a database may have for positions to be read from it; to go through more would take too long."""

PARTS: Final = 3
"""Pairs of documents that stand under a pair of owners."""

SIGNS: Final = 20
"""Documents whose signs of a disguise are told."""

CONNECT: Final = 0.5
"""The score from which pairs are clustered, by default."""

SHARED = ReportColumn("shared", "fingerprints that both have", share=False)
RESEMBLANCE = ReportColumn("resemblance", "how much of both together they share")
REGIONS = ReportColumn("regions", "stretches of text that are alike", share=False)
OWNER_COLUMNS = (
    SHARED,
    ReportColumn("A in B", "how much of A is in B"),
    ReportColumn("B in A", "how much of B is in A"),
    RESEMBLANCE,
    REGIONS,
)
PAIR_COLUMNS = (
    *OWNER_COLUMNS,
    ReportColumn("A covered", "how much of A lies in regions"),
    ReportColumn("B covered", "how much of B lies in regions"),
)
QUERY_COLUMNS = (
    SHARED,
    ReportColumn("containment", "how much of the query is in the document"),
    ReportColumn("reverse", "how much of the document is in the query"),
    RESEMBLANCE,
    REGIONS,
    ReportColumn("query covered", "how much of the query lies in regions"),
    ReportColumn("document covered", "how much of the document lies in regions"),
)
UNREAD: Final = SourceDocument("unavailable")


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
        """Make an empty page for rows ranked by a measure. Raises MissingPackage without Jinja2.

        snapshot: opens a reader of the documents. connect: the score from which pairs are clustered, or CONNECT.
        """
        check_packages()
        self._snapshot, self._recipe, self._sources = snapshot, recipe, sources
        self._by = "containment" if by == "shared" else by
        self._connect = CONNECT if connect is None else connect
        self.limits = limits or Limits()
        self._contents = Contents("Report", "pair", ("A", "B"), self._by.replace("_", " "), ())
        self._index: dict[tuple[str, str], int] = {}
        self._room = self.limits.text
        self._capped_queries = self._ignored_hashes = 0
        self._signs: list[tuple[str, str]] = []

    def html(self) -> str:
        """Return the page, the same for the same sources and answers."""
        notes = list(self._contents.notes)
        if self._capped_queries:
            queries = "1 query" if self._capped_queries == 1 else f"{self._capped_queries:,} queries"
            notes.append(
                f"{self._ignored_hashes:,} hashes of {queries} were ignored as common (max_df). "
                "Only copies of a query are compared by all hashes."
            )
        notes += [f"Signs of a disguise in {name}: {signs}." for name, signs in self._signs[:SIGNS]]
        if len(self._signs) > SIGNS:
            notes.append(f"{len(self._signs) - SIGNS:,} more documents have signs of a disguise.")
        return render(replace(self._contents, notes=notes), self.limits)

    def add_answer(self, answer: Answer, content: str | bytes) -> None:
        """Add the matches of a query of this content, which have their regions. Raises Corrupt."""
        page = self._contents
        page.title, page.noun, page.sides = "Matches", "match", ("query", "document")
        page.columns = QUERY_COLUMNS
        self._capped_queries += answer.query.ignored_common > 0
        self._ignored_hashes += answer.query.ignored_common
        room = self.limits.rows - len(page.rows)
        page.more |= len(answer.matches) > room
        if not answer.matches or room <= 0:
            return
        query = self._read_query(content, answer.query.kind, answer.query.name)
        source = self._source("query", answer.query.name or "-", query)
        with self._snapshot() as reader:
            page.rows += [self._match_row(reader, source, match) for match in answer.matches[:room]]

    def _read_query(self, content: str | bytes, kind: str, name: str | None) -> SourceDocument:
        try:
            fingerprints = self._recipe.fingerprint(content, kind, purpose="search", name=name)
        except Unreadable:
            return UNREAD
        return SourceDocument("same", Original.of(fingerprints))

    def _match_row(self, reader: Reader, query: int, match: Match) -> Row:
        source = self._index.get(("document", match.name))
        if source is None:
            document_id = _ids_of(reader, [match.name]).get(match.name)
            document = UNREAD
            if document_id is not None:
                document = read_document(reader, self._recipe, document_id, self._sources)
            source = self._source("document", match.name, document)
        regions = _sorted(match.regions)
        measures = [match.shared, match.containment, match.reverse_containment, match.resemblance]
        covered = [None if regions is None else len(regions), match.query_coverage, match.document_coverage]
        return Row(query, source, float(getattr(match, self._by)), [*measures, *covered], regions)

    def add_pairs(
        self,
        pairs: Iterable[Pair],
        *,
        by_owner: bool = False,
        owners: str = "label:owner",
        max_df: int | None = None,
        ignored: IgnoredHashes | None = None,
    ) -> None:
        """Add ranked pairs.

        Args:
            pairs: The pairs.
            by_owner: They are pairs of owners; each comes with the pairs of documents that share most, PARTS at most.
            owners: The rule that told the owners, see `PairOptions`.
            max_df: Their max_df, see `PairOptions`; the hashes that it left out are in no region, but of copies.
            ignored: These hashes; by default those of the pairs, if `Database.pairs` gave them.

        Raises:
            BadQuery: An option is invalid.
            Corrupt: The database is damaged.
        """
        page = self._contents
        page.title, page.connect = "Pairs", self._connect
        page.columns = OWNER_COLUMNS if by_owner else PAIR_COLUMNS
        if isinstance(pairs, Results):
            ignored = ignored or pairs.ignored
            page.notes += [f"{pairs.advice.text()}."] if pairs.advice else []
        if ignored is not None and ignored.hashes:
            noun = "owner" if by_owner else "document"
            page.notes.append(
                f"{ignored.text(noun)}. Only {noun}s that hold the same hashes are compared by all of them."
            )
        listed = list(islice(pairs, self.limits.rows + 1))
        page.more |= len(listed) > self.limits.rows
        listed = listed[: self.limits.rows]
        options = PairOptions(by=self._by if by_owner else "containment", owners=owners, max_df=max_df)
        with self._snapshot() as reader:
            if by_owner:
                self._add_owner_rows(reader, listed, options)
            else:
                page.rows += self._pair_rows(reader, listed, options)

    def _add_owner_rows(self, reader: Reader, listed: Sequence[Pair], options: PairOptions) -> None:
        page = self._contents
        page.sides = "owner A", "owner B"
        page.notes.append(
            "Owners were compared, the documents of each taken as one. Under each pair stand those of their "
            f"documents that share most, {PARTS} pairs at most."
        )
        groups = list(find_document_pairs(reader, listed, options, PARTS))
        part_rows = iter(self._pair_rows(reader, [pair for group in groups for pair in group], options))
        for pair, group in zip(listed, groups, strict=True):
            parts = [
                replace(row, part=True, values=row.values[: len(OWNER_COLUMNS)])
                for row in islice(part_rows, len(group))
            ]
            a, b = (self._source("owner", name, UNREAD) for name in (pair.a, pair.b))
            counts = [len(row.regions) for row in parts if row.regions is not None]
            values = [*_pair_values(pair), sum(counts) if counts else None]
            page.rows += [Row(a, b, pair.score(self._by), values), *parts]

    def _pair_rows(self, reader: Reader, pairs: Sequence[Pair], options: PairOptions) -> list[Row]:
        """Return the rows of pairs, in order; without regions of documents that were removed meanwhile."""
        cap = options.frequency_cap(reader.document_count)
        aligner = PairAligner(
            reader, self._recipe, self._sources, max_df=cap, region_options=RegionOptions(), max_postings=MAX_POSTINGS
        )
        ids = _ids_of(reader, [name for pair in pairs for name in (pair.a, pair.b)])
        found = [index for index, pair in enumerate(pairs) if pair.a in ids and pair.b in ids]
        rows: dict[int, Row] = {}
        for index, alignment in aligner.align_pairs([(ids[pairs[at].a], ids[pairs[at].b]) for at in found]):
            rows[found[index]] = self._pair_row(pairs[found[index]], alignment)
        for index, pair in enumerate(pairs):
            if index not in rows:
                a, b = (aligner.read(ids[name]) if name in ids else UNREAD for name in (pair.a, pair.b))
                rows[index] = self._pair_row(pair, PairAlignment(None, 0.0, 0.0, a, b))
        return [rows[index] for index in range(len(pairs))]

    def _pair_row(self, pair: Pair, alignment: PairAlignment) -> Row:
        a, b = self._source("document", pair.a, alignment.a), self._source("document", pair.b, alignment.b)
        regions = _sorted(alignment.located())
        covered: list[float | int | None] = [None, None, None]
        if regions is not None:
            covered = [len(regions), alignment.coverage_a, alignment.coverage_b]
        return Row(a, b, pair.score(self._by), [*_pair_values(pair), *covered], regions)

    def _source(self, role: str, name: str, document: SourceDocument) -> int:
        """Return the index of a source on the page, which gets its text if there is room for it."""
        key = role, name
        if key not in self._index:
            source = PageSource(name, document.state)
            if document.original is not None:
                if (signs := document.original.fingerprints.signs) is not None:
                    self._signs.append((name, signs.text()))
                text = document.original.text.symbols.text
                size = len(escaped_json(text).encode()) if len(text) <= self._room else self._room + 1
                if size <= self._room:
                    self._room -= size
                    source.text, source.parts = text, document.original.text.labelled_parts()
                else:
                    source.state = "omitted"
            self._index[key] = len(self._contents.sources)
            self._contents.sources.append(source)
        return self._index[key]


def _ids_of(reader: Reader, names: Iterable[str]) -> dict[str, int]:
    """Return the ids of the documents of these names that exist."""
    keys = {name: file_format.name_bytes(name) for name in names}
    found = reader.find_by_name(set(keys.values()))
    return {name: found[key][0] for name, key in keys.items() if found.get(key)}


def _pair_values(pair: Pair) -> list[float | int | None]:
    return [pair.shared, pair.containment_a, pair.containment_b, pair.resemblance]


def _sorted(regions: list[MatchedRegion] | None) -> list[MatchedRegion] | None:
    return regions and sorted(regions, key=lambda region: (region.a.interval, region.b.interval, region.shared))
