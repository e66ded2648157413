"""--write: the input again, without what is listed."""

import csv
import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fpdb
from tests.cli.conftest import Run
from tests.cli.json_lines import objects
from tests.cli.prose import prose

TEXTS = {
    "a": prose(1, 300),
    "b": prose(1, 300) + " more",
    "c": prose(2, 300),
    "d": prose(1, 300),
    "e": prose(3, 300),
}
"""b and d go: one is similar to a, the other is its copy."""
DROPPED = {"b", "d"}


def records(folder: str, form: str) -> str:
    """Write the texts as records; return the path."""
    path = f"{folder}/in.{form}"
    Path(folder).mkdir(exist_ok=True)
    rows = [{"id": name, "text": text, "n": len(text)} for name, text in TEXTS.items()]
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif form == "csv":
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "text", "n"], delimiter=";")
            writer.writeheader()
            writer.writerows(rows)
    else:
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        Path(path).write_bytes(gzip.compress(content) if form.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "csv", "parquet"])
def test_what_is_written_has_no_pair_left(run: Run, form: str) -> None:
    option = f"--{form.split('.')[0]}"
    path = records("in", form)
    run("add", option, path)
    done = run("drop-list", option, path, "--write", f"out.{form}")
    size = sum(len(text) for text in TEXTS.values())
    kept = size - sum(len(TEXTS[name]) for name in DROPPED)
    assert done.stderr == (
        f"wrote out.{form}: kept 3 of 5 documents, dropped 2 (1 copy, 1 similar); "
        f"{kept / 1000:.1f} kB of {size / 1000:.1f} kB\n"
    )
    assert os.stat(f"out.{form}").st_mode & 0o777 == 0o600
    run("--db", "new.fpdb", "add", option, f"out.{form}")
    assert run("--db", "new.fpdb", "list", "--names").stdout.split() == ["a", "c", "e"]
    assert run("--db", "new.fpdb", "pairs", "--min", "0.5").stdout.startswith("no pair")
    totals = objects(run("drop-list", option, path, "--write", f"again.{form}", "--format", "json").stdout)[-1]
    assert totals | {"documents": 5, "kept": 3, "dropped": 2, "copy": 1, "similar": 1} == totals
    assert (totals["bytes"], totals["kept_bytes"]) == (size, kept)
    assert Path(f"again.{form}").read_bytes() == Path(f"out.{form}").read_bytes()


def test_folders_keep_their_files(run: Run) -> None:
    for folder in ("in", "in/deep"):
        records(folder, "jsonl")
    Path("in/deep/in.jsonl").write_text(json.dumps({"id": "f", "text": prose(4)}) + "\n")
    run("add", "--jsonl", "in")
    assert "kept 4 of 6" in run("drop-list", "--jsonl", "in", "--write", "out").stderr
    assert len(Path("out/in.jsonl").read_text().splitlines()) == 3
    assert Path("out/deep/in.jsonl").read_bytes() == Path("in/deep/in.jsonl").read_bytes()
    run("drop-list", "--jsonl", "in/in.jsonl", "in/deep/in.jsonl", "--write", "two/")
    assert sorted(str(path) for path in Path("two").rglob("*.jsonl")) == ["two/deep/in.jsonl", "two/in.jsonl"]


def test_files_are_written_below_a_folder(run: Run) -> None:
    Path("in/deep").mkdir(parents=True)
    for name, text in TEXTS.items():
        Path("in/deep" if name in "ab" else "in", name).write_bytes(text.encode("utf-8-sig"))
    Path("in/picture").write_bytes(b"\0" * 99)
    run("add", "in")
    shown = run("drop-list", "in", "--write", "out", "--keep", "longest")
    assert sorted(str(path) for path in Path("out").rglob("*") if path.is_file()) == ["out/c", "out/deep/b", "out/e"]
    assert Path("out/deep/b").read_bytes() == Path("in/deep/b").read_bytes()
    assert "kept 3 of 5 documents, dropped 2 (2 similar), skipped 1;" in shown.stderr
    run("drop-list", "in/c", "--write", "one.txt")
    assert Path("one.txt").read_bytes() == Path("in/c").read_bytes()


def test_what_is_not_known_stays_and_is_told(run: Run) -> None:
    path = records("in", "jsonl")
    run("add", "--jsonl", path)
    run("remove", "b")
    lines = Path(path).read_bytes().splitlines(keepends=True)
    changed = json.dumps({"id": "d", "text": "another"}).encode() + b"\n"
    Path(path).write_bytes(b"".join([*lines[:3], changed, lines[4], lines[4], b"{}\n"]))
    shown = run("drop-list", "--jsonl", path, "--write", "out.jsonl").stderr.splitlines()
    assert shown[0] == f'skipped {path}:7: no "text" (there is: nothing)'
    assert shown[1].startswith("wrote out.jsonl: kept 5 of 6 documents, dropped 1 (1 again), skipped 1;")
    assert shown[2:] == [
        "kept as they are: 1 document, not in the database",
        "kept as they are: 1 document, another content than in the database",
    ]
    assert Path("out.jsonl").read_bytes() == b"".join([*lines[:3], changed, lines[4], b"{}\n"])
    shown = run("drop-list", "--jsonl", path, "--name-field", "-", "--write", "all.jsonl", status=1).stderr.splitlines()
    assert "kept as they are: 6 documents, not in the database" in shown
    run("drop-list", "--jsonl", path, "nowhere.jsonl", "--write", "three", status=1)
    assert Path("three/in.jsonl").read_bytes() == Path("out.jsonl").read_bytes()


