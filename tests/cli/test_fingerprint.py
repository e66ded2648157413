"""`fpdb fingerprint`: hashes, positions and starts."""

import json
from pathlib import Path

from fpdb.fingerprint import Recipe
from tests.cli.conftest import Run
from tests.cli.prose import prose


def test_json_is_the_contract(run: Run) -> None:
    text = "Ünïcode, " + prose(1)
    Path("a.txt").write_text(text)
    result = run("fingerprint", "a.txt", "-k", "9", "-w", "5", "--scheme", "winnow", "--format", "json")
    answer = json.loads(result.stdout)
    assert list(answer) == ["name", "kind", "symbols", "kgrams", "fingerprints"]
    expected = Recipe.preset("text").with_(k=9, w=5, scheme="winnow").fingerprint(text)
    assert (answer["name"], answer["kind"]) == ("a.txt", "text")
    assert (answer["symbols"], answer["kgrams"]) == (expected.symbols, expected.kgrams)
    columns = (expected.hashes.tolist(), expected.positions.tolist(), expected.starts.tolist())
    assert answer["fingerprints"] == [list(row) for row in zip(*columns, strict=True)]
    assert not Path("corpus.fpdb").exists()


def test_table_and_csv(run: Run) -> None:
    Path("a.txt").write_text(prose(1))
    rows = json.loads(run("fingerprint", "a.txt", "--format", "json").stdout)["fingerprints"]
    head, titles, *lines = run("fingerprint", "a.txt").stdout.splitlines()
    assert head.endswith(f"{len(rows)} fingerprints; read as utf-8")
    assert titles.split() == ["hash", "position", "start"]
    assert [[int(cell) for cell in line.split()] for line in lines] == rows
    header, *lines = run("fingerprint", "a.txt", "--format", "csv").stdout.splitlines()
    assert header == "name,hash,position,start"
    assert lines == [f"a.txt,{','.join(map(str, row))}" for row in rows]


def test_bad_input(run: Run) -> None:
    Path("f").mkdir()
    Path("f/empty").touch()
    Path("f/binary").write_bytes(b"\0")
    result = run("fingerprint", "f", "missing", "--format", "json", status=1)
    assert json.loads(result.stdout)["fingerprints"] == []
    assert "skipped f/binary: binary" in result.stderr
    assert "skipped missing: no such file" in result.stderr
    assert json.loads(run("fingerprint", "-", "--format", "json", stdin=b"").stdout)["name"] == "-"
