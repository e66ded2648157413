"""A database of several runs, with all sorts of documents, to be damaged; and all that is in such a database."""

import os

import numpy as np

import fpdb


def contents(path):
    """Return all documents by name, and all postings (hash, encoded position) by document name."""
    with fpdb.open(path, "r") as db:
        assert db.check() == []
        documents = {document.name: document for document in db.documents()}
        postings = {}
        with db._store.snapshot() as view:
            for run in view.state.runs:
                for piece in view.scan(run):
                    for hash_, number, position in zip(
                        piece.hashes, piece.document_ids, piece.encoded_positions, strict=True
                    ):
                        postings.setdefault(int(number), set()).add((int(hash_), int(position)))
            named = {document: view.catalogue.record(document).name for document in view.catalogue.live_ids().tolist()}
    return documents, {name.decode(): postings.get(number, set()) for number, name in named.items()}


def make(folder):
    """Make a database of a few hundred documents in several runs, and return its bytes and what `contents` gives.

    It has positions, removed documents, boilerplate, kept texts and long names.
    """
    path = folder / "t.fpdb"
    rng = np.random.default_rng(1)
    with fpdb.open(path) as db:
        for part in range(5):
            with db.batch() as batch:
                for number in range(60):
                    name = f"{part}/{number}" if number else f"{'n' * 600}{part}"
                    hashes = rng.integers(0, 2**63, 150, np.uint64)
                    batch.add_fingerprints(name, hashes, rng.integers(0, 9999, 150), labels={"part": str(part)})
            db.add(f"text {part}", f"The text of part {part}, again. " * 200, keep_text=True)
        db.add_fingerprints("boilerplate", hashes[:40], boilerplate=True)
        for number in range(1, 20):
            db.remove(f"2/{number}")
        assert db.check() == []
        assert db.info()["runs"] > 3
    data = path.read_bytes()
    os.unlink(f"{path}-lock")
    return data, *contents(path)
