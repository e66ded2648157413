"""Lines and characters of symbols are those that an editor shows."""

from itertools import compress, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.fingerprint import Symbols
from fpdb.readers.symbols import Parts
from fpdb.regions.line_index import LineIndex, line_starts, locate_regions, long_regions
from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace
from fpdb.regions.region import Region
from tests.regions.documents import SEPARATORS, add, match_of, plain_line, words


@given(st.lists(st.sampled_from([*SEPARATORS, "a", "é", "\U0001d4d0", "\ud800"]), max_size=40).map("".join))
@example("")
@example("\r")
@example("\r\n\r\n\r")
@settings(max_examples=300)
def test_lines_are_counted_as_editors_do(text):
    starts = line_starts(text)
    assert [plain_line(text, index) for index in range(len(text))] == [
        int(np.searchsorted(starts, index, "right")) for index in range(len(text))
    ]
    assert starts[0] == 0
    assert (np.diff(starts) > 0).all()


@given(st.lists(st.sampled_from([*SEPARATORS, "a", "é"]), min_size=1, max_size=20).map("".join), st.data())
def test_places_are_those_of_the_first_and_the_last_character(text, data):
    """Also of symbols of no character, which a reader may make."""
    index = st.integers(0, len(text))
    edges = sorted(data.draw(st.lists(index, min_size=2, max_size=9)))
    starts, ends = np.array(edges[:-1]), np.array(edges[1:])
    lines = LineIndex(Symbols(np.zeros(len(starts), np.uint8), lambda: starts, "", text, lambda: ends))
    for first, end in ((0, 1), (0, len(starts)), (len(starts) - 1, len(starts))):
        start, behind = edges[first], edges[end]
        last = max(behind - 1, start)
        place = lines.locate(first, end)
        assert place == TextPlace(start, behind, plain_line(text, start), plain_line(text, last))
        for index, column in ((start, place.first_column), (last, place.last_column)):
            assert plain_line(text, index - column + 1) == plain_line(text, index)
            assert index - column + 1 == 0 or plain_line(text, index - column) < plain_line(text, index)


@given(st.text("ab\n", min_size=1, max_size=30), st.data())
def test_parts_are_those_that_characters_are_in(text, data):
    """Of parts that start at the same place, all but the last are empty."""
    starts = [0, *sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))]
    names = data.draw(st.sampled_from([(), [f"name {number}" for number in range(len(starts))]]))
    symbols = Symbols(np.zeros(len(text), np.uint8), lambda: np.arange(len(text)), "", text)
    symbols.parts = Parts("page", starts, names)
    for index in range(len(text)):
        place = LineIndex(symbols).locate(index, index + 1)
        number = max(number for number, start in enumerate(starts, 1) if start <= index)
        start = starts[number - 1]
        line = plain_line(text, index) - (plain_line(text, start) if start < len(text) else 1) + 1
        assert place.first_part == place.last_part == ("page", number, names[number - 1] if names else "", line)


def test_a_symbol_may_be_many_characters_and_lines():
    symbols = Symbols(np.zeros(2, np.uint8), lambda: np.array([1, 6]), "", "xab\ncdefg\n", lambda: np.array([6, 8]))
    assert LineIndex(symbols).locate(0, 1) == TextPlace(1, 6, 1, 2)
    assert LineIndex(symbols).locate(1, 2) == TextPlace(6, 8, 2, 2)


def test_without_a_text_the_symbols_are_the_places():
    lines = LineIndex(Symbols(np.zeros(4, np.uint8), lambda: np.arange(4), "", "a\nbc", lambda: np.arange(1, 5)))
    region, here = Region(1, 3, 7, 9, 2), TextPlace(1, 3, 1, 2)
    assert locate_regions([region], lines, None) == [MatchedRegion(here, SymbolPlace(7, 8), 2)]
    assert locate_regions([region.swapped()], None, lines) == [MatchedRegion(SymbolPlace(7, 8), here, 2)]


