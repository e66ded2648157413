"""Rows are numbered by rank, their parts within them."""

from fpdb.report.contents import PageContents, Row


def test_parts_are_numbered_within_their_row() -> None:
    rows = [Row(0, 1, 1.0, [], part=part) for part in (False, True, True, False, False, True)]
    contents = PageContents("Pairs", "pair", ("A", "B"), "shared", "containment", (), rows=rows)
    assert [number for number, _ in contents.numbered()] == ["1", "1.1", "1.2", "2", "3", "3.1"]
    assert contents.whole() == [rows[0], rows[3], rows[4]]
