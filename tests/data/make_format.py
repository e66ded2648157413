"""Make `format-N.fpdb`, a database of the present file format that every later fpdb must read, and its answers.

The answers are `format-N.json`. To be run again only while no release has written that format:

    python tests/data/make_format.py
"""

import json
import os
import time
from pathlib import Path

import numpy as np

import fpdb
from fpdb.storage import file_format
from fpdb.storage.runs import merge_policy

HERE = Path(__file__).parent
PROSE = "Four score and seven years ago our fathers brought forth on this continent, a new nation. "


def hashes_of(number, count=60):
    """Return the hashes of a document; the first ten are those of all other documents, too."""
    return np.r_[np.arange(10), np.random.default_rng(number).integers(0, 2**64, count - 10, np.uint64)].astype(
        np.uint64
    )


def make(path):
    time.time = lambda: 1_700_000_000.0  # of the documents; otherwise each making would be another file
    merge_policy.SMALLEST = 16  # so that small runs stay apart
    with fpdb.open(path, "x", recipe=fpdb.Recipe.preset().with_(key=2**64 - 5)) as db:
        with db.batch() as batch:
            for number in range(20):
                batch.add_fingerprints(f"{number}", hashes_of(number), np.arange(60) * 1000 * number)
            batch.add_fingerprints("one hash, many times", [5] * 600, range(600))
        with db.batch() as batch:
            for number in range(20, 24):
                batch.add_fingerprints(f"{number}", hashes_of(number), labels={"a": "b"}, source="s", contact="c")
        db.add_fingerprints("n" * 600 + "1", [1, 2, 3], [2**32 - 2, 0, 7])
        db.add_fingerprints("n" * 600 + "2", [1, 2, 4])
        db.add_fingerprints("not UTF-8: \udcff", [1, 2, 5])
        db.add_fingerprints("no fingerprints", [])
        db.add_fingerprints("boilerplate", [7, 8], boilerplate=True)
        db.add("string", PROSE * 9 + "\ud800", keep_text=True)
        db.add("bytes", (PROSE * 3).encode(), keep_text=True)
        db.compact()
        for number in (3, 21):
            db.remove(f"{number}")
        db.add_fingerprints("5", hashes_of(5)[:40])
        db.add_fingerprints("late", hashes_of(99, 30), range(30))


def answers(db):
    """Return the answers of a database, as JSON holds them."""
    return {
        "documents": [
            repr((document.name, document.kind, document.boilerplate, document.digest.hex(), document.fingerprints))
            + repr((document.hashes, document.added.isoformat(), document.labels, document.source, document.text_bytes))
            for document in db.documents()
        ],
        "info": {name: value for name, value in db.info().items() if not name.endswith(("path", "file_bytes", "runs"))},
        "query": db.query_fingerprints(np.r_[hashes_of(5), hashes_of(7)]).to_dict(),
        "smallest": db.query_fingerprints(hashes_of(9), smallest=20, max_df=9, by="resemblance").to_dict(),
        "text": db.query(PROSE * 2, regions=True).to_dict(),
        "pairs": [[pair.a, pair.b, pair.shared, pair.resemblance] for pair in db.pairs(by="containment", top=30)],
        "kept": [repr(db.original(name)) for name in ("string", "bytes")],
    }


if __name__ == "__main__":
    path = HERE / f"format-{file_format.FORMAT_VERSION}.fpdb"
    path.unlink(missing_ok=True)
    make(path)
    with fpdb.open(path, "r") as db:
        assert db.check() == []
        path.with_suffix(".json").write_text(json.dumps(answers(db), indent=1) + "\n")
    for suffix in ("-lock", "-writer", "-merge"):
        os.unlink(f"{path}{suffix}")
