"""Runs commands in an empty folder; the database that a test leaves there must be sound."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import fpdb
from fpdb.cli.program import cli
from tests.cli.prose import lines, prose

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`run("add", "a.txt", status=0, stdin=b"")`: the command's result, its exit status checked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FPDB_DB", raising=False)
    monkeypatch.delenv("FPDB_KEY_FILE", raising=False)
    monkeypatch.delenv("FPDB_SOURCES", raising=False)

    def run_command(*arguments: str, status: int = 0, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(cli, arguments, input=stdin)
        assert result.exit_code == status, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    yield run_command
    if Path("corpus.fpdb").exists():
        with fpdb.open("corpus.fpdb", "r") as database:  # `fpdb check` takes another process, which takes time
            assert database.check() == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to an empty folder, with fpdb importable as before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FPDB_DB", raising=False)
    monkeypatch.delenv("FPDB_KEY_FILE", raising=False)
    monkeypatch.delenv("FPDB_SOURCES", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(Path(fpdb.__file__).parent.parent))
    return tmp_path


@pytest.fixture
def copies(run: Run) -> Run:
    """Make documents: a and b are nearly the same, c is a part of b, d differs; one name holds a line break."""
    text = prose(1, 300)
    for name, content in {
        "a": text[:1_200],
        "b\nb": text[:1_500],
        "c": text[1_000:1_500],
        "d": prose(2, 300),
        "é": prose(2, 300)[:1_000],
    }.items():
        Path("text").write_text(content)
        run("add", "text", "--keep-text", "--name", name, "--label", f"language={'fr' if name == 'é' else 'en'}")
    return run


@pytest.fixture
def term(run: Run) -> Run:
    """Add three submissions: bob copied two thirds of ann's second file; cid nothing; ann's own files overlap."""
    ann = prose(1, 600)
    files = {
        "ann/a.txt": ann[:2_000],
        "ann/b.txt": ann[1_000:],
        "bob/a.txt": ann[-2_000:] + prose(2, 150),
        "cid/a.txt": prose(3),
    }
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    run("add", "ann", "--label", "owner=ann")
    run("add", "bob", "cid", "--label", "term=2")
    return run


@pytest.fixture
def half_copied(run: Run) -> Run:
    """Add three texts; draft.txt is the first half of a.txt and something new."""
    Path("c").mkdir()
    for seed, name in enumerate(("a.txt", "b.txt", "c.txt")):
        Path("c", name).write_text(prose(seed))
    half = prose(0)[: len(prose(0)) // 2]
    Path("draft.txt").write_text(half + " " + prose(100, 200))
    run("add", "c")
    return run


@pytest.fixture
def shared_lines(run: Run) -> Run:
    """Add a.txt, which holds the lines 3 to 22 of draft.txt from its line 6 on, and b.txt, the last 10."""
    shared = lines(1, 20)
    Path("draft.txt").write_text("Heading\n" + "-" * 9 + "\n" + shared)
    Path("a.txt").write_text(lines(2, 5) + "\n" + shared + "\n" + lines(3, 5))
    Path("b.txt").write_text("\n".join(shared.split("\n")[10:]))
    run("add", "a.txt", "b.txt")
    return run


@pytest.fixture
def with_template(run: Run) -> Run:
    """Add c/a.txt, c/b.txt, and the boilerplate template."""
    Path("c").mkdir()
    for seed, name in enumerate(("a.txt", "b.txt")):
        Path("c", name).write_text(prose(seed))
    Path("template").write_text(prose(9))
    run("add", "c", "--label", "term=1")
    run("add", "template", "--boilerplate")
    return run


def listed(run: Run) -> dict[str, dict[str, object]]:
    """Return the catalogue, by name."""
    records = map(json.loads, run("list", "--format", "json").stdout.splitlines())
    return {record["name"]: record for record in records}


def write(path: str, content: str | bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
