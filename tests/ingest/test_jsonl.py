"""Records: equal documents from every kind of file, errors named by their lines, interrupted loads that continue."""

import bz2
import gzip
import io
import json
import lzma
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import loading, parallel
from fpdb.ingest.chunks import Chunk, ListChunk
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.input_files import find_input_files, input_files_size
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import Stopped, load
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.records import read_records, record_chunks
from fpdb.multi_database import open_all
from fpdb.search import spool
from fpdb.search.batch_query import answers, bundled

patient = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
WORDS = [f"word{number * number}" for number in range(400)]


def text(seed: int, words: int = 60) -> str:
    return " ".join(WORDS[(seed * 31 + index * (seed + 7)) % 400] for index in range(words))


def lines_of(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def written(folder: Path, rows: list[dict[str, Any]], ending: str) -> str:
    path = folder / f"in{ending}"
    if ending == ".parquet":
        names = dict.fromkeys(name for row in rows for name in row)  # pyarrow goes by the first row
        table = pa.table({name: [row.get(name) for row in rows] for name in names})
        pq.write_table(table, path, row_group_size=7)
    else:
        path.write_bytes(PACKED[ending.removeprefix(".jsonl")](lines_of(rows)))
    return str(path)


def form_of(path: str) -> Any:
    return "parquet" if path.endswith(".parquet") else "jsonl"


def numbered(count: int) -> list[dict[str, Any]]:
    return [{"id": f"d{number:03}", "text": text(number)} for number in range(count)]


def catalogue(db: fpdb.Database) -> list[tuple[object, ...]]:
    return [(d.name, d.digest, d.kind, d.symbols, d.fingerprints, d.hashes, d.note, d.labels) for d in db.documents()]


ROWS = st.fixed_dictionaries(
    {"id": st.text(max_size=6) | st.none() | st.integers(0, 9), "text": st.text(max_size=90) | st.just("ab " * 40)},
    optional={"meta": st.fixed_dictionaries({"url": st.text(max_size=3) | st.none()})},
)


@patient
@given(rows=st.lists(ROWS, min_size=1, max_size=12))
@example(rows=[{"id": "a", "text": "x"}, {"id": "a", "text": "y"}, {"id": None, "text": "\u2028\r\n\x00"}])
def test_the_same_documents_in_any_form(rows: list[dict[str, Any]]) -> None:
    """JSON Lines, compressed or not, and Parquet where each column has one type; their names but for the file's."""
    rows = [{**row, "id": row["id"] if row["id"] is None else str(row["id"])} for row in rows]
    fields = Fields(labels=("meta.url",))
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for ending in (*(f".jsonl{packed}" for packed in PACKED), ".parquet"):
            path = written(Path(folder), rows, ending)
            got = list(read_records([path], form_of(path), fields=fields))
            found.append(
                [
                    (one.name.replace(path, "F"), one.content, one.labels)
                    for one in got
                    if isinstance(one, InputDocument)
                ]
            )
            assert len(found[-1]) == len(rows)
    expected = [
        (
            f"F:{number}" if row["id"] is None else row["id"],
            row["text"],
            {} if row.get("meta", {}).get("url") is None else {"meta.url": row["meta"]["url"]},
        )
        for number, row in enumerate(rows, start=1)
    ]
    assert all(one == expected for one in found)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_load_of_records_equals_adding_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """Short texts are fingerprinted together, in any script and of any kind; answers are those of single queries."""
    monkeypatch.setattr(parallel, "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.search.batch_query"], "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 3000)
    texts = [
        text(1),
        text(2) + " naïve “quotes”",
        "Привет мир " * 20,
        "日本語の文章です。" * 20,
        "<html>" + text(3),
        "",
        "x" * 29,
    ]
    names = ["a", "b.pdf", "c", "d", "e.html", "f", "g.py"]
    rows = [{"name": name, "text": one} for name, one in zip(names, texts, strict=True)] + numbered(30)
    path = written(tmp_path, rows, ".jsonl.gz")
    with fpdb.open(tmp_path / "one.fpdb") as one, fpdb.open(tmp_path / "all.fpdb") as every:
        for row in rows:
            kind = "auto" if row.get("name") != "b.pdf" else "text"
            one.add(row.get("name") or row["id"], row["text"], kind=kind)
        report = load(every, record_chunks([path], kind="auto"), jobs=jobs)
        assert (report.added, report.skips, report.shorts) == (37, 0, 2)
        assert catalogue(every) == catalogue(one)
        before = Path(every.path).read_bytes()
        for options in ({}, {"max_df": 2}, {"by": "resemblance", "min": 0.2, "top": 2}, {"regions": True}):
            got = [found.answer for found in answers(every, record_chunks([path], kind="auto"), jobs=jobs, **options)]
            assert got == [
                one.query(row["text"], name=row.get("name") or row["id"], kind=document.kind, **options)
                for row in rows
                for document in [one.document(row.get("name") or row["id"])]
            ]
        assert Path(every.path).read_bytes() == before
        assert load(every, record_chunks([path], kind="auto"), jobs=jobs).unchanged == 37
        assert one.check() == every.check() == []


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40),
    st.integers(1, 5),
    st.integers(1, 30),
    st.integers(1, 20),
)
def test_bundles_hold_all_pieces_in_order(sizes: list[tuple[int, int]], processes: int, most: int, start: int) -> None:
    """None is larger than it may be, but by a part of a piece; and they are as few as that allows, for each process."""
    pieces = [ListChunk([], held, passed) for held, passed in sizes]
    total = sum(max(each) for each in sizes)
    taken = 0

    def counted() -> Iterator[Chunk]:
        nonlocal taken
        for piece in pieces:
            taken += max(piece.content_bytes, piece.input_bytes)
            yield piece

    given, bundles = [], 0
    for bundle in bundled(counted(), processes, most, start):
        size = max(bundle.content_bytes, bundle.input_bytes)
        assert len(bundle.pieces) == 1 or size <= most + 9 * processes
        assert taken - sum(max(one.content_bytes, one.input_bytes) for one in given) < 2 * processes * most + 10
        given += bundle.pieces
        bundles += 1
    assert given == pieces
    if total < 2 * processes * most:  # all is known at the start
        assert bundles <= processes * max(math.ceil((total + (processes - 1) * start) / processes / most), 1)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("preset", ["text", "koala", "smallest"])
