"""The workers, without Spark, give the same results whatever the batches are."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.errors import MissingPackage
from fpdb.spark import workers

EDGES = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), max_size=60)


def batches(rows, size):
    for start in range(0, len(rows), size):
        columns = [pa.array(column, pa.int64()) for column in zip(*rows[start : start + size], strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=workers.FOREST)


def plain_components(edges):
    """Return the least number of each component, by number."""
    roots = {number: number for edge in edges for number in edge}
    for _ in roots:
        for a, b in edges:
            roots[a] = roots[b] = min(roots[a], roots[b])
    return roots


@given(EDGES, st.integers(1, 9), st.integers(1, 9))
def test_forest(edges, size, at_once):
    before, workers.MAX_EDGES = workers.MAX_EDGES, at_once
    try:
        found = [row for batch in workers.span_components(batches(edges, size)) for row in batch.to_pylist()]
    finally:
        workers.MAX_EDGES = before
    expected = plain_components(edges)
    assert {row["b"]: row["a"] for row in found} == {n: root for n, root in expected.items() if n != root}
    assert len(found) == len({row["b"] for row in found})


@given(st.lists(st.integers(0, 2**64 - 1), min_size=2))
def test_signed_hashes_keep_their_order(numbers):
    hashes = np.array(numbers, np.uint64)
    assert np.array_equal(np.argsort(workers.signed(hashes), kind="stable"), np.argsort(hashes, kind="stable"))


def test_batches_do_not_matter(monkeypatch):
    monkeypatch.setattr(workers, "MAX_POSTINGS", 20)
    texts = ["", "short", *("some words and some more words and so on " * n + str(n) for n in range(1, 40))]
    rows = [{"id": n, "name": f"d{n}", "text": text, "error": None} for n, text in enumerate(texts)]
    empty = dict.fromkeys(workers.RECORD.names)
    schema = pa.schema([("id", pa.int64()), *workers.RECORD])
    recipe = fpdb.Recipe.preset()
    given_rows = [empty | row for row in rows]
    found = []
    for size in (1, 7, 100):
        parts = [pa.RecordBatch.from_pylist(given_rows[at : at + size], schema) for at in range(0, len(rows), size)]
        out = pa.Table.from_batches(workers.fingerprint(parts, workers.FingerprintTask(recipe.to_record()))).to_pylist()
        found.append(out)
    assert found[0] == found[1] == found[2]
    for row, text in zip(found[0], texts, strict=True):
        expected = recipe.fingerprint(text)
        assert row["hashes"] == workers.signed(expected.hashes).tolist()
        assert row["positions"] == expected.positions.tolist()
        assert (row["symbols"], row["kgrams"]) == (expected.symbols, expected.kgrams)


def test_another_version_is_refused():
    work = workers.FingerprintTask(fpdb.Recipe.preset().to_record(), version="0.0.0")
    with pytest.raises(MissingPackage, match=r"0\.0\.0"):
        next(workers.fingerprint([], work))
