"""Commands read the sources of documents below the roots only, and say so; a database from elsewhere reads nothing."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import fpdb
from fpdb import database, multi_database
from tests import crafted_archives as crafted
from tests.cli.conftest import Run
from tests.cli.prose import prose

TEXT = prose(1, 300)
READING = {
    "a query": ("query", "asked.txt", "--regions"),
    "a query as JSON": ("query", "asked.txt", "--regions", "--format", "json"),
    "a query by coverage": ("query", "asked.txt", "--by", "document-coverage", "--format", "csv"),
    "a query of records": ("query", "--jsonl", "asked.jsonl", "--regions", "--format", "json"),
    "a query of two databases": ("query", "--db", "corpus.fpdb", "--db", "other.fpdb", "asked.txt", "--regions"),
    "a report of a query": ("query", "asked.txt", "--report", "page.html"),
    "pairs": ("pairs", "--regions"),
    "pairs by coverage": ("pairs", "--by", "coverage", "--format", "csv"),
    "a report of pairs": ("pairs", "--report", "page.html"),
    "SARIF": ("pairs", "--format", "sarif"),
    "spans": ("spans",),
    "common passages": ("common", "--min-df", "2"),
    "an explanation": ("explain", "forged", "kept"),
    "a rotation": ("rotate",),
}
KOALA = ("a rotation",)
STATES: dict[str, Callable[[Path], object]] = {
    "missing": lambda _: None,
    "the same": lambda path: path.write_text(TEXT),
    "changed": lambda path: path.write_text(f"{TEXT} and more"),
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "an archive": lambda path: path.write_bytes(crafted.zipped(("member", TEXT.encode()))),
}
SOURCES = ("outside/x!/member", "named/link/x")


@pytest.fixture
def forged(run: Run, tmp_path: Path) -> Callable[[str, bool], Run]:
    """Make a database in which a document claims a source; return what runs a command without its message of it."""
    for folder in ("outside", "named"):
        Path(folder).mkdir()
    Path("named/link").symlink_to(tmp_path / "outside")
    Path("asked.txt").write_text(TEXT)
    Path("asked.jsonl").write_text(json.dumps({"name": "asked", "text": TEXT}))
    run("--db", "other.fpdb", "init")

    def make(source: str, rotates: bool) -> Run:
        recipe = fpdb.Recipe.preset("koala").with_(max_df=None) if rotates else fpdb.Recipe.preset("text")
        with fpdb.open("corpus.fpdb", "x", recipe=recipe) as db:
            db.add("forged", TEXT, source=source)
            db.add("kept", TEXT, keep_text=True)
            db.add("last", TEXT, source=source)
        return run

    return make


def seen(run: Run, *arguments: str) -> tuple[int, str, str, bytes]:
    """Return all that a command shows, but for the time at which a page was made."""
    result = run(*arguments)
    page = Path("page.html").read_bytes() if Path("page.html").exists() else b""
    page = re.sub(rb"\d{4}-\d\d-\d\d \d\d:\d\d", b"", page)
    return result.exit_code, result.stdout, result.stderr, page


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("source", SOURCES)
def test_no_command_tells_what_is_outside(
    forged: Callable[[str, bool], Run], tmp_path: Path, command: str, source: str
) -> None:
    run = forged(f"{tmp_path}/{source}", command in KOALA)
    answers = {seen(run, *READING[command])}  # nothing was added with `fpdb add`
    for make in STATES.values():
        make(tmp_path / "outside" / "x")
        answers.add(seen(run, "--sources", "named", *READING[command]))
        if Path("outside/x").is_dir():
            Path("outside/x").rmdir()
        else:
            Path("outside/x").unlink(missing_ok=True)
    assert len(answers) == 1
    if "json" not in READING[command] and command not in ("an explanation", "SARIF") and "coverage" not in command:
        assert re.search("--sources|outside", "".join(map(str, answers.pop())))


@pytest.mark.parametrize("command", READING)
def test_commands_read_what_is_below_a_root(forged: Callable[[str, bool], Run], tmp_path: Path, command: str) -> None:
    """Named before the command, or in the environment, one of several, an archive's member or not."""
    run = forged(f"{tmp_path}/named/x", command in KOALA)
    without = seen(run, *READING[command])
    Path("named/x").write_text(TEXT)
    assert seen(run, *READING[command]) == without
    assert seen(run, "--sources", "outside", *READING[command]) == without
    below = seen(run, "--sources", "outside", "--sources", "named", *READING[command])
    assert below != without
    if command not in KOALA:
        assert seen(run, "--sources", str(tmp_path / "named/x"), *READING[command]) == below