def test_lines_are_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, jobs: int) -> None:
    """Of any options, of one database and of several; what cannot be read comes in between."""
    monkeypatch.setattr(sys.modules["fpdb.search.batch_query"], "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 2000)
    monkeypatch.setattr(spool, "PIECE_BYTES", 1000)
    rows = [*numbered(30), {"id": "long", "text": text(1) * 9 + text(2)}, {"id": "none"}, {"id": "x.py", "text": "x=1"}]
    path = written(tmp_path, rows, ".jsonl")
    for name, some in [("one", rows[::2]), ("other", rows[1::2])]:
        with fpdb.open(tmp_path / name, recipe=RECIPES[preset]) as db:
            load(db, record_chunks([written(tmp_path, some, ".jsonl.gz")], kind="auto"), jobs=1)
    (tmp_path / "lines").mkdir()
    held = str(tmp_path / "lines")
    of_one, of_both = [str(tmp_path / "one")], [str(tmp_path / "one"), str(tmp_path / "other")]
    for paths in (of_one, of_both):
        with open_all(paths) if len(paths) > 1 else fpdb.open(paths[0]) as db:
            for options in ({}, {"by": "weighted_containment"}, {"min": 0.5, "include_self": True}, {"regions": True}):
                made = [
                    one.failure or b"".join(one.lines.pieces()).decode()
                    for one in answers(db, record_chunks([path], kind="auto"), jobs=jobs, folder=held, **options)
                    if one.failure or one.lines
                ]
                asked = answers(db, record_chunks([path], kind="auto"), jobs=1, **options)
                assert "".join(made) == "".join(
                    one.answer.to_json() if one.answer else one.failure or "" for one in asked
                )
                assert os.listdir(held) == []


def test_texts_are_skipped_where_the_recipe_does_not_read_them(tmp_path: Path) -> None:
    """Each gets its error, of what is added and of what is asked; what else there is goes on."""
    tokens = {"tokens": fpdb.Recipe.preset("code").rules["tokens"]}
    with fpdb.open(tmp_path / "x.fpdb", recipe=replace(fpdb.Recipe.preset("code"), rules=tokens)) as db:
        program = InputDocument("b.py", content="def f(x):\n" + "    x = x + 1\n" * 20, kind="code")
        report = load(db, [InputDocument("a", content=text(1)), program, InputDocument("c", content=text(2))], jobs=1)
        assert (report.added, report.skips) == (1, 2)
        found = db.queries([("a", text(1)), (None, text(2))])
        assert [type(one) for one in found] == [fpdb.UnknownKind] * 2
        assert db.check() == []


def test_queries_of_several_kinds_are_ranked_together(tmp_path: Path) -> None:
    """Whether lengths differ is said of texts, of which each has as many fingerprints, and not of programs."""
    rules = {**RECIPES["koala"].rules, "tokens": fpdb.Recipe.preset("code").rules["tokens"]}
    recipe = replace(RECIPES["koala"], rules=rules)
    program = "def f(a, b):\n" + "".join(f"    if a[{n}] < b:\n        return {n} * a + b\n" for n in range(9))
    asked = [("a", text(1) * 9 + text(2)), ("b.py", program), ("c", text(1)), ("d.py", program + "\nprint(f(1, 2))\n")]
    with fpdb.open(tmp_path / "x.fpdb", recipe=recipe) as db:
        for name, content in [("e", text(1)), ("f.py", program + "\nx = 1\n"), ("g", text(2))]:
            db.add(name, content, kind="auto")
        found = db.queries(asked, kind="auto", by="containment")
        assert found == [db.query(content, name=name, kind="auto", by="containment") for name, content in asked]
        matches = [one.matches for one in found if isinstance(one, fpdb.Answer)]
        assert [some[0].name for some in matches] == ["e", "f.py", "e", "f.py"]
        assert [some[0].part is None for some in matches] == [False, True, True, True]


FAULTS: list[tuple[bytes, str]] = [
    (b"{", "not JSON"),
    (b'{"id": }', "not JSON: Expecting value at character 8"),
    (b'{"id": "x", "text": ["y", ', "not JSON: Expecting value"),
    (b"]", "not JSON: Expecting value at character 1"),
    (b'{"id": "x"}', 'no "text" (there is: id)'),
    (b'{"id": "x", "text": null}', '"text" is null'),
    (b'{"id": ["x"], "text": "y"}', '"id" is neither a string nor a whole number'),
    (b'{"id": "\xff", "text": "y"}', "not UTF-8"),
]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_wrong_is_named_and_counted_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(parallel, "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 1000)
    good = lines_of(numbered(20)).splitlines()
    again = json.dumps({"id": "d003", "text": text(50)}).encode()
    content = b"\n".join([*good[:10], *(line for line, _ in FAULTS), b"", again, *good[10:]])
    (tmp_path / "in.jsonl").write_bytes(content)
    noticed: list[str] = []

    class Watcher:
        def done(self, size: int) -> None:
            pass

        def skipped(self, skipped: Skipped) -> None:
            pass

        def noticed(self, place: str, what: str) -> None:
            noticed.append(f"{place}: {what}")

    path = str(tmp_path / "in.jsonl")
    with fpdb.open(tmp_path / "x.fpdb") as db:
        report = load(db, record_chunks([path]), jobs=jobs, watcher=Watcher())
        assert [one.name for one in report.skipped] == [f"{path}:{number}" for number in range(11, 11 + len(FAULTS))]
        assert all(one.reason.startswith(why) for one, (_, why) in zip(report.skipped, FAULTS, strict=True))
        assert (report.added, report.replaced, report.duplicates, report.skips) == (20, 1, 1, len(FAULTS))
        assert noticed == [f"{path}:{12 + len(FAULTS)}: another record is named 'd003'; the later one stays"]
        assert db.document("d003").digest == fpdb.fingerprint.content_digest(text(50))
        assert db.check() == []
    with fpdb.open(tmp_path / "strict.fpdb") as db:
        with pytest.raises(Stopped, match=r"in\.jsonl:11: not JSON"):
            load(db, record_chunks([path]), LoadOptions(strict=True), jobs=jobs)
        assert [document.name for document in db.documents()] == [f"d{number:03}" for number in range(10)]


def test_a_record_with_a_bad_name_takes_no_fingerprints_of_others(tmp_path: Path) -> None:
    """Short texts are fingerprinted together; one that cannot be stored does not shift those after it."""
    rows = [{"name": name, "text": text(number)} for number, name in enumerate(["a", "", "b", "x" * 70_000, "c"])]
    path = written(tmp_path, rows, ".jsonl")
    with fpdb.open(tmp_path / "x.fpdb") as db:
        assert (summary := load(db, record_chunks([path]), jobs=1)).added == 3
        assert summary.skips == 2
        for row in (rows[0], rows[2], rows[4]):
            assert [match.name for match in db.query(row["text"], min=1.0).matches] == [row["name"]]


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_a_file_that_is_cut_off_gives_what_is_whole(tmp_path: Path, ending: str) -> None:
    whole = lines_of([{"text": os.urandom(200).hex()} for _ in range(50)])
    packed = PACKED[ending](whole[:9000]) + PACKED[ending](whole[9000:])
    path = tmp_path / f"in.jsonl{ending}"
    for size in (len(packed) * 3 // 4, len(packed) - 1, 12):
        path.write_bytes(packed[:size])
        *good, last = read_records([str(path)])
        assert isinstance(last, Skipped)
        assert last.requested
        assert last.name == f"{path}:{len(good) + 1}"
        assert last.reason.startswith("not read any further: ")
        assert all(isinstance(one, InputDocument) for one in good)
        assert size == 12 or len(good) > 10 or ending == ".bz2"
    path.write_bytes(packed)
    assert len(list(read_records([str(path)]))) == 50


def test_parquet_that_is_no_parquet_or_lacks_a_column(tmp_path: Path) -> None:
    path = written(tmp_path, [{"id": "a", "body": "x"}], ".parquet")
    (skipped,) = read_records([path], "parquet")
    assert skipped == Skipped(path.lstrip(), 'no column "text" (there is: id, body)', requested=True)
    (source,) = read_records([path], "parquet", fields=Fields(text="body"))
    assert isinstance(source, InputDocument)
    (tmp_path / "bad.parquet").write_bytes(b"nothing")
    (skipped,) = read_records([str(tmp_path / "bad.parquet")], "parquet")
    assert isinstance(skipped, Skipped)
    rows = [{"id": f"r{number}", "text": text(number)} for number in range(40)]
    path = written(tmp_path, rows, ".parquet")
    damaged = bytearray(Path(path).read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(1).column(1).data_page_offset
    damaged[start : start + 40] = bytes(40)
    Path(path).write_bytes(damaged)
    found = list(read_records([path], "parquet"))
    assert [one for one in found if isinstance(one, Skipped)]
    assert len([one for one in found if isinstance(one, InputDocument)]) == 33


def test_folders_patterns_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/2.jsonl", "b/10.ndjson.gz", "b/c/x.json.gz", "b/notes.txt", "b/plain.json", "a.jsonl"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(gzip.compress(b"{}\n") if name.endswith("gz") else b"{}\n")
    os.symlink("../a.jsonl", "b/link.jsonl")
    inside = ["b/10.ndjson.gz", "b/2.jsonl", "b/c/x.json.gz", "b/link.jsonl"]
    assert list(find_input_files(["b"], "jsonl")) == inside
    assert list(find_input_files(["b/*.jsonl", "-"], "jsonl")) == ["b/2.jsonl", "b/link.jsonl", "-"]
    assert input_files_size(["b"], "jsonl") == sum(os.path.getsize(path) for path in inside)
    assert input_files_size(["b", "-"], "jsonl") is None
    (skipped,) = find_input_files(["b"], "parquet")
    assert isinstance(skipped, Skipped)
    packed = io.BytesIO(zstandard.compress(lines_of(numbered(2))))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(packed)))  # type: ignore[type-var]
    assert [one.name for one in read_records(["-"])] == ["d000", "d001"]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (Fields(), "the name"),
        (Fields(name="id"), "7"),
        (Fields(name="-"), "in.jsonl:1"),
        (Fields(name="meta.url", text="meta.body"), "u"),
        (Fields(name="missing"), None),
        (Fields(labels=("id", "ok", "meta.url", "none")), "the name"),
        (Fields(labels=("meta",)), None),
    ],
)
def test_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: Fields, name: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"name": "the name", "id": 7, "text": "t", "ok": True, "none": None, "meta": {"url": "u", "body": "b"}}
    Path("in.jsonl").write_bytes(lines_of([row]))
    (one,) = read_records(["in.jsonl"], fields=fields)
    if name is None:
        assert isinstance(one, Skipped)
        return
    assert isinstance(one, InputDocument)
    assert one.name == name
    assert one.content == ("b" if fields.text else "t")
    if fields.labels:
        assert one.labels == {"id": "7", "ok": "true", "meta.url": "u"}


