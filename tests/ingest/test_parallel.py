"""Workers and one process prepare the same documents, and read ahead in bounds."""

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

import fpdb
from fpdb.ingest import parallel, process_pool
from fpdb.ingest.chunk_preparer import ChunkPreparer, ReadyDocument
from fpdb.ingest.chunks import chunked
from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import load
from fpdb.ingest.parallel import prepare_chunks
from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import written
from tests.ingest.given_texts import PREPARER, contents, folder_of_texts, given_texts, text


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


def test_content_on_its_way_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "QUEUED_BYTES", 1 << 20)
    monkeypatch.setattr(parallel, "ALONE_BYTES", 0)
    path = written(tmp_path / "a.zip", crafted.zipped(*((f"{at}", f"{at:09} ".encode() * 30_000) for at in range(60))))
    given = 0

    def members() -> Iterator[InputDocument | Skipped]:
        nonlocal given
        for one in discover([path]):
            given += 1
            yield one

    done = 0
    preparer = ChunkPreparer(fpdb.Recipe.preset(), LoadOptions())
    for _, outcomes in prepare_chunks(chunked(members()), preparer, 2):
        assert all(isinstance(outcome, ReadyDocument) for outcome in outcomes)
        assert given - done <= 20
        done += len(outcomes)


@pytest.mark.parametrize("preset", ["sample", "koala", "text"])
def test_workers_give_what_one_process_gives(tmp_path: Path, preset: str) -> None:
    """Shares, levels and positions too: the files hold the same postings and sizes."""
    folder = Path(sysconfig.get_path("stdlib"))
    sources = [InputDocument(path.name, str(path)) for path in sorted(folder.glob("*.py"))] * 3
    sources = [source._replace(name=f"{number}") for number, source in enumerate(sources)]
    found = []
    for jobs in (1, 2):
        with fpdb.open(tmp_path / f"{jobs}.fpdb", recipe=fpdb.Recipe.preset(preset)) as db:
            load(db, sources, jobs=jobs)
            with db._store.snapshot() as view:
                ids = view.catalogue.live_ids()
                found.append(view.catalogue.sizes(ids).tobytes())
            assert db.check() == []
    assert found[0] == found[1]
