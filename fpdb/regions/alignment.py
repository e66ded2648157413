"""The alignment of two documents: what their tiles become when near ones are joined and short ones are left out."""

from bisect import bisect_right
from typing import Final, NamedTuple, Self

from fpdb.fingerprint import Recipe, find_scheme
from fpdb.regions.alignable import AlignableDocument
from fpdb.regions.joining import join
from fpdb.regions.line_index import LineIndex, locate_regions, long_regions
from fpdb.regions.places import MatchedRegion
from fpdb.regions.region import Region, RegionOptions, coverage
from fpdb.regions.sources import SourceDocument

NEAR: Final = 5
NEAR_LEAST: Final = 150
"""The largest gap in a passage of a text, and its usual least length: NEAR k-grams, or NEAR_LEAST symbols if these are
more (docs/guide/quality.md)."""
PASSAGE_SENTENCES: Final = 3
"""A passage of that length has so many sentences: what is shorter than one of them is a phrase."""
LONG_DOCUMENT: Final = 10
"""A document of so many times that length is long: two long ones share phrases by chance."""


class PairAlignment(NamedTuple):
    """The regions of two documents a and b, in order of a, or None if nothing tells them.

    coverage_a and coverage_b are the shares of their symbols that lie in regions.
    """

    regions: list[Region] | None
    coverage_a: float
    coverage_b: float
    a: SourceDocument
    b: SourceDocument

    def located(self) -> list[MatchedRegion] | None:
        """Return the regions in characters and lines of the documents that could be read."""
        if self.regions is None:
            return None
        a, b = (document.original and document.original.text for document in (self.a, self.b))
        return locate_regions(self.regions, a, b)

    def swapped(self) -> "PairAlignment":
        """Return the alignment with a and b exchanged."""
        regions = self.regions and sorted(region.swapped() for region in self.regions)
        return PairAlignment(regions, self.coverage_b, self.coverage_a, self.b, self.a)


class Matching(NamedTuple):
    """Parameters by which fingerprints of one rule become regions.

    slack: see `tile_fingerprints`. complete: False for samples. near: see NEAR; 0 in programs.
    """

    k: int
    slack: int
    complete: bool
    near: int

    @classmethod
    def of(cls, recipe: Recipe, kind: str) -> Self:
        """Return the parameters of a kind's rule. Raises UnknownKind."""
        alphabet, rule = recipe.rule_for(kind)
        scheme = find_scheme(rule.scheme)
        slack = max(rule.k, rule.window or 0)
        near = 0 if alphabet == "tokens" else max(NEAR * rule.k, NEAR_LEAST)
        return cls(rule.k, slack, scheme.sampling is None and not scheme.fixed_size, near)


def align_tiles(
    tiles: list[Region],
    symbols: tuple[int, int],
    documents: tuple[AlignableDocument, AlignableDocument],
    matching: Matching,
    options: RegionOptions,
) -> PairAlignment:
    """Join tiles, leave out regions that are too short, and measure what the tiles cover.

    Regions that are left out by default are covered nonetheless: they agree.
    """
    a, b = documents
    gap = matching.near if options.gap is None else options.gap
    regions = join(tiles, gap, a.marks, b.marks) if gap else sorted(tiles)
    texts = [document.source.original and document.source.original.text for document in documents]
    if options.shortest is None:
        regions = _telling_regions(regions, texts[0], texts[1], matching.near, min(symbols))
    else:
        regions = long_regions(regions, texts[0], texts[1], options.shortest)
        starts = [region.a_start for region in regions]
        places = ((tile, bisect_right(starts, tile.a_start) - 1) for tile in tiles)
        tiles = [tile for tile, place in places if place >= 0 and regions[place].holds(tile)]
    coverage_a = coverage(((tile.a_start, tile.a_end) for tile in tiles), symbols[0], a.marks)
    coverage_b = coverage(((tile.b_start, tile.b_end) for tile in tiles), symbols[1], b.marks)
    return PairAlignment(regions, coverage_a, coverage_b, a.source, b.source)


def _telling_regions(
    regions: list[Region], text_a: LineIndex | None, text_b: LineIndex | None, near: int, symbols: int
) -> list[Region]:
    """Return the regions that are told by default; symbols: those of the shorter document.

    Any two long documents share phrases. So shorter regions count only where there is no longer one, and those
    shorter than a sentence only if a document is short.
    """
    for shortest in (near, near // PASSAGE_SENTENCES):
        if long := long_regions(regions, text_a, text_b, shortest):
            return long
    return regions if symbols < LONG_DOCUMENT * near else []
