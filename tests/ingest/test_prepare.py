"""Whichever way a document is prepared, it is the same document."""

import numpy as np
import pytest

import fpdb
from fpdb.fingerprint import content_digest
from fpdb.ingest.chunk_preparer import ChunkPreparer
from fpdb.ingest.files import InputDocument
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.prepare import PrepareOptions, ReadDocument, prepare, prepare_hashes

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
