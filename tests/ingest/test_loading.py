"""Loading: the same database whichever way it is made, and an honest count whatever happens."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import chunks, loading
from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.load_summary import LoadSummary
from fpdb.ingest.loading import load
from fpdb.storage.texts import pack
from tests import crafted_archives as crafted
from tests.ingest.given_texts import contents, folder_of_texts, given_texts, text


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
    summary = load(db, given_texts(20))
    assert (summary.texts, summary.read_as_text) == (20, [source.name for source in given_texts(20)])
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


def test_documents_that_fail_end_no_load_and_take_a_bounded_time(
    db: fpdb.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: Callable[..., None]
) -> None:
    """The members of an archive that never end share ten times the seconds of one; what follows is read."""
    program = tmp_path / "gs"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    loops = ((f"{number:02}.ps", b"%!PS\n{} loop") for number in range(20))
    (tmp_path / "a.zip").write_bytes(crafted.zipped(*loops, ("z.txt", b"some words that are read")))
    limited(seconds=0.05)
    for _ in range(2):  # each load has its own time
        report = load(db, discover([str(tmp_path / "a.zip")], kind="auto"))
        reasons = [skipped.reason for skipped in report.skipped]
        failed = reasons.count("reading it took more than 0.05 s (see --max-seconds)")
        passed_over = reasons.count(
            "passed over: documents that failed took more than 0.5 s already (see --max-seconds)"
        )
        assert 1 <= failed <= 10
        assert failed + passed_over == len(reasons) == 20
    assert [document.name.rpartition("/")[2] for document in db.documents()] == ["z.txt"]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("small_chunks")
def test_only_what_is_absent_is_added(db: fpdb.Database, tmp_path: Path, jobs: int) -> None:
    """Files of stored names need not even be readable; of records of one name, the first is added."""
    for number in range(0, 20, 2):
        db.add(str(number), f"the text of {number}", labels={"old": "yes"})
    db.add("template", "the text", boilerplate=True)
    before = {document.name: document for document in db.documents()}
    inputs = [InputDocument(str(number), str(tmp_path / str(number))) for number in range(20)]
    for number in range(1, 20, 2):
        (tmp_path / str(number)).write_text(f"another text of {number}")
    again = [InputDocument("x", content=f"text {number}", location=f"f:{number}") for number in range(3)]
    inputs += [*again, InputDocument("template", content="other"), InputDocument("x" * 70_000, content="no name")]
    options = LoadOptions(if_absent=True, labels={"new": "yes"}, boilerplate=False, keep_text=True)
    report = load(db, inputs, options, jobs=jobs)
    assert (report.added, report.replaced, report.updated, report.unchanged) == (11, 0, 0, 0)
    assert (report.present, report.skips, report.documents, report.duplicates) == (13, 1, 24, 0)
    after = {document.name: document for document in db.documents()}
    assert {name: after[name] for name in before} == before
    assert db.text("x") == b"text 0"
    assert db.text("7") == b"another text of 7"
    again_report = load(db, inputs, options, jobs=jobs)
    assert (again_report.added, again_report.present, again_report.bytes) == (0, 24, 0)
    assert db.check() == []
