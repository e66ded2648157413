"""Columns of a page of a PDF are read one after the other, and tables line by line."""

import random

from fpdf import FPDF
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.readers.conftest import read_pdf

WORDS = ["river", "stone", "carried", "because", "mountain", "argued", "whether", "memory", "letter", "harbour"]
PROSE = st.lists(st.sampled_from(WORDS), min_size=4, max_size=5).map(" ".join)
COLUMN = st.lists(PROSE, min_size=3, max_size=12)


def draw(columns, by_line, offset=0):
    """Draw columns between a title and a footer, line by line or column by column; offset: of the next one's lines."""
    pdf = FPDF(unit="pt", format=(600, 800))
    pdf.add_page()
    pdf.set_font("helvetica", size=7)  # the longest words leave a gutter between three columns
    pdf.text(40, 40, "A title over all of the columns of this page, which is longer than each one of them")
    places = [(row, column) for column, lines in enumerate(columns) for row in range(len(lines))]
    for row, column in sorted(places) if by_line else places:
        pdf.text(40 + column * 520 / len(columns), 100 + 12 * row + offset * column, columns[column][row])
    pdf.text(40, 700, "footer")
    return pdf


@given(st.lists(COLUMN, min_size=2, max_size=3), st.integers(0, 3))
@example([["river " * 4] * 3, ["because mountain " * 2 + "because"] * 3, ["river " * 4] * 3], 0)
@settings(max_examples=25)
def test_columns_are_read_one_after_the_other(columns, offset):
    length = min(map(len, columns))
    columns = [lines[: length + 1] for lines in columns]
    expected = read_pdf(draw(columns, by_line=False))[0]
    assert read_pdf(draw(columns, True, offset))[0] == read_pdf(draw(columns, False, offset))[0] == expected


def test_tables_are_read_line_by_line():
    rows = [[random.Random(3 * row + column).choice(WORDS) for column in range(3)] for row in range(9)]
    pdf = draw([list(column) for column in zip(*rows, strict=True)], by_line=True)
    assert " ".join(" ".join(row) for row in rows) in read_pdf(pdf)[0]


@given(st.lists(PROSE, min_size=1, max_size=20))
@settings(max_examples=10)
def test_one_column_is_read_as_before(lines):
    pdf = draw([lines], by_line=True)
    assert read_pdf(pdf)[0] == read_pdf(pdf, version=1)[0]
