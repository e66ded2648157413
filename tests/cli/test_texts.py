"""`add --keep-text`, and what it is for: the documents are shown when their files are gone, or never were."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.prose import prose

SHARED = "\n".join(prose(at, 8) for at in range(20))
TEXTS = {name: f"Zeile é\n{prose(seed, 9)}\r\n{SHARED}\n{prose(seed + 1, 9)}" for seed, name in ((50, "a"), (60, "b"))}


def jsonl(*flags: str, run: Run) -> None:
    Path("in.jsonl").write_text("".join(json.dumps({"name": n, "text": t}) + "\n" for n, t in TEXTS.items()))
    run("add", "--jsonl", "in.jsonl", *flags)


def from_files(*flags: str, run: Run) -> None:
    for name, text in TEXTS.items():
        Path(name).write_bytes(text.encode())
    run("add", *TEXTS, *flags)
    for name in TEXTS:
        Path(name).unlink()


def from_standard_input(*flags: str, run: Run) -> None:
    for name, text in TEXTS.items():
        run("add", "-", "--name", name, *flags, stdin=text.encode())


WAYS = (from_files, jsonl, from_standard_input)


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request: pytest.FixtureRequest) -> Any:
    return request.param


def report() -> Any:
    page = Path("r.html").read_text("utf-8")
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)[0])
    texts = re.findall(r'<script type="application/json" id="t(\d+)">(.*?)</script>', page)
    return data, {data["sources"][int(index)]["name"]: json.loads(text)["text"] for index, text in texts}


def test_kept_texts_are_shown(run: Run, way: Any) -> None:
    way("--keep-text", run=run)
    Path("draft").write_text(SHARED)
    answer = json.loads(run("query", "draft", "--regions", "--format", "json").stdout)
    assert {match["name"]: match["source"] for match in answer["matches"]} == {"a": "same", "b": "same"}
    for match in answer["matches"]:
        (region,) = match["regions"]
        text = TEXTS[match["name"]]
        assert SHARED[5:-5] in text[region["document"]["start"] : region["document"]["end"]]
        assert (region["document"]["first_line"], region["document"]["last_line"]) == (3, 22)
    shown = run("query", "draft", "--regions").stdout
    assert re.search(r"  lines 1:1-20:\d+ = lines 3:1-22:\d+ \(\d+ matched\)\n", shown)
    run("pairs", "--report", "r.html")
    data, texts = report()
    assert texts == TEXTS
    assert [source["state"] for source in data["sources"]] == ["same", "same"]
    run("query", "draft", "--report", "r.html")
    assert report()[1] == TEXTS | {"draft": SHARED}


def test_what_was_not_kept_is_said(run: Run, way: Any) -> None:
    way(run=run)
    state, why = (
        ("gone", "its source is gone, and its text was not kept: positions only")
        if way is from_files
        else (
            "not_kept",
            "it did not come from a file here, and its text was not kept: positions only",
        )
    )
    Path("draft").write_text(SHARED)
    answer = json.loads(run("query", "draft", "--regions", "--format", "json").stdout)
    assert {match["source"] for match in answer["matches"]} == {state}
    assert why in run("query", "draft", "--regions").stdout
    run("pairs", "--report", "r.html")
    data, texts = report()
    assert texts == {}
    assert {source["state"] for source in data["sources"]} == {state}
    assert f"{state}:" in Path("r.html").read_text("utf-8")  # the page says it in words


def test_a_kept_text_outlives_a_change_of_its_file(run: Run) -> None:
    for name, text in TEXTS.items():
        Path(name).write_bytes(text.encode())
    run("add", "a", "--keep-text")
    run("add", "b")
    for name in TEXTS:
        Path(name).write_text("something else")
    Path("draft").write_text(SHARED)
    shown = run("query", "draft", "--regions").stdout
    assert shown.count("its source has changed since it was added: positions only") == 1
    run("pairs", "--report", "r.html")
    data, texts = report()
    assert {source["name"]: source["state"] for source in data["sources"]} == {"a": "same", "b": "changed"}
    assert texts == {"a": TEXTS["a"]}


def test_adding_again(run: Run) -> None:
    Path("a").write_bytes(TEXTS["a"].encode())
    run("add", "a")
    assert "text          not kept\n" in run("show", "a").stdout
    assert json.loads(run("show", "a", "--format", "json").stdout)["text_bytes"] is None
    size = len(TEXTS["a"].encode())
    for arguments, counted in (
        (["--keep-text"], "added 0, updated 1"),
        (["--keep-text"], "added 0, unchanged 1"),
        ([], "added 0, unchanged 1"),
        (["--label", "x=1"], "added 0, updated 1"),
    ):
        assert run("add", "a", *arguments).stdout.startswith(counted)
        assert json.loads(run("show", "a", "--format", "json").stdout)["text_bytes"] == size
    assert "text          kept, 1" in run("show", "a").stdout
    Path("a").write_text("something else")
    assert run("add", "a").stdout.startswith("added 0, replaced 1")
    assert "text          kept, 14 bytes" in run("show", "a").stdout
    assert run("add", "a", "--no-keep-text").stdout.startswith("added 0, replaced 1")
    assert "text          not kept\n" in run("show", "a").stdout
    assert json.loads(run("info", "--format", "json").stdout)["texts"] == 0


def test_show_gives_the_bytes(run: Run) -> None:
    content = bytes(range(1, 256)) * 3 + b"\r\n\r last line without an end"
    Path("a").write_bytes(content)
    run("add", "a", "--keep-text")
    Path("a").unlink()
    assert run("show", "a", "--text").stdout_bytes == content
    assert run("show", "a").stdout_bytes != content
    assert "give no --format" in run("show", "a", "--text", "--format", "json", status=2).stderr
    Path("b").write_bytes(content)
    run("add", "b")
    error = run("show", "b", "--text", status=1)
    assert (error.stdout, error.stderr) == ("", "fpdb: the text of b was not kept; add it again with --keep-text\n")


def test_info_tells_what_texts_take(run: Run) -> None:
    jsonl("--keep-text", run=run)
    run("add", "in.jsonl")
    figures = json.loads(run("info", "--format", "json").stdout)
    assert (figures["texts"], figures["text_bytes"]) == (2, sum(len(text.encode()) for text in TEXTS.values()))
    assert 0 < figures["text_file_bytes"] < figures["file_bytes"]
    assert "texts        2 kept, 2.6 kB in 4.1 kB\n" in run("info").stdout


def test_a_missing_package_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a").write_text(SHARED)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "zstandard", None)
        error = run("add", "a", "--keep-text", status=1)
        assert error.stderr == "fpdb: zstandard is needed for kept texts: pip install 'fpdb[texts]'\n"
    assert not Path("corpus.fpdb").exists()
