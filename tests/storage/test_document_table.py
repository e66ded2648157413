"""The columns of a table are those of its documents' records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage import document_table
from fpdb.storage.document_table import DocumentTable
from fpdb.storage.file_format import DIGEST_BYTES, RECORDS_PER_GROUP, id_key
from fpdb.storage.records import Record, pack_records

KEYS = ["a", "b", "never"]
RECORDS = st.builds(
    Record,
    name=st.binary(min_size=1, max_size=5),
    kind=st.sampled_from(["text", "code"]),
    digest=st.binary(min_size=DIGEST_BYTES, max_size=DIGEST_BYTES),
    symbols=st.integers(0, 2**32),
    kgrams=st.integers(0, 2**32),
    fingerprints=st.integers(300, 2**31),
    hashes=st.integers(0, 300),
    added=st.integers(0, 2**32),
    note=st.just(""),
    source=st.none() | st.just("/s"),
    contact=st.none() | st.just("a@b.org"),
    labels=st.dictionaries(st.sampled_from(["a", "b", "c"]), st.text(max_size=3), max_size=3),
    rotation=st.integers(0, 3),
    text=st.none() | st.just(5),
)
GROUPS = st.dictionaries(
    st.integers(0, 9), st.lists(st.none() | RECORDS, min_size=RECORDS_PER_GROUP, max_size=RECORDS_PER_GROUP), max_size=3
)


def rows(table):
    """Return the rows of a table as tuples."""
    counts = map(tuple, table.counts.tolist())
    labels = zip(*(table.labels[key] for key in sorted(table.labels)), strict=True) if table.labels else iter(())
    columns = table.ids.tolist(), table.names, table.kinds, map(bytes, table.digests), counts
    return [(*row, next(labels, ())) for row in zip(*columns, strict=True)]


@given(GROUPS, st.sets(st.sampled_from(KEYS)), st.integers(1, 3), st.data())
def test_columns_are_those_of_the_records(groups, keys, groups_together, data):
    packed = [(index, pack_records(id_key(index), groups[index], 1)) for index in sorted(groups)]
    documents = [
        (index * RECORDS_PER_GROUP + place, record)
        for index in sorted(groups)
        for place, record in enumerate(groups[index])
        if record is not None
    ]
    expected = [
        (id_, each.name, each.kind, each.digest, tuple(each[3:8]), tuple(each.labels.get(key) for key in sorted(keys)))
        for id_, each in documents
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document_table, "GROUPS", groups_together)
        table = DocumentTable.read(packed, list(keys))
        assert rows(table) == expected
        parts = [DocumentTable.read([group], list(keys)) for group in packed]
    if parts:
        assert rows(DocumentTable.concatenate(parts)) == expected
    chosen = sorted(data.draw(st.sets(st.sampled_from(range(len(expected))))) if expected else ())
    assert rows(table.take(chosen)) == [expected[place] for place in chosen]


def test_no_documents_make_a_table_without_rows():
    table = DocumentTable.read([], ["a"])
    assert rows(table) == []
    assert table.counts.shape == (0, 5)
    assert table.digests.shape == (0, DIGEST_BYTES)
    assert table.ids.dtype == np.uint32
