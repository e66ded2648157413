"""Whichever way a document is prepared, it is the same document."""

import math

import numpy as np
import pytest

import fpdb
from fpdb.fingerprint import content_digest
from fpdb.ingest.chunk_preparer import ChunkPreparer
from fpdb.ingest.files import InputDocument
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.prepare import PrepareOptions, ReadDocument, prepare, prepare_hashes
from tests.reference_database import shared_by_name

RECIPE = fpdb.Recipe.preset()
TEXT = "some words and more of them and others " * 9


def test_short_texts_together_are_as_one_by_one():
    (ready,) = ChunkPreparer(RECIPE, LoadOptions()).prepare([InputDocument("a", content=TEXT)], None)
    alone = prepare(RECIPE, ReadDocument(InputDocument("a"), TEXT, content_digest(TEXT)), "text", PrepareOptions())
    assert np.array_equal(ready.document.hashes, alone.hashes)
    assert np.array_equal(ready.document.encoded_positions, alone.encoded_positions)
    added = alone.record.added
    assert ready.document.record._replace(added=added) == alone.record
    assert ready.document[3:] == alone[3:]


@pytest.mark.parametrize(("positions", "encoded"), [(None, [0, 0]), ([0, 2**32 - 2], [1, 2**32 - 1])])
def test_positions_are_stored_as_one_more(positions, encoded):
    prepared = prepare_hashes(InputDocument("a"), [2**64 - 1, 0], positions)
    assert prepared.hashes.tolist() == [2**64 - 1, 0]
    assert prepared.encoded_positions.tolist() == encoded


def test_the_callers_arrays_and_labels_may_change():
    hashes, labels = np.arange(3, dtype=np.uint64), {"x": "1"}
    prepared = prepare_hashes(InputDocument("a", labels=labels), hashes)
    hashes[0], labels["x"] = 9, "2"
    assert prepared.hashes.tolist() == [0, 1, 2]
    assert prepared.record.labels == {"x": "1"}


@pytest.mark.parametrize(
    ("hashes", "positions", "digest"),
    [
        ([1, -1], None, None),
        ([1.5], None, None),
        ([[1]], None, None),
        ([1], [2**32 - 1], None),
        ([1], [], None),
        ([1], None, b"short"),
    ],
)
def test_bad_fingerprints(hashes, positions, digest):
    with pytest.raises(fpdb.BadFingerprints):
        prepare_hashes(InputDocument("a"), hashes, positions, digest=digest)


class Encodes:
    """No string, but it has the method of one."""

    def encode(self, *_):
        return b"x"

    def __repr__(self):
        return "Encodes()"


@pytest.mark.parametrize("value", [None, 5, 0.5, math.nan, True, b"x", ["x"], ("x",), Encodes(), "\ud800"], ids=repr)
@pytest.mark.parametrize("text", [True, False], ids=["text", "hashes"])
def test_what_is_not_text_is_no_label_and_the_database_stays_as_it_was(db, value, text):
    """A label without a value was stored, and made the whole group of documents unreadable."""
    db.add("before", TEXT)
    for labels in ({"a": value, "b": "x"}, {} if isinstance(value, list) else {value: "x"}):
        if labels:
            with pytest.raises(fpdb.BadLabel, match="text"):
                db.add("a", TEXT, labels=labels) if text else db.add_fingerprints("a", [7], labels=labels)
    assert [document.name for document in db.documents()] == ["before"]
    assert db.check() == []


MOST = 2**64 - 1


@pytest.mark.parametrize(
    "hashes",
    [
        [0, MOST, 7],
        (0, MOST, 7),
        {0, MOST, 7},
        np.array([0, MOST, 7], np.uint64),
        np.array([0, MOST, 7], ">u8"),
        np.array([0, MOST, 7, 7, 0], np.uint64)[:3],
        np.array([[0, 1], [MOST, 1], [7, 1]], np.uint64)[:, 0],
        [np.uint64(0), np.uint64(MOST), np.int8(7)],
        (value for value in (0, MOST, 7)),
        range(7, 10),
        np.array([7, 8, 9], np.int8),
        np.array([7, 8, 9], np.int64),
        np.array([7, 8, 9], np.uint16),
    ],
    ids=lambda hashes: f"{type(hashes).__name__}-{getattr(hashes, 'dtype', '')}",
)
def test_whole_numbers_of_every_form_are_hashes(db, hashes):
    assert db.add_fingerprints("a", hashes) == "added"
    assert db.document("a").hashes == 3
    assert shared_by_name(db, [7, 7]) == {"a": 1}
    assert shared_by_name(db, [0, MOST, 7, 8, 9]) == {"a": 3}


@pytest.mark.parametrize(
    "hashes", [[], np.array([]), np.array([], object), iter(())], ids=lambda value: type(value).__name__
)
def test_no_hash_has_no_type(db, hashes):
    assert db.add_fingerprints("a", hashes) == "added"
    assert db.document("a").hashes == 0


BAD = [
    [-1],
    [MOST + 1],
    [0.5],
    [1.0],
    ["1"],
    [None],
    [[1]],
    "12",
    b"12",
    bytearray(b"12"),
    5,
    None,
    np.array([-1]),
    np.array([1.0]),
    np.array([[1, 2]], np.uint64),
    np.array(3, np.uint64),
    np.array([1], object),
    np.array(["1"]),
    np.array([True]),
    np.array(["2020-01-01"], "M8[D]"),
]


@pytest.mark.parametrize("hashes", BAD, ids=repr)
def test_anything_else_is_refused(db, hashes):
    with pytest.raises(fpdb.BadFingerprints):
        db.add_fingerprints("a", hashes)
    with pytest.raises(fpdb.BadFingerprints):
        db.query_fingerprints(hashes)
    if hashes is not None:
        with pytest.raises(fpdb.BadFingerprints):
            db.add_fingerprints("a", [1], hashes)
    assert "a" not in db


def test_positions_of_every_form(db):
    hashes = [5, 5, 5, 6, 5]
    for positions in ([3, 1, 3, 0, 2**32 - 2], np.array([3, 1, 3, 0, 2**32 - 2]), (value for value in (3, 1, 3, 0, 9))):
        db.add_fingerprints("a", hashes, positions)
        assert (db.document("a").fingerprints, db.document("a").hashes) == (4, 2)
        assert db.check() == []
    db.add_fingerprints("a", hashes)
    assert (db.document("a").fingerprints, db.document("a").hashes) == (2, 2)
    for bad in ([1], [1] * 6, [0, 1, 2, 3, 2**32 - 1], [0, 1, 2, 3, -1], [], [2**64] * 5):
        with pytest.raises(fpdb.BadFingerprints):
            db.add_fingerprints("b", hashes, bad)
    for digest in (b"", b"x" * 15, b"x" * 17):
        with pytest.raises(fpdb.BadFingerprints):
            db.add_fingerprints("b", hashes, digest=digest)


def test_what_the_caller_does_to_its_arrays_afterwards_changes_nothing(db):
    hashes, positions, labels = np.array([1, 2, 3], np.uint64), np.array([4, 5, 6], np.uint32), {"a": "b"}
    with db.batch() as batch:
        batch.add_fingerprints("a", hashes, positions, labels=labels)
        hashes[:], positions[:] = 9, 9
        labels["a"] = "c"
    assert shared_by_name(db, [1, 2, 3, 9]) == {"a": 3}
    assert db.document("a").labels == {"a": "b"}
    assert db.add_fingerprints("a", [1, 2, 3], [4, 5, 6], labels={"a": "b"}) == "unchanged"
