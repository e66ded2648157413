"""Rows of a page: pairs of documents with their measures and regions. Knows no HTML."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from fpdb.arrays import U64
from fpdb.columns import EVIDENCE_WORDS, PAIR, Columns
from fpdb.fingerprint import Recipe
from fpdb.pairs.common_hashes import CommonHashes
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owners import OwnerRule
from fpdb.pairs.ranking import Pair
from fpdb.regions.alignment import PairAlignment
from fpdb.regions.pair_aligner import PairAligner
from fpdb.regions.places import MatchedRegion, SymbolPlace
from fpdb.regions.region import RegionOptions
from fpdb.regions.sources import SourceDocument, Sources
from fpdb.report.contents import Row, ShownRegion
from fpdb.report.page_sources import PageSources
from fpdb.storage import file_format
from fpdb.storage.index_reader import IndexReader

MAX_POSTINGS: Final = 20_000_000
"""Postings that a database may have for positions to be read from it; to go through more would take too long."""

PAIR_COLUMNS: Final[Columns] = tuple(column for column in PAIR if column.page)
UNREAD: Final = SourceDocument("unavailable")


class ComparedDocuments(NamedTuple):
    """Documents that are compared: a reader of them, the recipe, and where their contents are."""

    reader: IndexReader
    recipe: Recipe
    sources: Sources

    def aligner(self, find_common: Callable[[U64], U64] | None) -> PairAligner:
        """Return what aligns them without the hashes that a function finds, see `PairAligner`."""
        return PairAligner(*self, find_common=find_common, region_options=RegionOptions(), max_postings=MAX_POSTINGS)


def pair_rows(
    documents: ComparedDocuments, page: PageSources, pairs: Sequence[Pair], by: str, options: PairOptions
) -> list[Row]:
    """Return the rows of pairs, in order; without regions of documents that were removed meanwhile.

    by: the measure in [0, 1] that scores are. options: tell the hashes that do not count, and the owners.
    """
    names = {name for pair in pairs for name in (pair.a, pair.b)}
    rows = _PairRows(documents, page, by, options, find_ids(documents.reader, names))
    page.expect(len(names))
    return rows.make(pairs)


class _PairRows:
    def __init__(
        self, documents: ComparedDocuments, page: PageSources, by: str, options: PairOptions, ids: dict[str, int]
    ) -> None:
        self._page, self._by, self._ids = page, by, ids
        self._reader = documents.reader
        self._aligner = documents.aligner(CommonHashes.of(documents.reader, options).among)
        self._rule = OwnerRule.parse(options.owners)

    def make(self, pairs: Sequence[Pair]) -> list[Row]:
        ids = self._ids
        found = [index for index, pair in enumerate(pairs) if pair.a in ids and pair.b in ids]
        rows: dict[int, Row] = {}
        for index, alignment in self._aligner.align_pairs([(ids[pairs[at].a], ids[pairs[at].b]) for at in found]):
            rows[found[index]] = self._row(pairs[found[index]], alignment)
        for index, pair in enumerate(pairs):
            if index not in rows:
                a, b = (self._aligner.read(ids[name]) if name in ids else UNREAD for name in (pair.a, pair.b))
                rows[index] = self._row(pair, PairAlignment(None, 0.0, 0.0, a, b))
        return [rows[index] for index in range(len(pairs))]

    def _row(self, pair: Pair, alignment: PairAlignment) -> Row:
        sides = [(pair.a, alignment.a), (pair.b, alignment.b)]
        a, b = (self._page.add("document", name, document, self._owner(name)) for name, document in sides)
        regions = alignment.located()
        values: dict[str, Any] = {}
        if regions is not None:
            values = {"regions": len(regions), "coverage_a": alignment.coverage_a, "coverage_b": alignment.coverage_b}
        row = Row(a, b, score(pair, self._by), column_values(PAIR_COLUMNS, pair, values))
        row.evidence = EVIDENCE_WORDS.get(pair.evidence, "")
        show_regions(self._page, row, regions, self._aligner, (alignment.a, alignment.b))
        return row

    def _owner(self, name: str) -> str | None:
        if name not in self._ids:
            return None
        owner = self._rule.owner(self._reader.catalogue.record(self._ids[name]))
        return None if owner is None else owner.decode("utf-8", "surrogateescape")


def show_regions(
    page: PageSources,
    row: Row,
    regions: list[MatchedRegion] | None,
    aligner: PairAligner,
    documents: tuple[SourceDocument, SourceDocument],
) -> None:
    """Give a row its regions, in order of a, and have the page hold the texts around them."""
    ordered = sorted(
        regions or (), key=lambda region: (region.a.interval, region.b.interval, region.matched_fingerprints)
    )
    a = page.hold(row.a, documents[0], [region.a for region in ordered], aligner.discarded)
    b = page.hold(row.b, documents[1], [region.b for region in ordered], aligner.discarded)
    if regions is not None:
        row.regions = [
            ShownRegion(place_a, place_b, region.matched_fingerprints)
            for place_a, place_b, region in zip(a, b, ordered, strict=True)
        ]
    if ordered:
        row.symbols = isinstance(ordered[0].a, SymbolPlace), isinstance(ordered[0].b, SymbolPlace)


def score(pair: Pair, by: str) -> float:
    """Return a measure in [0, 1]: the containment, if pairs are ranked by the number of shared fingerprints."""
    return pair.score("containment" if by == "shared" else by)


def column_values(columns: Columns, result: object, values: dict[str, Any]) -> list[float | int | None]:
    """Return what stands under the columns: given values, else those of a result."""
    counted = {"regions": None, "coverage_a": None, "coverage_b": None, **values}
    return [counted[c.name] if c.name in counted else getattr(result, c.name) for c in columns]


def find_ids(reader: IndexReader, names: Iterable[str]) -> dict[str, int]:
    """Return the ids of the documents of these names that exist."""
    keys = {name: file_format.name_bytes(name) for name in names}
    found = reader.find_by_name(set(keys.values()))
    return {name: found[key][0] for name, key in keys.items() if found.get(key)}
