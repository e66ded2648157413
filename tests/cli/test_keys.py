"""Secret keys on the command line."""

import json
from pathlib import Path

import pytest

from fpdb import keys
from fpdb.database import open as open_database
from tests.cli.conftest import Run
from tests.cli.prose import prose

KEY = 0x1234_5678_9ABC_DEF1


@pytest.fixture
def essays(tmp_path: Path) -> list[str]:
    (tmp_path / "c").mkdir()
    for seed, name in enumerate(("a.txt", "b.txt")):
        (tmp_path / "c" / name).write_text(prose(seed))
    return ["c/a.txt", "c/b.txt"]


@pytest.mark.parametrize("sort", ["--key", "--secret", "--secret-file", "--key-file"])
@pytest.mark.usefixtures("essays")
def test_no_command_prints_a_secret_key(run: Run, sort: str) -> None:
    said = [run("init", sort, *{"--key": [str(KEY)], "--secret": []}.get(sort, ["k"]))]
    before = ["--key-file", "k"] if sort.endswith("-file") else []
    with open_database("corpus.fpdb", key_file=before[-1] if before else None) as db:
        key = db.recipe.key
        said.append(repr(db.recipe))
    for form in ("table", "json", "csv"):
        for command in (["add", "c"], ["info"], ["list"], ["show", "c/a.txt"], ["check"], ["pairs"]):
            said.append(run(*before, *command, "--format", form))
        said.append(run(*before, "query", "c/a.txt", "--regions", "--report", f"{form}.html", "--format", form))
        said.append(Path(f"{form}.html").read_text())
    said += [run(*before, "compact"), run(*before, "backup", "copy")]
    said += [run("init", "--key", f"{key}x", status=2), run("init", "--key", str(KEY), status=1)]
    said += [run("--key-file", "c/a.txt", "add", "c", status=1 if before else 0)]
    text = "\n".join(one if isinstance(one, str) else one.output for one in said).lower()
    forms = {str(key), f"{key:x}"}
    if before:
        forms.add(Path("k").read_text().split()[2])
    assert [form for form in forms if form in text] == []


def test_a_secret_is_another_one_each_time(run: Run) -> None:
    found = set()
    for number in range(4):
        run("--db", f"{number}.fpdb", "init", "--secret")
        with open_database(f"{number}.fpdb") as db:
            found.add(db.recipe.key)
    assert len(found) == 4
    assert json.loads(run("--db", "0.fpdb", "info", "--format", "json").stdout)["recipe"]["secret_key"] is True


@pytest.mark.usefixtures("essays")
def test_all_commands_work_with_the_file_and_say_what_lacks_without(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", "--secret-file", "k")
    for command in (["add", "c"], ["query", "c/a.txt"]):
        assert "--key-file" in run(*command, status=1).stderr
    monkeypatch.setenv("FPDB_KEY_FILE", "k")
    run("add", "c")
    assert "c/a.txt" in run("query", "c/a.txt", "--include-self").stdout
    monkeypatch.delenv("FPDB_KEY_FILE")
    for command in (["list"], ["show", "c/a.txt"], ["info"], ["pairs"], ["check"], ["compact"], ["remove", "c/a.txt"]):
        run(*command)
    assert "its key is in k2: keep a copy" in run("--db", "x.fpdb", "init", "--secret-file", "k2").stderr
    assert "another database" in run("--key-file", "k2", "query", "c/a.txt", status=1).stderr
    assert "cannot be read" in run("--key-file", "k3", "query", "c/a.txt", status=1).stderr


@pytest.mark.usefixtures("essays")
def test_databases_that_share_a_key_file_have_the_same_hashes(run: Run) -> None:
    run("init", "--secret-file", "k")
    run("--db", "x.fpdb", "--key-file", "k", "init")
    assert json.loads(run("--db", "x.fpdb", "info", "--format", "json").stdout)["recipe"]["key_file"] is True
    found = [run("--key-file", "k", "fingerprint", "c/a.txt", "--format", "csv").stdout]
    with open_database("x.fpdb", key_file="k") as db:
        found.append(run("fingerprint", "c/a.txt", "--format", "csv", "--key", str(db.recipe.key)).stdout)
    assert found[0] == found[1] != run("fingerprint", "c/a.txt", "--format", "csv").stdout


@pytest.mark.usefixtures("essays")
def test_a_database_that_add_creates_gets_the_key_of_the_file(run: Run) -> None:
    keys.create("k")
    run("--key-file", "k", "add", "c")
    assert "in a file of its own" in run("info").stdout


def test_the_key_file_is_no_document(run: Run, essays: list[str]) -> None:
    run("init", "--secret-file", "c/k")
    run("--key-file", "c/k", "add", "c", "--keep-text")
    run("--key-file", "c/k", "query", "c")
    assert [json.loads(line)["name"] for line in run("list", "--format", "json").stdout.splitlines()] == essays


def test_one_key_at_a_time(run: Run) -> None:
    keys.create("k")
    for given in (["--key", "5", "--secret"], ["--secret", "--secret-file", "new"]):
        assert "give one key" in run("init", *given, status=2).stderr
    assert "give one key" in run("--key-file", "k", "init", "--key", "5", status=2).stderr
    assert not Path("new").exists()


def test_no_key_file_is_left_where_no_database_was_made(run: Run) -> None:
    run("init")
    run("init", "--secret-file", "k", status=1)
    assert not Path("k").exists()
