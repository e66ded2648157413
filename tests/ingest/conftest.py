"""A database, and loads in small chunks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import fpdb
from fpdb.ingest import chunks, loading, parallel


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
