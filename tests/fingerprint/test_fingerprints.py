"""Fingerprints are plain arrays that lead back to the document."""

import numpy as np
import pytest

from fpdb.fingerprint import Fingerprints, Recipe, content_digest
from tests.fingerprint.test_recipe import TEXT


def test_types_of_the_arrays():
    fingerprints = Recipe.preset().fingerprint(TEXT)
    assert [fingerprints.hashes.dtype, fingerprints.positions.dtype] == [np.uint64, np.uint32]
    assert fingerprints.starts.dtype == np.int64
    assert (fingerprints.kind, fingerprints.note) == ("text", "string")


@pytest.mark.parametrize(("symbols", "kgrams", "count"), [(0, 0, 0), (29, 0, 0), (30, 1, 1), (49, 20, 1)])
def test_short_documents(symbols, kgrams, count):
    content = "".join(chr(97 + i % 26) for i in range(symbols)) + " ."
    fingerprints = Recipe.preset().fingerprint(content.encode())
    assert (fingerprints.symbols, fingerprints.kgrams, len(fingerprints.hashes)) == (symbols, kgrams, count)
    assert len(fingerprints.positions) == len(fingerprints.starts) == count


def test_starts_need_the_symbols():
    fingerprints = Recipe.preset().fingerprint(TEXT)
    stored = Fingerprints("text", 0, 0, fingerprints.hashes, fingerprints.positions, "")
    with pytest.raises(ValueError, match="without their document's symbols"):
        _ = stored.starts


def test_a_string_has_the_digest_of_its_utf_8():
    assert content_digest("é\ud800") == content_digest("é\ud800".encode("utf-8", "surrogatepass"))
    assert content_digest("é") != content_digest("é".encode("latin-1"))
