"""Fixtures of the tests of exchange."""

import time

import pytest

from fpdb.exchange import merge_database, parquet_import
from fpdb.storage import ingest
from fpdb.storage.runs import writer
from tests.parquet_folders import document, rows


@pytest.fixture
def small_steps(monkeypatch):
    """Batches of a few documents and postings, and a clock that stands still."""
    monkeypatch.setattr(writer, "POSTINGS_PER_TRANSACTION", 30)
    monkeypatch.setattr(ingest, "DOCUMENTS_PER_COMMIT", 3)
    monkeypatch.setattr(ingest, "TEXT_BYTES_PER_COMMIT", 200)
    monkeypatch.setattr(merge_database, "POSTINGS_PER_PART", 20)
    monkeypatch.setattr(merge_database, "NAMES_PER_LOOK_UP", 5)
    monkeypatch.setattr(parquet_import, "DOCUMENTS_PER_READ", 5)
    monkeypatch.setattr(parquet_import, "POSTINGS_PER_READ", 7)
    monkeypatch.setattr(time, "time", lambda: 1e9)


@pytest.fixture
def folder_rows():
    """Return the rows of a sound folder: those of documents, and those of postings."""
    return rows(
        [(document(f"{number}", bytes([number]) * 16), [(hash_, hash_) for hash_ in range(9)]) for number in range(5)]
    )
