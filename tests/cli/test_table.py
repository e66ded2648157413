"""Tables: nothing is cut in a pipe, and empty columns are left out."""

import io
from contextlib import redirect_stdout

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fpdb import spool
from fpdb.cli import output, table
from fpdb.cli.table import write_table
from fpdb.cli.terminal import printable
from fpdb.columns import DOCUMENT, ResultColumn, named


def test_a_table_in_a_pipe_is_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    write_table([ResultColumn("name", str, "name"), ResultColumn("n", int, "n")], [("x" * 500, "1"), ("y", "1,000")])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["name".ljust(500) + "      n", "x" * 500 + "      1", "y".ljust(500) + "  1,000"]


def test_columns_without_title_and_content_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [ResultColumn(name or "empty", str, name) for name in ("a", "", "b", "")]
    write_table([ResultColumn("invisible", str, "")], [("\u0301",)])
    assert capsys.readouterr().out == "\n\n"
    write_table(columns, [("1", "", "", "x"), ("2", "", "", "")])
    assert capsys.readouterr().out == "a  b\n1     x\n2\n"


def test_wide_characters_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    columns = named(DOCUMENT, "name", "kind")
    write_table(columns, [["文書", "text"], ["abcd", "text"], ["e\u0301", "text"]])
    lines = capsys.readouterr().out.splitlines()
    assert {cell_len(line[: line.rindex("text")]) for line in lines[1:]} == {6}


CELLS = st.text("a1 é文\u0301\t%\udcff", max_size=4)


@given(st.data(), st.lists(st.tuples(st.sampled_from([str, int]), st.sampled_from(["", "n", "名"])), min_size=1))
@settings(max_examples=50, deadline=None)
def test_a_plain_table_pads_each_cell_to_its_column(data: st.DataObject, kinds: list[tuple[type, str]]) -> None:
    rows = data.draw(st.lists(st.tuples(*[CELLS] * len(kinds)), max_size=9))
    headings = tuple(heading for _, heading in kinds)
    lines = [[printable(cell) for cell in row] for row in (headings, *rows)]
    expected = [""] * len(lines)
    for place, (type_, heading) in enumerate(kinds):
        cells = [line[place] for line in lines]
        if not heading and not any(map(cell_len, cells)):
            continue
        for index, cell in enumerate(cells):
            padding = " " * (max(map(cell_len, cells)) - cell_len(cell))
            expected[index] += "  " + (padding + cell if type_ is int else cell + padding)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
        for module, name, value in ((output, "BATCH", 2), (table, "DRAWN_ROWS", 3), (spool, "BATCH", 2)):
            patch.setattr(module, name, value)
        write_table([ResultColumn("x", type_, heading or None) for type_, heading in kinds], rows)
    assert out.getvalue() == "".join(f"{line[2:].rstrip()}\n" for line in expected)
