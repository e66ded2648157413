"""Near tiles are joined in texts, and short regions are left out beside a long one."""

import itertools

import pytest

import fpdb
from fpdb.regions.alignable import AlignableDocument
from fpdb.regions.alignment import Matching, align_tiles
from fpdb.regions.region import Region, RegionOptions
from fpdb.regions.sources import SourceDocument
from tests.regions.documents import add, match_of, words


def test_small_gaps_are_bridged_in_texts_or_if_asked(db, tmp_path):
    text = words(1, 100)
    add(db, tmp_path, "a", " ".join(text))
    changed = " ".join([*text[:50], "changed", *text[51:]])
    (region,) = match_of(db, changed).regions
    assert match_of(db, changed, gap=10).regions == [region]
    assert region.a.end == len(changed)
    parts = match_of(db, changed, gap=0)
    assert len(parts.regions) == 2
    assert region.matched_fingerprints == sum(part.matched_fingerprints for part in parts.regions)
    assert parts.query_coverage == match_of(db, changed).query_coverage < 1  # what lies in the gap does not agree
    for gap in (-1, 1.5, True, "1"):
        with pytest.raises((fpdb.BadQuery, fpdb.BadArgument)):
            db.query(changed, regions=True, gap=gap)


@pytest.mark.parametrize("kept", [True, False])
def test_short_regions_are_left_out_beside_a_long_one_unless_asked(db, kept):
    """A long region has 150 characters or more; what is left out agrees nonetheless, and is covered."""
    long, *short = (" ".join(words(seed, count)) for seed, count in ((1, 40), (2, 10), (3, 10)))
    apart = [" ".join(words(seed, 60)) for seed in range(4, 12)]
    assert len(short[0]) < 150 <= len(long)
    queries = (f"{short[0]} {apart[0]} {short[1]}", f"{short[0]} {apart[0]} {short[1]} {apart[1]} {long}")
    db.add("a", f"{short[0]} {apart[4]} {short[1]} {apart[5]} {long}", keep_text=kept)
    only_short, all_three = (match_of(db, query) for query in queries)
    assert len(only_short.regions) == 2
    told = match_of(db, queries[1], shortest=1)
    assert len(told.regions) == 3
    assert all_three.regions == told.regions[2:]
    assert told.query_coverage == all_three.query_coverage
    asked = match_of(db, queries[1], shortest=150)
    assert asked.regions == all_three.regions
    assert asked.query_coverage < told.query_coverage
    assert match_of(db, queries[0], shortest=150).regions == []


@pytest.mark.parametrize("symbols", [(1499, 1500), (1500, 1499), (1500, 9999), (9999, 1500)])
def test_regions_that_are_told_by_default(symbols):
    """Those of 150 symbols; if there are none, those of 50; else all, unless both documents have 1500 symbols."""
    documents = AlignableDocument(SourceDocument("gone")), AlignableDocument(SourceDocument("gone"))
    matching = Matching.of(fpdb.Recipe.preset("text"), "text")
    for lengths in itertools.product([0, 1, 49, 50, 74, 149, 150, 190], repeat=2):
        tiles = [
            Region(start, start + length, start, start + length, 1)
            for start, length in zip((0, 200), lengths, strict=True)
            if length
        ]
        alignment = align_tiles(tiles, symbols, documents, matching, RegionOptions(gap=0))
        shortest = next((least for least in (150, 50) if max(lengths) >= least), 1 if min(symbols) < 1500 else 10_000)
        assert alignment.regions == [tile for tile in tiles if tile.length >= shortest]
        covered = [sum(lengths) / count for count in symbols]
        assert [alignment.coverage_a, alignment.coverage_b] == covered
