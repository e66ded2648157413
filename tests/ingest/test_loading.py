"""Loading: the same database whichever way it is made, and an honest count whatever happens."""

import io
import json
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import chunks, loading, parallel, process_pool
from fpdb.ingest import files as input_documents
from fpdb.ingest.chunk_preparer import ChunkPreparer
from fpdb.ingest.chunks import chunked
from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped, document_name
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import LoadSummary, load
from fpdb.ingest.parallel import prepare_chunks
from fpdb.ingest.process_pool import WorkerError
from fpdb.ingest.records import read_records
from fpdb.storage.texts import pack

PREPARER = ChunkPreparer(fpdb.Recipe.preset(), LoadOptions())
STATUSES = ("added", "replaced", "updated", "unchanged")


def text(seed: int, size: int = 3000) -> str:
    """Letters of no meaning, the same for the same seed."""
    return "".join(chr(97 + (seed * 7919 + index * index * 31 + index // 7) % 26) for index in range(size))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[fpdb.Database]:
    with fpdb.open(tmp_path / "corpus.fpdb") as database:
        yield database
        assert database.check() == []


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes at once, and several commits, with little data."""
    monkeypatch.setattr(parallel, "ALONE_BYTES", 1)
    monkeypatch.setattr(chunks, "CHUNK_DOCUMENTS", 3)
    monkeypatch.setattr(loading, "BATCH_POSTINGS", 2000)


def given_texts(count: int) -> list[InputDocument]:
    return [InputDocument(f"d{seed:03}", content=text(seed), size=3000) for seed in range(count)]


def contents(db: fpdb.Database) -> list[tuple[object, ...]]:
    return [(d.name, d.digest, d.kind, d.symbols, d.fingerprints, d.hashes, d.note, d.source) for d in db.documents()]


def described(db: fpdb.Database) -> list[tuple[object, ...]]:
    """All that there is of each document, but when it was added."""
    return [(db.text(one.name), replace(one, added=datetime.min)) for one in db.documents()]


def folder_of_texts(folder: Path, count: int) -> Path:
    for seed in range(count):
        path = folder / f"{seed % 3}" / f"{seed}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(seed))
    (folder / "binary").write_bytes(b"\0")
    (folder / "empty").touch()
    return folder


@pytest.mark.usefixtures("small_chunks")
def test_workers_and_one_process_make_the_same_database(tmp_path: Path) -> None:
    folder = folder_of_texts(tmp_path / "texts", 40)
    made = []
    for jobs in (1, 2, 3):
        with fpdb.open(tmp_path / f"{jobs}.fpdb") as db:
            report = load(db, discover([str(folder)]), jobs=jobs)
            assert (report.added, len(report.skipped), len(report.too_short)) == (41, 1, 1)
            assert report.postings == db.info()["postings"]
            assert report.bytes == 40 * 3000
            assert db.check() == []
            answers = [db.query(text(seed)).to_dict() for seed in range(40)]
            made.append((contents(db), answers, report.skipped, report.too_short))
    assert made[0] == made[1] == made[2]


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("jobs", [1, 2])
def test_texts_are_kept_as_they_were(
    db: fpdb.Database, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever fingerprints, in batches that end when they hold enough text, and what has none yet gets it."""
    monkeypatch.setattr(loading, "BATCH_TEXT_BYTES", 1)
    folder = folder_of_texts(tmp_path / "texts", 20)
    expected: dict[str, str | bytes] = {str(path): path.read_bytes() for path in folder.rglob("*.txt")}
    expected |= {f"d{seed:03}": text(seed) for seed in range(9)} | {str(folder / "empty"): b""}
    half = [*given_texts(9)[:4], *discover([str(folder / "0")])]
    assert load(db, half, jobs=jobs).added == 11
    every = [*given_texts(9), *discover([str(folder)])]
    report = load(db, every, LoadOptions(keep_text=True), jobs=jobs)
    assert (report.updated, report.added, report.replaced) == (11, 19, 0)
    assert {document.name: db.original(document.name) for document in db.documents()} == expected
    shutil.rmtree(folder)
    assert {document.name: db.original(document.name) for document in db.documents()} == expected
    assert load(db, given_texts(9), LoadOptions(keep_text=True), jobs=jobs).unchanged == 9
    assert load(db, given_texts(9), jobs=jobs).unchanged == 9
    assert db.info()["texts"] == 30


def test_a_batch_holds_so_much_text_at_most(db: fpdb.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    commit = fpdb.ingest.batch.WriteBatch.change

    def change(batch: fpdb.WriteBatch) -> object:
        held.append(batch.text_bytes)
        return commit(batch)

    monkeypatch.setattr(fpdb.ingest.batch.WriteBatch, "change", change)
    monkeypatch.setattr(loading, "BATCH_TEXT_BYTES", 500)
    monkeypatch.setattr(chunks, "CHUNK_DOCUMENTS", 1)
    load(db, given_texts(30), LoadOptions(keep_text=True))
    largest = max(len(pack(text(seed)).packed) for seed in range(30))
    assert len(held) > 3
    assert all(500 <= size < 500 + largest for size in held[1:-1])  # the first looks whether anything is stored


def test_a_load_equals_adding_one_by_one(db: fpdb.Database, tmp_path: Path) -> None:
    load(db, given_texts(20))
    with fpdb.open(tmp_path / "other.fpdb") as other:
        for source in given_texts(20):
            other.add(source.name, source.content or "")
        assert contents(other) == contents(db)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("jobs", [1, 2])
def test_loading_again(db: fpdb.Database, jobs: int) -> None:
    load(db, given_texts(20), jobs=jobs)
    before = db.info()["postings"]
    again = load(db, given_texts(20), jobs=jobs)
    assert (again.added, again.unchanged, again.postings) == (0, 20, 0)
    labelled = load(db, given_texts(20), LoadOptions(labels={"x": "1"}, contact="me"), jobs=jobs)
    assert (labelled.updated, labelled.unchanged) == (20, 0)
    assert db.document("d000").labels == {"x": "1"}
    assert db.info()["postings"] == before
    boilerplate = load(db, given_texts(5), LoadOptions(True, {"x": "1"}, "me"), jobs=jobs)
    assert boilerplate.replaced == 5
    assert db.document("d000").boilerplate


@pytest.mark.usefixtures("small_chunks")
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2)), max_size=12), st.booleans())
@settings(max_examples=40)
def test_the_last_document_of_a_name_wins(history: list[tuple[str, int]], separate: bool) -> None:
    sources_given = [InputDocument(name, content=text(seed), size=3000) for name, seed in history]
    with tempfile.TemporaryDirectory() as folder, fpdb.open(os.path.join(folder, "x.fpdb")) as db:
        loads = (
            [sources_given[: len(history) // 2], sources_given[len(history) // 2 :]] if separate else [sources_given]
        )
        for part in loads:
            load(db, part, jobs=1)
        for name, seed in dict(history).items():
            (match,) = (m for m in db.query(text(seed)).matches if m.name == name)
            assert match.resemblance == 1
        assert len(db) == len(dict(history))
        assert db.check() == []


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_last_document_of_a_name_wins_while_others_are_on_their_way(db: fpdb.Database, jobs: int) -> None:
    load(db, given_texts(1))
    for last in (1, 2):
        seeds = [1, 2] * 60 + [last]
        load(db, (InputDocument("a", content=text(seed), size=3000) for seed in seeds), jobs=jobs)
        assert db.document("a").digest == fpdb.fingerprint.content_digest(text(last))


DOCUMENTS = st.lists(
    st.builds(
        InputDocument,
        st.sampled_from(["a", "b", "d" * 500]),
        st.none(),
        content=st.sampled_from([text(0, 200), text(1, 200).encode(), "naïve " * 30, ""]),
        kind=st.sampled_from(["auto", "text", "html"]),
        source=st.sampled_from([None, "s", "https://me:secret@example.org/?x=1"]),
        contact=st.sampled_from([None, "me"]),
        labels=st.sampled_from([None, {}, {"x": "1"}]),
    ),
    max_size=8,
)


@given(DOCUMENTS, DOCUMENTS, st.booleans(), st.booleans())
@settings(max_examples=30)
def test_what_is_known_is_what_adding_would_not_change(
    before: list[InputDocument], after: list[InputDocument], boilerplate: bool, keep_text: bool
) -> None:
    """A load counts and stores what adding one by one does, whatever is there already or comes in the same load."""
    with (
        tempfile.TemporaryDirectory() as folder,
        fpdb.open(os.path.join(folder, "x.fpdb")) as db,
        fpdb.open(os.path.join(folder, "y.fpdb")) as one,
    ):
        load(db, before, jobs=1)
        load(one, before, jobs=1)
        report = load(db, after, LoadOptions(boilerplate, keep_text=keep_text), jobs=1)
        said = Counter(
            one.add(
                each.name,
                each.content or "",
                kind=each.kind,
                source=each.source,
                contact=each.contact,
                labels=each.labels,
                boilerplate=boilerplate,
                keep_text=keep_text,
            )
            for each in after
        )
        assert {status: getattr(report, status) for status in STATUSES} == {each: said[each] for each in STATUSES}
        assert described(db) == described(one)
        assert db.check() == []


def test_pieces_are_read_twice_at_most_however_much_of_them_has_changed(db: fpdb.Database) -> None:
    class Counted(NamedTuple):
        items: list[InputDocument | Skipped]
        content_bytes: int = 0
        input_bytes: int = 0

        def documents(self) -> Iterator[InputDocument | Skipped]:
            read.append(self)
            return iter(self.items)

    read: list[Counted] = []
    load(db, given_texts(60), jobs=1)
    mixed = [
        one._replace(content=text(900 + number)) if number % 3 == 0 else one
        for number, one in enumerate(given_texts(60))
    ]
    report = load(db, [Counted([*mixed[:30]]), Counted([*mixed[30:]])], jobs=1)
    assert (report.replaced, report.unchanged) == (20, 40)
    assert len(read) <= 4


def test_one_bad_document_stops_no_other(db: fpdb.Database, tmp_path: Path) -> None:
    given_sources: list[InputDocument | Skipped] = [
        InputDocument("gone", path=str(tmp_path / "gone")),
        InputDocument("folder", path=str(tmp_path)),
        InputDocument("nothing"),
        InputDocument("kind", content="x", kind="novel"),
        InputDocument("", content="x"),
        InputDocument("x" * 70_000, content="x"),
        Skipped("passed", "over"),
        InputDocument("good", content=text(1)),
    ]
    report = load(db, given_sources)
    assert report.added == 1
    reasons = {skipped.name[:10]: skipped.reason for skipped in report.skipped}
    assert set(reasons) == {"passed", "", "xxxxxxxxxx", "gone", "folder", "nothing", "kind"}
    assert reasons["gone"] == "no such file or directory"
    assert reasons["folder"] == "is a directory"
    assert reasons["passed"] == "over"


def test_a_large_file_chunked(db: fpdb.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = text(1, 300_000).encode()
    path = tmp_path / "large.txt"
    path.write_bytes(content)
    assert input_documents.read_file(str(path)) == content
    load(db, discover([str(path)], name="large"))
    assert db.document("large").digest == fpdb.fingerprint.content_digest(content)
    monkeypatch.setattr(input_documents, "MAX_DOCUMENT_BYTES", 200_000)
    report = load(db, discover([str(path)], name="too-large"))
    assert report.skipped[0].reason.startswith("too large")
    with pytest.raises(fpdb.Unreadable, match="too large"):
        input_documents.read_file(str(path))


def test_what_is_too_large_is_not_held_in_memory_to_say_so(
    db: fpdb.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("files", "discover"):
        monkeypatch.setattr(sys.modules[f"fpdb.ingest.{name}"], "MAX_DOCUMENT_BYTES", 2_000)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 300)
    short, long = (json.dumps({"name": name, "text": "a" * size}) for name, size in (("a", 1_000), ("b", 9_000)))
    (tmp_path / "l").write_text("\n".join((short, long, short.replace('"a"', '"c"', 1), long)))
    report = load(db, read_records([str(tmp_path / "l")]))
    assert [document.name for document in db.documents()] == ["a", "c"]
    assert [skipped.name.rpartition(":")[2] for skipped in report.skipped] == ["2", "4"]
    assert all(skipped.reason.startswith("too large") for skipped in report.skipped)
    endless = io.BytesIO(b"a" * 90_000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    assert load(db, discover(["-"], name="d")).skipped[0].reason.startswith("too large")
    assert endless.tell() < 90_000


def interrupting(sources_given: Iterable[InputDocument], after: int) -> Iterator[InputDocument]:
    for index, source in enumerate(sources_given):
        if index == after:
            signal.raise_signal(signal.SIGINT)
        yield source


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_load_counts_what_is_there(db: fpdb.Database, jobs: int) -> None:
    handler = signal.getsignal(signal.SIGINT)
    report = load(db, interrupting(given_texts(200), 150), jobs=jobs)
    assert report.interrupted
    assert report.added == len(db) < 200
    assert report.postings == db.info()["postings"]
    assert signal.getsignal(signal.SIGINT) is handler
    assert load(db, given_texts(200), jobs=jobs).documents == 200


def test_an_interrupt_waits_for_the_commit(db: fpdb.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = db._store.commit

    def interrupted_commit(change: object) -> None:
        signal.raise_signal(signal.SIGINT)
        commit(change)  # type: ignore[arg-type]

    monkeypatch.setattr(db._store, "commit", interrupted_commit)
    report = load(db, given_texts(3))
    assert report.interrupted
    assert report.added == len(db) == 3


def test_an_error_leaves_the_counts_right(db: fpdb.Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "BATCH_POSTINGS", 2000)
    monkeypatch.setattr(chunks, "CHUNK_DOCUMENTS", 3)
    commit, commits = db._store.commit, []

    def failing_commit(change: object) -> None:
        commits.append(1)
        if len(commits) == 3:
            raise fpdb.StorageFailure("the disk is full")
        commit(change)  # type: ignore[arg-type]

    monkeypatch.setattr(db._store, "commit", failing_commit)
    report = LoadSummary()
    with pytest.raises(fpdb.StorageFailure):
        load(db, given_texts(100), summary=report)
    assert 0 < report.added == len(db) < 100


def dying(*_: object) -> None:
    os._exit(1)


@pytest.mark.usefixtures("small_chunks")
def test_a_worker_that_dies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_start_worker", dying)
    monkeypatch.setattr(ChunkPreparer, "prepare", lambda *_: [Skipped("a", "slow")])
    with pytest.raises(WorkerError, match="--jobs 1"):
        list(prepare_chunks(chunked(given_texts(200)), PREPARER, 2))


def test_no_process_is_copied_whose_threads_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def listdir(path: str) -> list[str]:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "listdir", listdir)
    with process_pool.forked_pool(2, int) as copies:
        assert copies is None


def test_reading_ahead_is_bounded(small_chunks: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    monkeypatch.setattr(parallel, "CHUNKS_AHEAD", 2)
    made = 0

    def given() -> Iterator[InputDocument]:
        nonlocal made
        for source in given_texts(100):
            made += 1
            yield source

    done = 0
    for _, outcomes in prepare_chunks(chunked(given()), PREPARER, 2):
        assert [outcome.place for outcome in outcomes] == [f"d{done + at:03}" for at in range(len(outcomes))]
        assert made - done <= 3 * (2 * 2 + 2)
        done += len(outcomes)


def test_walking_is_sorted_and_follows_no_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b/2", "b/10", "b-", "a", "c/x/y"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    os.symlink("..", "c/x/up")
    os.symlink("b", "linked")
    assert [one.name for one in discover(["."])] == ["a", "b/10", "b/2", "b-", "c/x/up", "c/x/y", "linked"]
    assert [one.name for one in discover(["linked"])] == ["linked/10", "linked/2"]
    inside = next(iter(discover(["linked"])))
    assert isinstance(inside, InputDocument)
    assert inside.source == f"{tmp_path}/linked/10"


@given(st.lists(st.sampled_from(["a", "b", "..", ".", ""]), max_size=8), st.booleans())
def test_a_name_keeps_all_parts_that_lead_somewhere(parts: list[str], absolute: bool) -> None:
    path = ("/" if absolute else "") + "/".join(parts)
    name = document_name(path)
    assert document_name(name) == name
    assert name.startswith("/") == path.startswith("/")
    assert [part for part in name.split("/") if part] == [part for part in parts if part not in ("", ".")]


def test_a_path_that_the_system_finds_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(20):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    monkeypatch.chdir(tmp_path)
    (skipped,) = discover(["d" * 250])
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "file name too long"


@given(st.lists(st.dictionaries(st.sampled_from(["name", "text", "kind", "labels"]), st.text() | st.none())))
def test_json_lines_are_documents_or_are_named(lines: list[dict[str, str | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "in.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        found = list(read_records([str(path)]))
    assert len(found) == len(lines)
    for number, (line, one) in enumerate(zip(lines, found, strict=True), start=1):
        if isinstance(one, InputDocument):
            named = line.get("name")
            assert (one.name, one.content) == (f"{path}:{number}" if named is None else named, line["text"])
        else:
            assert one.name.endswith(f"in.jsonl:{number}")
