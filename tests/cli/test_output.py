"""What is printed is safe for a terminal and exact for programs."""

import csv
import io
import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.cli.output import Column, bar, count_text, printable, size_text, write_csv, write_json, write_table

any_text = st.text(st.characters(exclude_categories=()))


@given(any_text)
def test_printable_text_holds_nothing_that_moves_a_terminal(text: str) -> None:
    categories = {unicodedata.category(char) for char in printable(text)}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M", "Zs"])))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_printable_says_what_was_there() -> None:
    assert printable("a\x1b[31m\u202eb\udce9\n\U000e0041") == "a\\x1b[31m\\u202eb\\xe9\\x0a\\U000e0041"


@given(any_text)
def test_json_is_one_line_of_ascii(text: str) -> None:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        write_json({"name": text})
    assert out.getvalue().isascii()
    assert out.getvalue().count("\n") == 1
    assert json.loads(out.getvalue()) == {"name": text}


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2)))
def test_csv_reads_back(rows: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        write_csv(("a", "b"), rows)
    out.seek(0)
    assert list(csv.reader(out)) == [["a", "b"], *rows]


def test_a_table_in_a_pipe_is_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    write_table([Column("name"), Column("n", right=True)], [("x" * 500, "1"), ("y", "1,000")])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["name".ljust(500) + "      n", "x" * 500 + "      1", "y".ljust(500) + "  1,000"]


def test_columns_without_title_and_content_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    write_table([Column("a"), Column(""), Column("b"), Column("")], [("1", "", "", "x"), ("2", "", "", "")])
    assert capsys.readouterr().out == "a  b\n1     x\n2\n"


@given(st.floats(0, 1))
def test_a_bar_has_the_length_of_its_share(share: float) -> None:
    drawn = bar(share, 10)
    assert len(drawn) in (int(share * 10), int(share * 10) + 1)
    assert set(drawn) <= set("█▏▎▍▌▋▊▉#")


def test_figures_for_people() -> None:
    assert [size_text(size) for size in (0, 999, 1000, 3_400_000, 2e9)] == [
        "0 bytes",
        "999 bytes",
        "1.0 kB",
        "3.4 MB",
        "2.0 GB",
    ]
    assert [count_text(count, "run") for count in (0, 1, 2000)] == ["0 runs", "1 run", "2,000 runs"]
