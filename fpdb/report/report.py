"""Reports: gather answers or pairs for a page. Knows no HTML."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from typing import Final, Unpack

from fpdb.columns import EVIDENCE_WORDS, MATCH, Columns
from fpdb.errors import Unreadable
from fpdb.options import HeadingKeywords, SubsetKeywords
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owner_pairs import find_document_pairs
from fpdb.pairs.ranking import Pair
from fpdb.pairs.results import IgnoredHashes, Results
from fpdb.regions.pair_aligner import PairAligner
from fpdb.regions.sources import Contents, Original, SourceDocument
from fpdb.report.contents import Heading, Limits, PageContents, Row
from fpdb.report.heading import anonymise, describe
from fpdb.report.page import check_packages, render
from fpdb.report.page_sources import PageSources
from fpdb.report.pair_rows import (
    PAIR_COLUMNS,
    UNREAD,
    ComparedDocuments,
    column_values,
    find_ids,
    pair_rows,
    score,
    show_regions,
)
from fpdb.search.results import Answer, Match
from fpdb.storage.index_reader import IndexReader

PARTS: Final = 3
"""Pairs of documents that stand under a pair of owners."""

SIGNS: Final = 20
"""Documents whose signs of a disguise are told."""

CONNECT: Final = 0.5
"""The score from which pairs are clustered, by default."""

OWNER_COLUMNS: Final[Columns] = tuple(column for column in PAIR_COLUMNS if column.group != "coverage")
MATCH_COLUMNS: Final[Columns] = tuple(column for column in MATCH if column.page)


class Report:
    """A page that is filled with answers or with pairs, and then written; made by `Database.report`."""

    def __init__(
        self,
        snapshot: Callable[[], AbstractContextManager[IndexReader]],
        texts: Contents,
        *,
        by: str = "containment",
        connect: float | None = None,
        limits: Limits | None = None,
        **heading: Unpack[HeadingKeywords],
    ) -> None:
        """Make an empty page for rows ranked by a measure. Raises MissingPackage without Jinja2.

        snapshot: opens a reader of the documents. texts: where their contents are. connect: the score from which pairs
        are clustered, or CONNECT. heading: what the page says of itself, see `Heading`.
        """
        check_packages()
        self._snapshot, self._recipe, self._sources = snapshot, *texts
        self._by, self._score = by, "containment" if by == "shared" else by
        self._connect = CONNECT if connect is None else connect
        self.limits = limits or Limits()
        self._page = PageSources(self.limits.text)
        self._contents = replace(new_contents(by, self._page), heading=Heading(**heading))
        self._anonymous, self.names = self._contents.heading.anonymous, list[tuple[str, str]]()
        self._capped_queries = self._ignored_hashes = 0

    @property
    def contents(self) -> PageContents:
        """The contents that the page has so far, for a server of views."""
        return self._contents

    def html(self) -> str:
        """Return the page, the same for the same sources and answers. `names` then tells whose the numbers are."""
        contents = self._contents
        if self._anonymous:
            contents, self.names = anonymise(contents)
        return render(replace(contents, notes=[*contents.notes, *self._notes(contents)]), self.limits)

    def _notes(self, contents: PageContents) -> list[str]:
        notes = []
        if self._anonymous:
            notes.append("Names are replaced by numbers. The texts are as they were written, and may tell more.")
        if self._capped_queries:
            queries = "1 query" if self._capped_queries == 1 else f"{self._capped_queries:,} queries"
            notes.append(
                f"{self._ignored_hashes:,} hashes of {queries} were ignored as common (max_df). "
                "Only copies of a query are compared by all hashes."
            )
        signs = [(source.name, source.signs) for source in contents.sources if source.signs]
        notes += [f"Signs of a disguise in {name}: {words}." for name, words in signs[:SIGNS]]
        if len(signs) > SIGNS:
            notes.append(f"{len(signs) - SIGNS:,} more documents have signs of a disguise.")
        return notes

    def add_answer(self, answer: Answer, content: str | bytes) -> None:
        """Add the matches of a query of this content, which have their regions. Raises Corrupt.

        content: Decoded, if the query was asked with an encoding.
        """
        page = self._contents
        page.title, page.noun, page.sides = "Matches", "match", ("query", "document")
        page.columns = MATCH_COLUMNS
        self._capped_queries += answer.query.ignored_common > 0
        self._ignored_hashes += answer.query.ignored_common
        room = self.limits.rows - len(page.rows)
        page.more |= len(answer.matches) > room
        if not answer.matches or room <= 0:
            return
        query = self._read_query(content, answer.query.kind, answer.query.name)
        source = self._page.add("query", answer.query.name or "-", query)
        matches = answer.matches[:room]
        with self._snapshot() as reader:
            page.facts = list(describe(reader, self._recipe, page.heading, ""))
            max_df = answer.query.max_df
            find_common = None if max_df is None else lambda hashes: hashes[reader.look_up(hashes, cap=max_df).capped]
            aligner = ComparedDocuments(reader, self._recipe, self._sources).aligner(find_common)
            ids = find_ids(reader, [match.name for match in matches])
            page.rows += [self._match_row(aligner, (source, query), match, ids.get(match.name)) for match in matches]

    def _read_query(self, content: str | bytes, kind: str, name: str | None) -> SourceDocument:
        try:
            fingerprints = self._recipe.fingerprint(content, kind, purpose="search", name=name)
        except Unreadable:
            return UNREAD
        return SourceDocument("same", Original.of(fingerprints))

    def _match_row(
        self, aligner: PairAligner, query: tuple[int, SourceDocument], match: Match, document_id: int | None
    ) -> Row:
        document = UNREAD if document_id is None else aligner.read(document_id)
        source = self._page.add("document", match.name, document)
        regions = match.regions
        values = column_values(MATCH_COLUMNS, match, {"regions": None if regions is None else len(regions)})
        row = Row(query[0], source, float(getattr(match, self._score)), values)
        show_regions(self._page, row, regions, aligner, (query[1], document))
        return row

    def add_pairs(
        self,
        pairs: Iterable[Pair],
        *,
        by_owner: bool = False,
        owners: str = "label:owner",
        max_df: int | None = None,
        ignored: IgnoredHashes | None = None,
        **subset: Unpack[SubsetKeywords],
    ) -> None:
        """Add ranked pairs.

        Args:
            pairs: The pairs.
            by_owner: They are pairs of owners; each comes with the pairs of documents that share most, PARTS at most.
            owners: The rule that told the owners, see `PairOptions`.
            max_df: Their max_df, see `PairOptions`; the hashes that it left out are in no region, but of copies.
            ignored: These hashes; by default those of the pairs, if `Database.pairs` gave them.
            subset: Their labels, names and exclude_names, see `PairOptions`.

        Raises:
            BadQuery: An option is invalid.
            Corrupt: The database is damaged.
        """
        page = self._contents
        page.title, page.connect = "Pairs", self._connect
        page.columns = OWNER_COLUMNS if by_owner else PAIR_COLUMNS
        if isinstance(pairs, Results):
            ignored = ignored or pairs.ignored
            page.notes += [f"{pairs.advice.text()}."] if pairs.advice and not self._anonymous else []
            if pairs.held_back.by_texts or pairs.held_back.unread:
                page.notes.append(f"{pairs.held_back.text()}.")
        if ignored is not None and ignored.hashes:
            noun = "owner" if by_owner else "document"
            page.notes.append(
                f"{ignored.text(noun)}. Only {noun}s that hold the same hashes are compared by all of them."
            )
        listed = list(islice(pairs, self.limits.rows + 1))
        page.more |= len(listed) > self.limits.rows
        listed = listed[: self.limits.rows]
        options = PairOptions(by=self._by if by_owner else "containment", owners=owners, max_df=max_df, **subset)
        with self._snapshot() as reader:
            page.facts = list(describe(reader, self._recipe, page.heading, "owner" if by_owner else "document"))
            if by_owner:
                self._add_owner_rows(reader, listed, replace(options, by_owner=True))
            else:
                page.rows += self._pair_rows(reader, listed, options)

    def _add_owner_rows(self, reader: IndexReader, listed: Sequence[Pair], options: PairOptions) -> None:
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
            a, b = (self._page.add("owner", name, UNREAD) for name in (pair.a, pair.b))
            counts = [len(row.regions) for row in parts if row.regions is not None]
            values = column_values(OWNER_COLUMNS, pair, {"regions": sum(counts) if counts else None})
            evidence = EVIDENCE_WORDS.get(pair.evidence, "")
            page.rows += [Row(a, b, score(pair, self._by), values, evidence=evidence), *parts]

    def _pair_rows(self, reader: IndexReader, pairs: Sequence[Pair], options: PairOptions) -> list[Row]:
        documents = ComparedDocuments(reader, self._recipe, self._sources)
        return pair_rows(documents, self._page, pairs, self._by, options)


def new_contents(by: str, page: PageSources) -> PageContents:
    """Return contents without rows, for pairs ranked by a measure."""
    ranked = "shared fingerprints" if by == "shared" else by.replace("_", " ")
    score_name = "containment" if by == "shared" else ranked
    return PageContents("Pairs", "pair", ("A", "B"), ranked, score_name, PAIR_COLUMNS, page.sources)
