"""Tables: nothing is cut in a pipe, and empty columns are left out."""

import pytest
from rich.cells import cell_len

from fpdb.cli.table import write_table
from fpdb.columns import DOCUMENT, ResultColumn, named


def test_a_table_in_a_pipe_is_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    write_table([ResultColumn("name", str, "name"), ResultColumn("n", int, "n")], [("x" * 500, "1"), ("y", "1,000")])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["name".ljust(500) + "      n", "x" * 500 + "      1", "y".ljust(500) + "  1,000"]


def test_columns_without_title_and_content_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [ResultColumn(name or "empty", str, name) for name in ("a", "", "b", "")]
    write_table(columns, [("1", "", "", "x"), ("2", "", "", "")])
    assert capsys.readouterr().out == "a  b\n1     x\n2\n"


def test_wide_characters_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    columns = named(DOCUMENT, "name", "kind")
    write_table(columns, [["文書", "text"], ["abcd", "text"], ["e\u0301", "text"]])
    lines = capsys.readouterr().out.splitlines()
    assert {cell_len(line[: line.rindex("text")]) for line in lines[1:]} == {6}
