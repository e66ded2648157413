"""`fpdb fingerprint` and `fpdb init`: recipes given on the command line."""

import json
from pathlib import Path

import pytest

from fpdb.fingerprint import Recipe

from .conftest import Run
from .samples import prose

BAD_RECIPES = [
    (("-w", "0"), "from 1"),
    (("-w", "x"), "not a valid integer"),
    (("-k", "0"), "from 1"),
    (("-k", "100000"), "from 1"),
    (("--preset", "novel"), "choose one of: text"),
    (("--scheme", "novel"), "choose one of: winnow"),
    (("--set", "v=3"), "no parameter 'v'"),
    (("--set", "self=3"), "no parameter 'self'"),
    (("--set", "name=3"), "no parameter 'name'"),
    (("--set", "key=3"), "use --key"),
    (("--set", "k=3"), "use -k"),
    (("--set", "scheme=3"), "use --scheme"),
    (("--set", "w=x"), "must be a number"),
    (("--set", "w"), "NAME=VALUE"),
]


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


@pytest.mark.parametrize(("options", "hint"), BAD_RECIPES)
def test_a_recipe_that_makes_no_sense(run: Run, options: tuple[str, ...], hint: str) -> None:
    Path("a.txt").write_text(prose(1))
    assert hint in run("fingerprint", "a.txt", *options, status=2).stderr
    assert hint in run("init", *options, status=2).stderr
    assert not Path("corpus.fpdb").exists()


def test_init(run: Run) -> None:
    result = run("init", "--preset", "web", "--set", "w=50", "-k", "40")
    assert result.stdout.startswith("created corpus.fpdb: ")
    assert "k=40, w=50" in result.stdout
    recipe = json.loads(run("info", "--format", "json").stdout)["recipe"]
    assert {(rule["k"], rule["parameters"]["w"]) for rule in recipe["rules"].values()} == {(40, 50)}


def test_a_key_of_ones_own_changes_the_hashes_and_stays_secret(run: Run) -> None:
    Path("a.txt").write_text(prose(1))
    hashes = []
    for options in ((), ("--key", "0xfeed"), ("--key", "65261")):
        answer = json.loads(run("fingerprint", "a.txt", "--format", "json", *options).stdout)
        hashes.append([row[0] for row in answer["fingerprints"]])
    assert hashes[0] != hashes[1] == hashes[2]
    printed = run("init", "--key", "0xfeed").output
    for command in (["add", "a.txt"], ["info"], ["info", "--format", "json"], ["show", "a.txt"], ["list"]):
        printed += run(*command).output
    assert "65261" not in printed
    assert "feed" not in printed
    assert "key          secret, in the database\n" in printed
    assert "12345678901234567890123" not in run("init", "--key", "12345678901234567890123", status=2).output


def test_init_refuses_what_is_there(run: Run) -> None:
    run("init")
    before = Path("corpus.fpdb").read_bytes()
    assert "corpus.fpdb" in run("init", "--preset", "web", status=1).stderr
    assert Path("corpus.fpdb").read_bytes() == before
    Path("other").write_text("mine")
    run("--db", "other", "init", status=1)
    assert Path("other").read_text() == "mine"


def test_add_and_query_use_the_databases_recipe(run: Run) -> None:
    Path("a.txt").write_text(prose(1))
    run("init", "-k", "12", "-w", "4")
    run("add", "a.txt")
    selected = json.loads(run("fingerprint", "a.txt", "-k", "12", "-w", "4", "--format", "json").stdout)
    stored = json.loads(run("show", "a.txt", "--format", "json").stdout)
    assert stored["fingerprints"] == len(selected["fingerprints"])
