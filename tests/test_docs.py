"""Paths, names, commands, options and examples in the documentation exist and work."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import fpdb
from fpdb import limits
from fpdb.cli.program import cli as program
from fpdb.limits import DEFAULT_ARCHIVE_LIMITS, MAX_DOCUMENT_BYTES, XZ_MEMORY
from fpdb.storage import file_format
from fpdb.storage.runs import _encode

ROOT = Path(__file__).parents[1]
CONTEXT = click.Context(program)
COMMANDS = {name: program.get_command(CONTEXT, name) for name in program.list_commands(CONTEXT)}
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_exist(page: Path) -> None:
    text = page.read_text()
    linked = [page.parent / target for target in re.findall(r"\]\((?!https?:)([^)#]+)", text)]
    quoted = [ROOT / path for path in re.findall(r"`((?:fpdb|tests|bench|tools|docs)/[\w./-]*)`", text)]
    assert [path for path in linked + quoted if not path.exists()] == []


def test_every_page_is_on_the_site() -> None:
    listed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    pages = {str(page.relative_to(ROOT)) for page in [*PAGES, ROOT / "SECURITY.md"]}
    assert set(listed) == pages | {"api.md"}


def test_paths_in_tools_exist() -> None:
    text = "".join(path.read_text() for path in (ROOT / "tools").iterdir())
    assert [path for path in re.findall(r"\b(?:tests|docs)/[\w./-]*\w", text) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_exist(page: Path) -> None:
    """Every `a.b` in code quotes that begins with a module or class of ours leads somewhere."""
    import fpdb.search.ranking
    import fpdb.storage.commit
    import fpdb.storage.maintenance.check
    import fpdb.storage.runs.merge_policy
    import fpdb.storage.store

    known = {
        "fpdb": fpdb,
        "Database": fpdb.Database,
        "WriteBatch": fpdb.WriteBatch,
        "Recipe": fpdb.Recipe,
        "Store": fpdb.storage.store.Store,
        "commits": fpdb.storage.commit,
        "policy": fpdb.storage.runs.merge_policy,
        "queries": fpdb.search.ranking,
        "layout": file_format,
    }
    on_disk = {key.decode() for key in vars(file_format).values() if isinstance(key, bytes)}
    for owner, name in re.findall(r"`(\w+)\.(\w+)[`(]", page.read_text()):
        if owner in known and f"{owner}.{name}" not in on_disk:
            assert hasattr(known[owner], name), f"{owner}.{name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    for name, rest in re.findall(
        r"fpdb ([a-z]+(?:-[a-z]+)*)\b([^`|\n]*)", "\n".join(re.findall(r"`[^`]+`|^ {4}\$.*$", text, re.M))
    ):
        command = COMMANDS[name]
        assert command is not None
        if isinstance(command, click.Group):
            command = next((part for word in rest.split() if (part := command.commands.get(word))), command)
        options = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options, (name, rest)


def test_every_command_is_named_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    assert [name for name in COMMANDS if f"`{name}`" not in text] == []


def test_commands_are_named_like_methods() -> None:
    methods = {name: name for name in COMMANDS} | {"list": "documents", "show": "document"}
    for command in set(COMMANDS) - {"browse", "dedup", "init", "fingerprint", "import", "publish", "repair", "spark"}:
        assert hasattr(fpdb.Database, methods[command].replace("-", "_")), command


@pytest.mark.parametrize(("page", "found"), [("README.md", "essay.txt"), ("docs/guide/embedding.md", "speech.txt")])
def test_python_examples_run(page: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    examples = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert examples
    for example in examples:
        exec(example, names)  # noqa: S102 (our own page)
    assert [match.name for match in names["answer"].matches] == [found]  # type: ignore[attr-defined]


def test_the_python_example_of_records_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    text = "The same words, said again and again, of which each record has enough. " * 3
    row = {"id": "a", "content": text, "meta": {"url": "https://example.org"}}
    Path("corpus").mkdir()
    Path("corpus/a.jsonl").write_text(json.dumps(row) + "\n")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").Table.from_pylist([row | {"id": "b"}])
    parquet.write_table(table, "new.parquet")
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/records.md").read_text(), re.S)
    exec(example, {})  # noqa: S102 (our own page)
    assert re.match(r"b .*\ba\b", capsys.readouterr().out)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_python_examples_import_is_there(page: Path) -> None:
    for example in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        for node in ast.walk(ast.parse(example)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fpdb"):
                exec(ast.unparse(node), {})  # noqa: S102 (our own page)


def test_the_programs_of_a_service_run(tmp_path: Path) -> None:
    programs = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/services.md").read_text(), re.S)
    assert [word for word in ("asyncio", "ThreadPool", "ProcessPool") if word not in "".join(programs)] == []
    for number, source in enumerate(programs):
        path = tmp_path / f"program_{number}.py"
        path.write_text(source)
        run = subprocess.run([sys.executable, path.name], cwd=tmp_path, capture_output=True, text=True, check=False)
        expected = re.findall(r"# prints (.*)", source)
        assert (run.stdout.splitlines(), run.stderr) == (expected, "")


def test_worked_example_of_the_file_format() -> None:
    text = (ROOT / "docs" / "design" / "file-format.md").read_text()
    lines = text.split("## A worked example")[1].split("##")[0].splitlines()
    written = "".join(line.replace("checksum(8)", "") for line in lines if line.startswith("    "))
    hashes, documents = np.array([10, 10, 12], np.uint64), np.array([0, 2, 1], np.uint32)
    buffer, sizes, counts = _encode.encode_postings(hashes, documents, True)
    assert counts == [3]
    assert bytes(buffer[0][file_format.CHECKSUM : sizes[0]]) == bytes.fromhex(written)


def test_the_limits_of_archives_are_those_there_are() -> None:
    rows = [
        line.split("|")[2].strip()
        for line in (ROOT / "docs" / "guide" / "archives.md").read_text().splitlines()
        if "|" in line
    ]
    megabytes = [
        f"{size / 1e6:.0f} MB" for size in (DEFAULT_ARCHIVE_LIMITS.held, DEFAULT_ARCHIVE_LIMITS.directory, XZ_MEMORY)
    ]
    said = [
        f"{DEFAULT_ARCHIVE_LIMITS.members:,}",
        f"{DEFAULT_ARCHIVE_LIMITS.unpacked / 1e9:.0f} GB",
        str(DEFAULT_ARCHIVE_LIMITS.ratio),
        str(DEFAULT_ARCHIVE_LIMITS.depth),
    ]
    said += [
        f"{MAX_DOCUMENT_BYTES / 1e9:.1f} GB",
        *megabytes[:2],
        f"{DEFAULT_ARCHIVE_LIMITS.header:,} bytes",
        f"{DEFAULT_ARCHIVE_LIMITS.name:,} characters",
    ]
    assert rows[-len(said) - 1 :] == [*said, megabytes[2]]
    assert (
        f"the first {DEFAULT_ARCHIVE_LIMITS.free / 1e6:.0f} MB" in (ROOT / "docs" / "guide" / "archives.md").read_text()
    )


def test_the_limits_of_documents_are_those_there_are() -> None:
    text = (ROOT / "SECURITY.md").read_text().partition("## Limits")[2].partition("\n## ")[0]
    one = limits.DocumentLimits()
    said = [
        f"| {one.seconds:g} s |",
        f"| {limits.FAILING_FACTOR * one.seconds:g} s |",
        f"| {one.memory / 1e9:g} GB |",
        f"| {one.text_bytes / 1e6:g} MB |",
        f"| {one.copied_bytes / 1e6:.0f} MB |",
        f"{limits.BYTES_PER_TAG} bytes for each tag",
        f"| {MAX_DOCUMENT_BYTES / 1e9:.1f} GB",
        f"| {limits.MAX_UPLOAD_BYTES / 1e6:.0f} MB |",
        f"| {limits.MAX_PDF_BYTES / 1e6:.0f} MB, {limits.MAX_PDF_PAGES:,} pages |",
        f"| {limits.MAX_POSTSCRIPT_OUTPUT / 1e6:.0f} MB |",
        f"{limits.MAX_OFFICE_PART / 1e6:.0f} MB; {limits.MAX_EXPANSION} times",
        f"{limits.MAX_OFFICE_MEMBERS:,} members, {limits.MAX_OFFICE_DEPTH:,} nested",
        f"beyond {limits.FREE_EXPANSION / 1e6:.0f} MB",
        f"{limits.ZSTD_WINDOW / 1e6:.0f} MB; {XZ_MEMORY / 1e6:.0f} MB",
    ]
    assert [part for part in said if part not in text] == []


def test_the_tour_is_short() -> None:
    assert len((ROOT / "docs" / "architecture.md").read_text().splitlines()) <= 150
