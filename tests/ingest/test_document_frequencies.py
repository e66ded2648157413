"""Frequencies are counts of documents, however often and in what order a hash is asked for."""

from pathlib import Path

import numpy as np

import fpdb
from fpdb.ingest.document_frequencies import document_frequencies
from tests.made_up_prose import prose


def test_frequencies(db):
    for name, hashes in (("a", [1, 2, 2]), ("b", [2, 3]), ("c", [2])):
        db.add_fingerprints(name, hashes)
    db.add_fingerprints("d", [9], boilerplate=True)
    with db._store.snapshot() as snapshot:
        count = document_frequencies(snapshot)
        assert count(np.array([3, 2, 1, 2, 7], np.uint64)).tolist() == [1, 3, 1, 3, 0]
        assert count(np.empty(0, np.uint64)).tolist() == []


def test_frequencies_count_documents(tmp_path: Path) -> None:
    """In any order, with repeats, and for hashes that nobody holds."""
    with fpdb.open(tmp_path / "t.fpdb") as db:
        for number in range(5):
            db.add_fingerprints(f"{number}", range(number, 5))
        db.add_fingerprints("template", [4], boilerplate=True)
        db.remove("0")
        assert db.frequencies([4, 0, 2, 4, 2**64 - 1]).tolist() == [4, 0, 2, 4, 0]
        assert db.frequencies([]).tolist() == []
        assert db.check() == []


def test_rarity_in_the_corpus_avoids_what_other_documents_hold(tmp_path: Path) -> None:
    """A passage that is in every document is stored for none when the database's frequencies decide."""
    common = prose(5, 150)
    recipe = fpdb.Recipe.preset("koala").with_(skip=0, stored=400, search=800, max_df=None)
    with fpdb.open(tmp_path / "t.fpdb", recipe=recipe) as db:
        db.add("first", common)
        held = db.recipe.fingerprint(common).hashes
        assert (db.frequencies(held) == 1).all()
        text = prose(6, 2_000) + common
        db.add("document", text)
        db.add("corpus", text, rarity="corpus")
        counts = {match.name: match.shared for match in db.query_fingerprints(held, max_df=1, max_ignored=0).matches}
        assert counts["document"] > 0
        assert "corpus" not in counts
        assert {match.name for match in db.query(text, rarity="corpus").matches} >= {"corpus", "document"}
        assert db.check() == []