def test_what_was_added_here_is_read_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default: what `fpdb add` was given as paths, not what records say, nor what lies beside it."""
    for name in ("essays/a", "one", "beside", "all.zip", "named"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(TEXT)
    Path("all.zip").write_bytes(crafted.zipped(("member", TEXT.encode())))
    Path("records.jsonl").write_text(f'{{"name": "record", "text": "x", "source": "{Path("beside").resolve()}"}}')
    run("add", "essays", "./one", "all.zip")
    run("add", "named", "--name", "a name")
    run("add", "--jsonl", "records.jsonl")
    run("add", "-", "--name", "standard input", stdin=b"text")
    with fpdb.open("corpus.fpdb") as db:
        db.add("beside", TEXT, source=str(Path("beside").resolve()))
        readable = {}
        for document in db.documents():
            try:
                readable[document.name] = len(db.original(document.name)) > 0
            except fpdb.Unreadable:
                readable[document.name] = False
    assert {name for name in readable if not readable[name]} == {"beside", "record", "standard input"}
    shutil.copy("corpus.fpdb", "copied.fpdb")
    monkeypatch.setenv("FPDB_SOURCES", f"/none{os.pathsep}{Path().resolve()}")
    assert '"source": "same"' in run("--db", "copied.fpdb", "query", "one", "--regions", "--format", "json").stdout


def test_a_merged_database_reads_what_its_parts_read(run: Run) -> None:
    for name in ("a", "b"):
        Path(name).write_text(TEXT)
        run("--db", f"{name}.fpdb", "add", name)
    with fpdb.open("strange.fpdb") as db:
        Path("c").write_text(TEXT)
        db.add("c", TEXT, source=str(Path("c").resolve()))
    for name in ("a", "b", "strange"):
        Path("corpus.fpdb").exists() or run("init")
        run("merge", f"{name}.fpdb")
    told = run("query", "a", "--regions", "--format", "csv", "--include-self").stdout
    assert len(told.splitlines()) == 4
    with fpdb.open("corpus.fpdb", "r") as db:
        assert db.original("a") == db.original("b") == TEXT.encode()
        with pytest.raises(fpdb.Unreadable, match="--sources"):
            db.original("c")


def test_databases_that_are_queried_together_read_what_each_may(run: Run) -> None:
    """Also in worker processes, and the one with the other's sources reads none of them."""
    for name in ("a", "b"):
        Path(name).write_text(TEXT)
    run("--db", "mine.fpdb", "add", "a", "b")
    with fpdb.open("strange.fpdb") as db:
        for name in ("a", "b"):
            db.add(f"strange {name}", TEXT, source=str(Path(name).resolve()))
    for sources, readable in ((None, {"a", "b"}), (["a"], {"a", "strange a"}), ([], set())):
        with fpdb.open_all(["mine.fpdb", "strange.fpdb"], sources=sources) as here:
            open_in_worker = here.opener()
            told = here.query(TEXT, regions=True)
        with open_in_worker() as there:
            assert there.query(TEXT, regions=True) == told
        multi_database.open_for_worker.cache_clear()
        database.open_for_worker.cache_clear()
        assert {match.source for match in told.matches} <= {"same", "outside"}
        assert {match.name for match in told.matches if match.source == "same"} == readable


def test_what_was_added_is_known_of_copies_and_of_nothing_else(run: Run) -> None:
    """A database keeps its paths when it is moved, copied or rewritten; another file at its path has none."""
    Path("a").write_text(TEXT)
    run("add", "a")

    def is_read(path: str) -> bool:
        return '"same"' in run("--db", path, "query", "a", "--include-self", "--regions", "--format", "json").stdout

    run("backup", "backup.fpdb")
    shutil.copy("corpus.fpdb", "copied.fpdb")
    os.rename("corpus.fpdb", "moved.fpdb")
    for path in ("backup.fpdb", "copied.fpdb", "moved.fpdb"):
        assert is_read(path)
        run("--db", path, "compact")
        assert is_read(path)
    run("--db", "backup.fpdb", "export", "x.jsonl")
    run("import", "x.jsonl")
    shutil.copy("corpus.fpdb", "copied.fpdb")
    assert not is_read("corpus.fpdb")
    assert not is_read("copied.fpdb")
    with fpdb.open("corpus.fpdb") as db:
        db.remember_sources(["a"])
    assert is_read("corpus.fpdb")