LOADING = """
import sys
import fpdb
from fpdb.ingest import jsonl, loading
from fpdb.ingest.loading import load
from fpdb.ingest.records import record_chunks
if __name__ == "__main__":
    loading.BATCH_POSTINGS = 2000
    jsonl.RECORD_CHUNK_BYTES = 2000
    with fpdb.open(sys.argv[1]) as db:
        load(db, record_chunks([sys.argv[2]]), jobs=1)
"""


def test_a_load_that_is_killed_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*numbered(400), {"id": "d005", "text": text(900)}]
    path = written(tmp_path, rows, ".jsonl.zst")
    killed = tmp_path / "killed.fpdb"
    with subprocess.Popen([sys.executable, "-c", LOADING, str(killed), path]) as process:
        while process.poll() is None and (not killed.exists() or committed(killed) < 100):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    monkeypatch.setattr(loading, "BATCH_POSTINGS", 2000)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 2000)
    with fpdb.open(killed) as db, fpdb.open(tmp_path / "whole.fpdb") as whole:
        there = len(db)
        assert there >= 100
        again: list[str] = []
        fingerprint_texts = fpdb.Recipe.fingerprint_texts

        def counted(recipe: fpdb.Recipe, texts: list[str], **options: Any) -> Any:
            again.extend(texts)
            return fingerprint_texts(recipe, texts, **options)

        monkeypatch.setattr(fpdb.Recipe, "fingerprint_texts", counted)
        report = load(db, record_chunks([path]), jobs=1)
        assert len(again) <= len(rows) - there + 1  # what was committed is not fingerprinted again
        assert report.documents == len(rows)
        load(whole, record_chunks([path]), jobs=1)
        assert catalogue(db) == catalogue(whole)
        asked = [(None, row["text"]) for row in rows[::20]]
        assert db.queries(asked) == whole.queries(asked)
        assert db.check() == whole.check() == []


