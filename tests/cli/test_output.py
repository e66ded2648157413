"""Output for programs reads back as it was."""

import csv
import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.cli.output import write_csv, write_json


@given(st.text(st.characters(exclude_categories=())))
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
