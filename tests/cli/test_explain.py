"""`fpdb explain`: sentences for people, fixed keys for programs."""

import csv
import io
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.json_lines import objects
from tests.cli.prose import prose


def test_explain_tells_in_sentences_and_in_fixed_keys(copies: Run) -> None:
    lines = copies("explain", "a", "d").stdout.splitlines()
    assert lines[0].split() == ["a", "d"]
    assert "They share no fingerprint." in lines[-1]
    Path("draft.txt").write_text(prose(1, 300)[:600])
    (found,) = objects(copies("explain", "b\nb", "draft.txt", "--min", "0.2", "--format", "json").stdout)
    assert (found["similar"], found["b"]["in_database"], found["reasons"][0]["code"]) == (True, False, "similar")
    assert list(found)[:5] == ["similar", "a", "b", "shared", "shared_boilerplate"]
    rows = list(csv.reader(io.StringIO(copies("explain", "a", "c", "--format", "csv").stdout)))
    assert rows[0] == ["figure", "a", "b"]
    assert "no such file" in copies("explain", "a", "nowhere", status=1).stderr
    assert "\\x0a" in copies("explain", "a", "b\nb").stdout