def committed(path: Path) -> int:
    try:
        with fpdb.open(path, "r") as db:
            return len(db)
    except fpdb.Error:
        return 0


RECIPES = {
    "text": fpdb.Recipe.preset("text"),
    "koala": fpdb.Recipe.preset("koala"),
    "smallest": fpdb.Recipe.preset("text").with_(scheme="smallest", n=40),
    "distinct": fpdb.Recipe.preset("text").with_(scheme="distinct", guarantee=1000, s=800),
}
ASKED: list[dict[str, Any]] = [
    {},
    {"max_df": 2},
    {"max_df": 5},
    {"max_df": 2, "max_ignored": 4},
    {"smallest": 5},
    {"include_self": True, "min": 0.3},
    {"by": "resemblance", "min": 0.2, "top": 2},
    {"by": "shared", "min": 4, "top": 3},
    {"by": "reverse_containment", "top": 1, "smallest": 9},
    {"by": "weighted_containment", "max_df": 7},
    {"by": "weighted_resemblance", "min": 0.1, "top": 4, "include_self": True},
]


@pytest.mark.parametrize(("together", "held", "hits"), [(1, 40, 99), (20, 200, 30), (50_000, 1 << 20, 1 << 20)])
@pytest.mark.parametrize("recipe", RECIPES)
def test_queries_with_common_hashes_and_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recipe: str, together: int, held: int, hits: int
) -> None:
    """Many queries are answered as each would be alone.

    Some are looked up and ranked together, some have hashes too common for that, and some cannot be read.
    """
    ahead, candidates = (sys.modules[f"fpdb.{name}"] for name in ("storage.prefetch", "search.candidates"))
    monkeypatch.setattr(ahead, "MIN_CAP", 3)
    monkeypatch.setattr(ahead, "MAX_HITS", held)
    monkeypatch.setattr(candidates, "MOST_HITS", hits)
    monkeypatch.setattr(candidates, "HITS_TOGETHER", together)
    monkeypatch.setattr(sys.modules["fpdb.search.ranking"], "TOGETHER", together)
    with fpdb.open(tmp_path / "x.fpdb", recipe=RECIPES[recipe]) as db:
        load(db, (InputDocument(f"{n}", content=text(n) + text(n % 3) + text(0)) for n in range(12)), jobs=1)
        db.add("template", text(1)[:90], boilerplate=True)
        db.remove("5")  # from here on some are dead, and there are several runs
        db.add("7", text(7) + text(2) + text(0))
        asked = [(f"{n}", text(n) + text(0) if n % 5 else text(n) + text(n % 3) + text(0)) for n in range(14)]
        asked += [(None, ""), ("short", "too short"), (None, text(99) * 2), ("nothing", text(1)[:90])]
        for options in ASKED:
            assert db.queries(asked, **options) == [db.query(one, name=name, **options) for name, one in asked]
        bad, good, short = db.queries([("", "x"), ("a", text(0)), (None, "")])
        assert isinstance(bad, fpdb.BadName)
        assert isinstance(good, fpdb.Answer)
        assert isinstance(short, fpdb.Answer)
        assert list(chain(db.queries([]))) == []
