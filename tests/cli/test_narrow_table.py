"""A table fits into the lines of a terminal, and says what it leaves out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.cli.narrow_table import GAP, SHORTEST_NAME, fit_table, shorten
from fpdb.cli.terminal import text_width

COLUMNS = ["rank", "a", "b", "shared", "resemblance", "similarity", "bar"]
HEADINGS = ["#", "a", "b", "shared", "resemblance", "similarity", ""]
names = st.text("ab/é中 .", min_size=1, max_size=60)


def line_width(row):
    return sum(map(text_width, row)) + GAP * (len(row) - 1)


def padded(table):
    """Return the widest line once each column is as wide as its widest cell."""
    columns = [[row[index] for row in table.rows] for index in table.kept]
    return line_width([max(column, key=text_width) for column in columns])


@given(st.lists(st.tuples(names, names), min_size=1, max_size=5), st.integers(30, 200))
def test_what_can_be_fitted_is(pairs, width):
    rows = [HEADINGS, *([f"{at}", a, b, "12", "0.500", "0.750", "=" * 8] for at, (a, b) in enumerate(pairs))]
    table = fit_table(COLUMNS, rows, width)
    whole = padded(fit_table(COLUMNS, rows, 10_000))
    numbers = line_width(["#", "shared", "similarity"]) + 2 * GAP
    if width >= numbers + 2 * SHORTEST_NAME:
        assert padded(table) <= width
    if whole <= width:
        assert (table.rows, table.kept, table.notes) == (rows, list(range(7)), [])
    assert {"rank", "a", "b", "shared", "similarity"} <= {COLUMNS[index] for index in table.kept}
    folder = next((note.removeprefix("all in ") for note in table.notes if note.startswith("all in ")), "")
    shortened = any("names are shortened" in note for note in table.notes)
    for row, (a, b) in zip(table.rows[1:], pairs, strict=True):
        for cell, name in zip(row[1:3], (a, b), strict=True):
            if cell != name.removeprefix(folder):
                assert shortened
                assert re.fullmatch(".*".join(map(re.escape, cell.split("…"))), name.removeprefix(folder), re.S)


@given(names, st.integers(3, 40))
def test_a_short_text_has_both_ends(text, width):
    short = shorten(text, width)
    assert text_width(short) <= width
    if text_width(text) <= width:
        assert short == text
    else:
        begin, end = short.split("…")
        assert text.startswith(begin)
        assert text.endswith(end)


@pytest.mark.parametrize("ranked_by", ["resemblance", "similarity"])
def test_the_measure_that_is_ranked_by_stays(ranked_by):
    columns = ["name", "resemblance", *(["similarity"] if ranked_by == "similarity" else []), "bar"]
    rows = [columns, ["x" * 40, *["0.500"] * (len(columns) - 1)]]
    table = fit_table(columns, rows, 30)
    assert [columns[index] for index in table.kept] == ["name", ranked_by]
    assert ("resemblance is left out" in table.notes[0]) == (ranked_by == "similarity")


STUDENT = "student_number_{}.assignment_final_version_as_handed_in.txt"


@pytest.mark.parametrize(
    "form",
    [
        STUDENT,
        "assignment_final_version_as_handed_in_by_student_number_{}",
        "a/{}/assignment_final_version_as_handed_in_in_the_end.txt",
        "assignment_of_a_student_number_{}_final_version_as_handed_in.txt",
        "{}",
    ],
)
@pytest.mark.parametrize("width", [60, 80])
def test_shortened_names_stay_apart(form, width):
    together = [form.format(number) for number in range(12)]
    rows = [HEADINGS, *([f"{at}", name, name, "12", "0.500", "0.750", "=" * 8] for at, name in enumerate(together))]
    table = fit_table(COLUMNS, rows, width)
    assert padded(table) <= width
    for column in (1, 2):
        assert len({row[column] for row in table.rows[1:]}) == len(together)
