"""Records in columns are packed as records are."""

import msgpack
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fpdb.storage.record_columns import RecordColumns
from fpdb.storage.records import Record

COUNTS = st.integers(0, 2**63 - 1) | st.sampled_from(
    [bit + more for bit in (2**7, 2**8, 2**16, 2**32) for more in (-1, 0)]
)
NAMES = st.binary(min_size=1, max_size=20) | st.sampled_from([b"x" * size for size in (255, 256, 65535)])
TEXTS = st.text(max_size=5) | st.just("\udcff")
DOCUMENT = st.tuples(NAMES, st.binary(min_size=16, max_size=16), st.lists(COUNTS, min_size=4, max_size=4))


@given(
    st.lists(DOCUMENT, min_size=1, max_size=25).filter(lambda some: sum(len(name) for name, _, _ in some) < 2**18),
    TEXTS,
    COUNTS,
    st.lists(st.dictionaries(TEXTS, TEXTS, max_size=2), min_size=25, max_size=25) | st.none(),
    st.data(),
)
def test_packed_groups_are_those_of_the_records(documents, kind, added, labels, data):
    names, digests, counts = map(list, zip(*documents, strict=True))
    columns = RecordColumns(names, kind, added, b"".join(digests), np.array(counts, np.int64), labels)
    records = [
        Record._make(
            (name, kind, digest, *numbers, added, "", None, None, {} if labels is None else labels[row], 0, None)
        )
        for row, (name, digest, numbers) in enumerate(documents)
    ]
    assert columns[:] == records
    first_id = data.draw(st.integers(0, 20))
    groups = columns.whole_groups(first_id)
    held = [row + first_id for row in range(len(records))]
    assert list(groups) == [group for group in range(10) if {*range(8 * group, 8 * group + 8)} <= {*held}]
    packed = [
        msgpack.packb(records[8 * group - first_id : 8 * group - first_id + 8], unicode_errors="surrogateescape")
        for group in groups
    ]
    assert list(columns.packed_groups(first_id, groups)) == packed
