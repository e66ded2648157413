"""Records read in any order are those of their groups, whatever the cache has room for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import Corrupt
from fpdb.storage import file_format, record_groups
from fpdb.storage.file_format import DIGEST_BYTES, RECORDS_PER_GROUP
from fpdb.storage.record_groups import RecordGroups
from fpdb.storage.records import Record, pack_records

RECORDS = {
    document_id: Record(b"%d" % document_id, "text", bytes(DIGEST_BYTES), 0, 0, 0, 0, 0)
    for document_id in range(6 * RECORDS_PER_GROUP)
    if document_id % 5
}


def read(index):
    if index == 3:  # one that is not there
        return None
    ids = range(index * RECORDS_PER_GROUP, (index + 1) * RECORDS_PER_GROUP)
    return pack_records(file_format.id_key(index), [RECORDS.get(document_id) for document_id in ids], 1)


@given(st.lists(st.integers(0, 6 * RECORDS_PER_GROUP - 1)), st.integers(1, 7), st.sampled_from([1, 300, 10**6]))
def test_records_in_any_order(document_ids, cached_groups, cached_bytes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_groups, "CACHED_GROUPS", cached_groups)
        patch.setattr(record_groups, "CACHED_BYTES", cached_bytes)
        groups = RecordGroups(read)
        for document_id in document_ids:
            if document_id in RECORDS and document_id // RECORDS_PER_GROUP != 3:
                assert groups.record(document_id) == RECORDS[document_id]
            else:
                with pytest.raises(Corrupt, match=f"document {document_id} has no record"):
                    groups.record(document_id)
