"""Options of several commands: an output file is complete or unchanged, and combinations without sense are refused."""

import sys
from pathlib import Path

import click
import pytest

import fpdb
from fpdb.cli.options import NamesOutput, RegionOutput
from tests.cli.conftest import Run
from tests.cli.prose import prose


def test_an_output_that_fails_leaves_what_was_there(copies: Run) -> None:
    with fpdb.open("corpus.fpdb") as db:
        db.add(b"\xff".decode("utf-8", "surrogateescape"), prose(2, 300))
    Path("out.parquet").write_text("before")
    done = copies("drop-list", "--format", "parquet", "--output", "out.parquet", status=1)
    assert "not UTF-8" in done.stderr
    assert Path("out.parquet").read_text() == "before"
    assert sorted(path.name for path in Path().glob("out*")) == ["out.parquet"]
    copies("drop-list", "--output", "corpus.fpdb", status=2)
    assert copies("drop-list", "--names", "-0").stdout_bytes.endswith(b"\xff\0")


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "list --names -0",
        "list --format json",
        "list --format csv",
        "show a",
        "show a --text",
        "show a --fingerprints",
        "show a --format json",
        "info --format csv",
        "prune",
        "prune --names",
        "prune --format json",
        "explain a c",
        "explain a c --format json",
        "fingerprint text",
        "fingerprint text --format csv",
        "common --min-df 2",
        "drop-list",
        "pairs",
        "spans",
        "query text --format json",
    ],
)
def test_the_file_holds_what_would_be_printed(copies: Run, command: str) -> None:
    with fpdb.open("corpus.fpdb", sources=["."]) as db:
        db.add(b"\xff".decode("utf-8", "surrogateescape"), prose(2, 300), source=str(Path("gone").absolute()))
    arguments = ["--sources", ".", *command.split()]
    printed = copies(*arguments)
    written = copies(*arguments, "--output", "out")
    assert Path("out").read_bytes() == printed.stdout_bytes
    assert (written.stdout, written.stderr) == ("", printed.stderr)
    assert Path("out").stat().st_mode & 0o777 == 0o600
    copies(*arguments, "--output", "corpus.fpdb", status=2)


def test_nothing_is_removed_where_the_list_cannot_be_written(copies: Run) -> None:
    with fpdb.open("corpus.fpdb", sources=["."]) as db:
        db.add("gone", "text", source=str(Path("gone").absolute()))
    copies("--sources", ".", "prune", "--remove", "--output", "missing/out", status=1)
    with fpdb.open("corpus.fpdb") as db:
        assert "gone" in db


def test_a_package_that_is_missing_is_named(copies: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "fpdb[parquet]" in copies("pairs", "--format", "parquet", status=1).stderr


def test_sarif_consists_of_regions() -> None:
    assert RegionOutput(format="sarif", path="-", regions=False, both=False, gap=3, shortest=None).regions
    assert not RegionOutput(format="json", path="-", regions=False, both=False, gap=None, shortest=None).regions
    for given in ({"gap": 3, "shortest": None}, {"gap": 0, "shortest": None}, {"gap": None, "shortest": 1}):
        with pytest.raises(click.UsageError, match="give --regions too"):
            RegionOutput(format="json", path="-", regions=False, both=False, **given)


def test_names_end_with_a_newline_or_nul() -> None:
    assert NamesOutput(names=False, null=False).separator("json") is None
    assert NamesOutput(names=True, null=False).separator("table") == "\n"
    assert NamesOutput(names=True, null=True).separator("table") == "\0"
    with pytest.raises(click.UsageError, match="leave --format out"):
        NamesOutput(names=True, null=False).separator("csv")
    with pytest.raises(click.UsageError, match="give --names too"):
        NamesOutput(names=False, null=True).separator("table")


LISTS = [["add", "--files-from"], ["query", "--files-from"], ["remove", "--from"]]


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
@pytest.mark.parametrize("path", ["list", "-"])
def test_lists_with_another_separator_or_in_utf_16_are_one_error(copies: Run, command: list[str], path: str) -> None:
    name = "standard input" if path == "-" else path
    for content, error in (
        (b"a\0c\0", f"the list in {name} has NULs: give -0"),
        ("a\r\nc\r\n".encode("utf-16-le"), f"the list in {name} has NULs: give -0"),
        ("a\r\nc\r\n".encode("utf-16"), f"the list in {name} is UTF-16: write it as UTF-8"),
    ):
        Path("list").write_bytes(content)
        assert error in copies(*command, path, status=2, stdin=content).stderr
    assert "is UTF-16" in copies(*command, path, "-0", status=2, stdin=content).stderr


LINES = {
    "CR LF": "a\r\né\r\n",
    "CR LF without an end": "a\r\né",
    "a byte order mark": "\ufeffa\né\n",
    "a byte order mark and CR LF": "\ufeffa\r\né\r\n\r\n",
}


@pytest.mark.parametrize("content", LINES.values(), ids=LINES)
@pytest.mark.parametrize("path", ["list", "-"])
def test_lists_may_come_from_windows(copies: Run, content: str, path: str) -> None:
    Path("list").write_bytes(content.encode())
    for name in ("a", "é"):
        Path(name).write_text(prose(3, 300))
    assert copies("query", "--files-from", path, "--format", "json", stdin=content.encode()).stdout.count("\n") == 2
    assert "replaced 2" in copies("add", "--files-from", path, stdin=content.encode()).stdout
    assert "removed 2 documents" in copies("remove", "--from", path, stdin=content.encode()).stderr


def test_lists_with_nul_are_taken_as_they_are(copies: Run) -> None:
    names = ["\ufeffa", "a\r"]
    for name in names:
        copies("add", "text", "--name", name)
    assert "removed 2 documents" in copies("remove", "--from", "-", "-0", stdin="\0".join(names).encode()).stderr
