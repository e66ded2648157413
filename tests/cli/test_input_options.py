"""Inputs on the command line: records, lists of paths, standard input; what is said, and the exit status."""

import csv
import gzip
import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fpdb.cli.progress
from tests.cli.conftest import Run, listed, write
from tests.cli.prose import prose

ROWS = [{"doc": number, "body": prose(number), "meta": {"url": f"u{number}"}} for number in range(1, 5)]
FIELDS = ("--text-field", "body", "--name-field", "doc", "--label-field", "meta.url")


def write_rows() -> None:
    Path("d").mkdir()
    lines = [json.dumps(row).encode() + b"\n" for row in ROWS]
    Path("d/1.jsonl").write_bytes(b"".join(lines[:2]))
    Path("d/2.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[2:])))
    pq.write_table(pa.Table.from_pylist(ROWS), "d/all.parquet")
    with open("d/all.csv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="|")
        writer.writerows(
            [["doc", "body", "meta.url"], *([row["doc"], row["body"], row["meta"]["url"]] for row in ROWS)]
        )


def test_all_forms_give_one_database(run: Run) -> None:
    write_rows()
    run("add", "--jsonl", "d", *FIELDS)
    documents = listed(run)
    assert {name: document["labels"] for name, document in documents.items()} == {
        str(number): {"meta.url": f"u{number}"} for number in range(1, 5)
    }
    assert "unchanged 4" in run("add", "--parquet", "d/*.parquet", *FIELDS).stdout
    assert "unchanged 4" in run("add", "--csv", "d", "--delimiter", "|", *FIELDS).stdout
    before = hashlib.sha256(Path("corpus.fpdb").read_bytes()).digest()
    asked = [run("query", form, "d", *FIELDS, "--format", "json").stdout for form in ("--jsonl", "--parquet")]
    asked.append(run("query", "--csv", "d", "--delimiter", "|", *FIELDS, "--format", "json").stdout)
    assert asked[0] == asked[1] == asked[2]
    assert [json.loads(line)["query"]["name"] for line in asked[0].splitlines()] == ["1", "2", "3", "4"]
    assert run("query", "--jsonl", "d", *FIELDS, "--jobs", "2", "--format", "json").stdout == asked[0]
    assert "1: " in run("query", "--jsonl", "d", *FIELDS, "--include-self", "--regions", "--report", "r.html").stdout
    assert hashlib.sha256(Path("corpus.fpdb").read_bytes()).digest() == before


@pytest.mark.parametrize("command", ["add", "query", "dedup"])
def test_files_of_records_that_are_read_as_texts_are_named_with_the_option(run: Run, command: str) -> None:
    noun, options = "query" if command == "query" else "document", ["-o", "/dev/null"] if command == "dedup" else []
    run("init")
    for name, content, note in (
        ("x.jsonl", '{"text": "a"}\n', "JSON Lines: with --jsonl, each of its lines"),
        ("x.dat", '{"text": "a"}\n{"text": "b"}\n', "JSON Lines: with --jsonl, each of its lines"),
        ("x.csv", "name,text\na,b\n", "CSV: with --csv, each of its rows"),
    ):
        write(name, content)
        said = run(command, "x.txt", name, *options, status=1).stderr  # one of them is missing
        assert said.startswith(f"{name} looks like {note} is a {noun} of its own\n")
    assert "looks like" not in run(command, "x.txt", *options, status=1).stderr
    if command != "dedup":
        assert "looks like" not in run(command, "x.jsonl", "--kind", "text").stderr
        assert "looks like" not in run(command, "--jsonl", "x.jsonl").stderr
    Path("y.parquet").write_bytes(b"PAR1\0")
    assert "--parquet" in run(command, "x.txt", "y.parquet", *options, status=1).stderr


@pytest.mark.parametrize(("form", "there"), [("jsonl", " (there is: doc, body, meta)"), ("parquet", "")])
def test_a_field_for_a_label_that_no_record_has_is_told_once_a_file(run: Run, form: str, there: str) -> None:
    write_rows()
    options = ("--text-field", "body", *("--label-field", "meta.url", "--label-field", "nope"))
    result = run("add", f"--{form}", "d", *options)
    names = {"jsonl": ("d/1.jsonl", "d/2.jsonl.gz"), "parquet": ("d/all.parquet",)}[form]
    noun = {"jsonl": "lines", "parquet": "rows"}[form]
    notices = [f'{name}: no "nope"{there} in its first {noun}, for --label-field' for name in names]
    assert result.stderr.splitlines() == notices
    assert result.stdout.startswith("added 4")
    assert {tuple(document["labels"]) for document in listed(run).values()} == {("meta.url",)}


def test_what_is_wrong_is_said_counted_and_stopped_at(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"id": "a", "text": prose(seed)}) for seed in (1, 2)]
    Path("in.jsonl").write_text("\n".join([lines[0], "{", *lines[1:], '{"id": "b"}']))
    result = run("add", "--jsonl", "in.jsonl", "--format", "json")
    counts = json.loads(result.stdout)
    assert (counts["added"], counts["replaced"], counts["skips"], counts["duplicates"]) == (1, 1, 2, 1)
    assert [one["name"] for one in counts["skipped"]] == ["in.jsonl:2", "in.jsonl:4"]
    assert "in.jsonl:3: another record is named 'a'; the later one stays" in result.stderr
    monkeypatch.setattr(fpdb.cli.progress, "EXAMPLES", 0)
    assert "... and 1 more like this: not JSON" in run("query", "--jsonl", "in.jsonl").stderr
    assert "stopped at in.jsonl:2: not JSON" in run("add", "--jsonl", "in.jsonl", "--strict", status=1).stderr
    assert "stopped at in.jsonl:2" in run("query", "--jsonl", "in.jsonl", "--strict", status=1).stderr
    Path("cut.jsonl.gz").write_bytes(gzip.compress(b"\n".join(map(str.encode, lines)))[:-9])
    assert "cut.jsonl.gz:2: not read any further" in run("add", "--jsonl", "cut.jsonl.gz", status=1).stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--jsonl", "--parquet", "x"),
        ("--jsonl", "--csv", "x"),
        ("--jsonl", "--delimiter", ",", "x"),
        ("--jsonl", "--encoding", "nonsense", "x"),
        ("--jsonl", "--encoding", "rot13", "x"),
        ("--parquet", "--encoding", "cp1252", "x"),
        ("--csv", "--delimiter", "ab", "x"),
        ("--csv", "--delimiter", '"', "x"),
        ("--text-field", "t", "x"),
        ("--parquet", "-"),
        ("--jsonl", "--name", "n", "x"),
    ],
)
@pytest.mark.parametrize("command", ["add", "query"])
def test_what_makes_no_sense(run: Run, command: str, arguments: tuple[str, ...]) -> None:
    run(command, *arguments, status=2)


