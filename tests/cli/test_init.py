"""`fpdb init`: the recipe is fixed, and keys stay secret."""

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.prose import prose


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