@pytest.mark.parametrize("width_a", [1, 2])
@pytest.mark.parametrize("width_b", [1, 2])
def test_long_regions_are_long_in_the_characters_of_both_documents(width_a, width_b):
    """A symbol is one character or two; of a document without a text, symbols count."""
    lengths = [*product(range(1, 5), repeat=2)]
    regions = [Region(9 * at, 9 * at + a, 9 * at, 9 * at + b, 1) for at, (a, b) in enumerate(lengths)]
    starts = np.arange(150)
    text_a, text_b = (
        LineIndex(Symbols(np.zeros(150, np.uint8), lambda: 2 * starts, "", "ab" * 150, lambda: 2 * starts + 2))
        if width == 2
        else None
        for width in (width_a, width_b)
    )
    for shortest in range(10):
        kept = [min(width_a * a, width_b * b) >= shortest for a, b in lengths]
        assert long_regions(regions, text_a, text_b, shortest) == list(compress(regions, kept))


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\t", "\f", "\u2028"], ids=repr)
@pytest.mark.parametrize("letter", ["", "é", "\U0001d4d0", "𠀀"])
@pytest.mark.parametrize("final", [True, False])
def test_from_the_first_line_to_the_last(db, tmp_path, separator, letter, final):
    """A whole copy: from the first letter to the last, and so its lines, with a final newline and without."""
    lines = ["\t".join([letter, *words(seed, 5), letter]) for seed in range(12)]
    text = separator.join(lines) + separator * final
    add(db, tmp_path, "a", text)
    match = match_of(db, text.encode())
    start, end = (index(map(str.isalnum, text)) for index in (first, last))
    ends = 11 if separator in ("\n", "\r\n", "\r") else 0
    passage = TextPlace(start, end + 1, 1, 1 + ends)
    assert match.regions == [MatchedRegion(passage, passage, match_of(db, text).regions[0].matched_fingerprints)]
    assert (match.query_coverage, match.document_coverage, match.source) == (1, 1, "same")


def first(flags):
    return next(index for index, flag in enumerate(flags) if flag)


def last(flags):
    return max(index for index, flag in enumerate(flags) if flag)


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\n\f", "\n\t# \u2028 \U0001d4d0\n"], ids=repr)
def test_lines_of_code(tmp_path, separator):
    """From the first line to the last, without a final newline; tokens are whole."""
    lines = ["def f(a):", "\tx = a + 1", "\ty = 'é\U0001d4d0' + g(x, a)", "\treturn x if y else h(a * 2)"] * 6
    code = separator.join(["#!/usr/bin/env python3", *lines])
    recipe = fpdb.Recipe(1, {"tokens": fpdb.Rule(8, "robust-winnow", {"w": 4})})
    with fpdb.open(tmp_path / "t.fpdb", recipe=recipe) as db:
        db.add("a.py", code, kind="code")
        match = match_of(db, code, kind="code", texts=lambda _: code)
        (region,) = match.regions
        last_line = 25 + 24 * ("#" in separator)  # a line more after each of the 24
        assert (region.a.first_line, region.a.last_line) == (2 + ("#" in separator), last_line)
        assert code[region.a.start : region.a.end] == separator.join(lines)
        assert region.b == region.a
        assert db.check() == []


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\n\f", "\n\t", "\n\u2028", "\x85\n"], ids=repr)
def test_lines_of_html(db, separator):
    lines = ["<p>alpha beta &amp; gamma delta epsilon</p>", "<p>\teta theta \U0001d4d0 iota lambda &eacute;</p>"] * 3
    page = separator.join(lines)
    db.add("a", page, kind="html")
    (region,) = match_of(db, page, kind="html", texts=lambda _: page).regions
    assert region.a == region.b == TextPlace(3, len(page) - len("</p>"), 1, 6)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_characters_are_those_of_the_decoded_original(db, tmp_path, encoding):
    text = "\r\n".join("é " + " ".join(words(seed, 10)) for seed in range(9))
    add(db, tmp_path, "a", text.encode(encoding))
    (region,) = match_of(db, text).regions
    assert region.a == region.b == TextPlace(0, len(text), 1, 9)