def test_json_lines(run: Run) -> None:
    lines = [
        {"name": "a", "text": prose(1)},
        {"name": "b", "text": prose(2), "source": "s", "contact": "c", "labels": {"x": "1", "y": "2"}},
    ]
    content = "\ufeff" + "\n\n".join(map(json.dumps, lines))
    write("in.jsonl", content)
    run("add", "--jsonl", "in.jsonl", "--label", "y=0", "--label", "z=3", "--contact", "d")
    documents = listed(run)
    assert documents["a"]["labels"] == {"y": "0", "z": "3"}
    assert (documents["a"]["source"], documents["a"]["contact"]) == (None, "d")
    assert documents["b"]["labels"] == {"x": "1", "y": "2", "z": "3"}
    assert (documents["b"]["source"], documents["b"]["contact"]) == ("s", "c")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b'{"name": "a\xff"}', "not UTF-8"),
        (b"[1]", "not an object"),
        (b'{"name": "x"}', 'no "text"'),
        (b'{"name": 1.5, "text": "x"}', '"name" is neither a string nor a whole number'),
        (b'{"name": "x", "text": null}', '"text" is null'),
        (b'{"name": "x", "text": [1]}', '"text" is not a string'),
        (b'{"name": "x", "text": "", "kind": 3}', '"kind" is not a string'),
        (b'{"name": "x", "text": "", "labels": {"a": 1}}', '"labels" is not an object of strings'),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_line_is_named_and_the_rest_goes_on(run: Run, line: bytes, reason: str) -> None:
    good = [json.dumps({"name": name, "text": prose(1)}).encode() for name in ("a", "b")]
    Path("in.jsonl").write_bytes(b"\n".join([good[0], line, good[1]]))
    result = run("add", "--jsonl", "in.jsonl")
    assert f"skipped in.jsonl:2: {reason}" in result.stderr
    assert list(listed(run)) == ["a", "b"]