@pytest.mark.parametrize("command", ["drop-list", "spans", "dedup"])
@pytest.mark.parametrize(
    ("form", "out", "ending"),
    [
        ("jsonl", "out.csv", ".jsonl"),
        ("jsonl", "out.tsv.gz", ".jsonl"),
        ("csv", "out.ndjson", ".csv"),
        ("csv", "out.parquet", ".csv"),
        ("parquet", "out.jsonl.zst", ".parquet"),
    ],
)
def test_a_name_of_another_format_is_refused(run: Run, command: str, form: str, out: str, ending: str) -> None:
    path = records("in", form)
    option = "-o" if command == "dedup" else "--write"
    done = run(command, f"--{form}", path, option, out, status=2)
    assert f"the output has the format of the input: name it *{ending}, not '{out}'" in done.stderr
    assert os.listdir() == ["in"]


def unreadable(form: str, fault: str) -> str:
    """Write a file of records of which no document can be read; return its path."""
    path = records("in", form)
    if fault == "no text":
        rows = [{"id": "a", "body": TEXTS["a"]}]
        if form == "csv":
            Path(path).write_text("id;body\na;b\n")
        elif form == "parquet":
            pq.write_table(pa.Table.from_pylist([*rows, {"id": "b"}]).append_column("text", pa.nulls(2)), path)
        else:
            Path(path).write_text(json.dumps(rows[0]))
    elif fault == "UTF-16":
        Path(path).write_bytes(Path(path).read_text().encode("utf-16-le"))
    else:
        empty = {"jsonl": b"", "csv": b"id;text\n"}
        if form == "parquet":
            pq.write_table(pq.read_table(path).slice(0, 0), path)
        else:
            Path(path).write_bytes(empty[form])
    return path


@pytest.mark.parametrize("command", ["drop-list", "spans", "dedup"])
@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ("jsonl", "no text"),
        ("jsonl", "UTF-16"),
        ("jsonl", "empty"),
        ("csv", "no text"),
        ("csv", "empty"),
        ("parquet", "no text"),
        ("parquet", "empty"),
    ],
)
def test_nothing_is_written_if_no_document_can_be_read(run: Run, command: str, form: str, fault: str) -> None:
    path, out = records("in", form), f"out.{form}"
    if command == "dedup":
        arguments: tuple[str, ...] = ("dedup", f"--{form}")
        option = "-o"
    else:
        run("add", f"--{form}", path)
        arguments, option = (command, f"--{form}"), "--write"
    unreadable(form, fault)
    Path(out).write_bytes(b"what is there")
    done = run(*arguments, path, option, out, status=1)
    reason = "there is no document to read" if fault == "empty" else "no document could be read"
    assert done.stderr.splitlines()[-1] == f"{out} was not written: {reason}"
    run(*arguments, path, option, out, "--format", "json", status=1)
    assert Path(out).read_bytes() == b"what is there"
    Path(records("sound", form)).rename(f"in/sound.{form}")
    done = run(*arguments, "in", option, "folder", status=0 if fault == "empty" else 1)
    if (form, fault) != ("csv", "no text"):  # which is a fault of the whole file
        assert f"not written, since no document of them could be read: {path}" in done.stderr
    assert os.listdir("folder") == [f"sound.{form}"]


def test_spans_are_cut_out(run: Run) -> None:
    path = records("in", "jsonl")
    run("add", "--jsonl", path, "--keep-text")
    shown = run("spans", "--min", "0.5", "--jsonl", path, "--write", "out.jsonl", "--format", "json")
    *spans, totals = objects(shown.stdout)
    assert (totals["documents"], totals["kept"], totals["cut"]) == (5, 5, 2)
    left = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    for row in left:
        text = TEXTS[row["id"]]
        for span in reversed([span for span in spans if span["name"] == row["id"]]):
            text = text[: span["start"]] + text[span["end"] :]
        assert row == {"id": row["id"], "text": text, "n": len(TEXTS[row["id"]])}
    with fpdb.open("left.fpdb") as db:
        for row in left:
            db.add(row["id"], row["text"])
        assert list(db.pairs(min=0.1)) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("drop-list", "in"),
        ("drop-list", "--jsonl"),
        ("drop-list", "--write", "out"),
        ("drop-list", "--jsonl", "in/in.jsonl", "--write", "-"),
        ("drop-list", "--jsonl", "in/in.jsonl", "--write", "corpus.fpdb"),
        ("drop-list", "--jsonl", "in/in.jsonl", "--write", "in/in.jsonl"),
        ("drop-list", "--jsonl", "in/in.jsonl", "--write", "in/../in/in.jsonl"),
        ("drop-list", "--jsonl", "in", "--write", "in/new"),
        ("drop-list", "--jsonl", "in", "--write", "full"),
        ("spans", "--jsonl", "in"),
        ("spans", "--write", "out"),
        ("spans", "in", "--write", "full"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_compared(run: Run, arguments: tuple[str, ...]) -> None:
    records("in", "jsonl")
    records("full", "jsonl")
    run(*arguments, status=2)


def test_the_documents_that_stay(copies: Run) -> None:
    rows = objects(copies("drop-list", "--kept", "--format", "json").stdout)
    assert rows == [{"name": "a", "dropped": 2}, {"name": "d", "dropped": 1}]
    assert objects(copies("drop-list", "--kept", "--format", "json", "--top", "1").stdout) == rows[:1]
    assert copies("drop-list", "--kept", "--names").stdout == "a\nd\n"
    assert copies("drop-list", "--kept", "--min", "1", "--by", "resemblance", "--names", "-0").stdout.count("\0") == 5
    dropped = {row["name"] for row in objects(copies("drop-list", "--format", "json").stdout)}
    assert dropped | {"a", "d"} == {"a", "b\nb", "c", "d", "é"}
    assert copies("drop-list", "--kept").stdout.splitlines()[0].split() == ["#", "keep", "dropped", "for", "it"]
