"""Texts of no meaning, as input documents and as files, and what a database holds of them."""

from pathlib import Path

import fpdb
from fpdb.ingest.chunk_preparer import ChunkPreparer
from fpdb.ingest.files import InputDocument
from fpdb.ingest.load_options import LoadOptions

PREPARER = ChunkPreparer(fpdb.Recipe.preset(), LoadOptions())


def text(seed: int, size: int = 3000) -> str:
    """Letters of no meaning, the same for the same seed."""
    return "".join(chr(97 + (seed * 7919 + index * index * 31 + index // 7) % 26) for index in range(size))


def given_texts(count: int) -> list[InputDocument]:
    return [InputDocument(f"d{seed:03}", content=text(seed), size=3000) for seed in range(count)]


def contents(db: fpdb.Database) -> list[tuple[object, ...]]:
    return [(d.name, d.digest, d.kind, d.symbols, d.fingerprints, d.hashes, d.note, d.source) for d in db.documents()]


def folder_of_texts(folder: Path, count: int) -> Path:
    for seed in range(count):
        path = folder / f"{seed % 3}" / f"{seed}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(seed))
    (folder / "binary").write_bytes(b"\0")
    (folder / "empty").touch()
    return folder
