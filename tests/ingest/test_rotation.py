"""Rotation reads documents again from where they came."""

import gzip
import os
from pathlib import Path

import pytest

import fpdb
from fpdb.ingest.discover import discover
from fpdb.ingest.files import InputDocument
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import load
from fpdb.ingest.rotation import rotate
from fpdb.regions.sources import REASONS
from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import written
from tests.made_up_prose import prose


def test_rotation_reads_members_again(tmp_path: Path) -> None:
    text = " ".join(f"word{at * 7919 % 1009}" for at in range(900)).encode()
    path = written(tmp_path / "a.tar.gz", gzip.compress(crafted.tarred(("a.txt", text), ("b.txt", text[::-1]))))
    recipe = fpdb.Recipe.preset("koala")
    with fpdb.open(tmp_path / "k.fpdb", recipe=recipe, sources=[tmp_path]) as db:
        load(db, discover([path]))
        rotated = rotate(db, db.documents(), rotation=1)
        assert (rotated.documents, rotated.stale) == (2, [])
        written(tmp_path / "a.tar.gz", gzip.compress(crafted.tarred(("a.txt", text))))
        (stale,) = rotate(db, db.documents(), rotation=2).stale
        assert (stale.name, stale.reason) == (f"{path}/b.txt", "the source cannot be read")
        os.remove(path)
        gone = "the source is gone, and the text was not kept"
        assert {one.reason for one in rotate(db, db.documents(), rotation=3).stale} == {gone}
        assert db.check() == []


def stored_hashes(db: fpdb.Database, name: str, text: str) -> set[int]:
    """Those of the document's search fingerprints that the database finds under its name."""
    found = db.recipe.fingerprint(text, purpose="search").hashes
    return {
        int(hash_)
        for hash_ in found
        if any(match.name == name for match in db.query_fingerprints([int(hash_)], max_df=1, max_ignored=0).matches)
    }


def test_rotation_stores_another_subset_and_searching_does_not_change(koala: fpdb.Database) -> None:
    text = prose(2, 4_000)
    koala.add("a", text, contact="someone", labels={"year": "1996"})
    before = koala.document("a")
    seen = [stored_hashes(koala, "a", text)]
    for expected in (1, 2, 7):
        assert koala.rotate("a", text, rotation=7 if expected == 7 else None) == expected
        seen.append(stored_hashes(koala, "a", text))
        after = koala.document("a")
        assert after.rotation == expected
        assert (after.added, after.contact, after.labels) == (before.added, before.contact, before.labels)
        assert koala.query(text).matches[0].shared == 100
    assert [len(subset) for subset in seen] == [100] * 4  # each a subset of the search fingerprints
    assert all(len(one & other) < 50 for i, one in enumerate(seen) for other in seen[:i])
    assert koala.add("a", text, contact="someone", labels={"year": "1996"}) == "unchanged"


def test_rotation_refuses_what_it_cannot_do(koala: fpdb.Database, tmp_path: Path) -> None:
    koala.add("a", prose(3, 3_000))
    with pytest.raises(fpdb.ContentChanged):
        koala.rotate("a", "something else")
    with pytest.raises(fpdb.NoSuchDocument):
        koala.rotate("b", "something else")
    with fpdb.open(tmp_path / "text.fpdb") as other:
        other.add("a", "some text")
        with pytest.raises(fpdb.BadRecipe):
            other.rotate("a", "some text")


def test_a_rotation_of_everything_lists_stale_sources_with_their_contact(koala: fpdb.Database, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(prose(ord(name), 3_000))
        load(
            koala,
            [InputDocument(name, str(tmp_path / name), source=str(tmp_path / name))],
            LoadOptions(contact=f"{name}@example.org"),
        )
    koala.add("d", prose(9, 3_000))
    assert {stale.reason for stale in rotate(koala, koala.documents("[abc]")).stale} == {REASONS["outside"]}
    koala.remember_sources([tmp_path])
    (tmp_path / "b").unlink()
    (tmp_path / "c").write_text("another text")
    report = rotate(koala, koala.documents())
    assert report.documents == 1
    assert [(stale.name, stale.contact) for stale in report.stale] == [
        ("b", "b@example.org"),
        ("c", "c@example.org"),
        ("d", None),
    ]
    assert [stale.reason for stale in report.stale] == [
        "the source is gone, and the text was not kept",
        "the source has changed since it was added",
        "it did not come from a file here, and the text was not kept",
    ]
    assert [document.rotation for document in koala.documents()] == [1, 0, 0, 0]


def test_rotation_reads_kept_texts_and_keeps_them(koala: fpdb.Database) -> None:
    text = prose(2, 4_000)
    koala.add("a", text, keep_text=True)
    koala.add("b", text.encode())
    with koala.batch() as batch:
        batch.add("c", text, keep_text=True)
        batch.rotate("c", text)
        assert batch.add("b", text.encode(), keep_text=True) == "updated"
        batch.rotate("b", text.encode())
    report = rotate(koala, koala.documents())
    assert (report.documents, report.stale) == (3, [])
    assert [(each.rotation, each.text_bytes) for each in koala.documents()] == [
        (1, len(text)),
        (2, len(text)),
        (2, len(text)),
    ]
    assert [koala.original(name) for name in "abc"] == [text, text.encode(), text]
    assert koala.info()["texts"] == 3
