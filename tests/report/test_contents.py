"""Rows are numbered by rank, their parts within them."""

from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace
from fpdb.report.contents import Contents, Row


def test_parts_are_numbered_within_their_row() -> None:
    rows = [Row(0, 1, 1.0, [], part=part) for part in (False, True, True, False, False, True)]
    contents = Contents("Pairs", "pair", ("A", "B"), "containment", (), rows=rows)
    assert [number for number, _ in contents.numbered()] == ["1", "1.1", "1.2", "2", "3", "3.1"]
    assert contents.whole() == [rows[0], rows[3], rows[4]]


def test_a_row_tells_which_sides_are_in_symbols() -> None:
    region = MatchedRegion(TextPlace(0, 9, 1, 1), SymbolPlace(0, 5), 2)
    assert Row(0, 1, 1.0, [], [region]).in_symbols() == (False, True)
    assert Row(0, 1, 1.0, [], []).in_symbols() == Row(0, 1, 1.0, []).in_symbols() == (False, False)