@pytest.mark.parametrize("record", [{"name": "", "text": "x"}, {"name": "\ud800", "text": "x"}])
def test_a_name_that_cannot_be(run: Run, record: dict[str, str]) -> None:
    result = run("add", "--jsonl", "-", status=1, stdin=json.dumps(record).encode())
    assert "skipped 1" in result.stdout
    assert not Path("corpus.fpdb").exists()


def test_a_later_line_of_the_same_name_wins(run: Run) -> None:
    first, second = ({"name": "a", "text": prose(seed)} for seed in (1, 2))
    run("add", "--jsonl", "-", stdin=json.dumps(first).encode())
    lines = "\n".join(map(json.dumps, (second, first)))
    run("add", "--jsonl", "-", stdin=lines.encode())
    write("one.txt", prose(1))
    answer = json.loads(run("query", "one.txt", "--format", "json").stdout)
    assert answer["matches"][0]["containment"] == 1


@pytest.mark.parametrize(("form", "content"), [("jsonl", ""), ("csv", ""), ("csv", "id,text\n")])
def test_a_file_without_records_is_not_called_missing(run: Run, form: str, content: str) -> None:
    write(f"in.{form}", content)
    assert "nothing was added: there is no record in" in run("add", f"--{form}", f"in.{form}", status=1).stderr


def test_paths_are_listed_in_a_file(run: Run) -> None:
    for name in ("a", "b", "c\nc"):
        write(name, prose(1))
    write("list", "a\nb\n")
    run("add", "--files-from", "list")
    assert list(listed(run)) == ["a", "b"]
    run("add", "--files-from", "-", "-0", "b", stdin=b"c\nc\0")
    assert list(listed(run)) == ["a", "b", "c\nc"]
    assert len(run("query", "--files-from", "list", "--format", "json").stdout.splitlines()) == 2
    run("add", status=2)
    run("add", "a", "-0", status=2)
    run("add", "-", "--name", "x", "--files-from", "-", status=2, stdin=b"a\n")


def test_records_of_which_no_field_is_there_are_one_error(run: Run) -> None:
    write("a.jsonl", '{"name": "x", "body": "abc"}\n' * 1000)
    write("b.jsonl", '{"name": "y", "text": "abc"}\n')
    for command in ("add", "query"):
        errors = run(command, "--jsonl", "a.jsonl", "b.jsonl", status=1).stderr
        assert 'skipped a.jsonl: none of its first 10 lines is a document: no "text" (there is: name, body)' in errors
        assert len(errors.splitlines()) < 4
    assert list(listed(run)) == ["y"]


def test_standard_input_needs_a_name(run: Run) -> None:
    assert "--name" in run("add", "-", stdin=prose(1).encode(), status=2).stderr
    assert not Path("corpus.fpdb").exists()
    run("add", "-", "--name", "x", stdin=prose(1).encode())
    assert listed(run)["x"]["source"] is None


def test_name_is_for_one_document(run: Run) -> None:
    write("f/a.txt", prose(1))
    run("add", "f", "--name", "x", status=2)
    run("add", "f/a.txt", "f/a.txt", "--name", "x", status=2)
    run("add", "f/a.txt", "--jsonl", "--name", "x", status=2)
