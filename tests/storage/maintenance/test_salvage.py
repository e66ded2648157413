"""Everything is salvaged of a sound file, and of a damaged one everything that its damage does not touch."""

from contextlib import closing

import numpy as np
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.maintenance.salvage import SalvageReader
from tests.storage.raw import Raw


@pytest.fixture
def path(tmp_path, original):
    path = tmp_path / "t.fpdb"
    path.write_bytes(original[0])
    return path


def test_a_sound_file_is_salvaged_whole(path):
    with closing(SalvageReader(str(path))) as salvage, fpdb.open(path, "r") as db, db._store.snapshot() as snapshot:
        records = dict(snapshot.catalogue.all_records())
        assert not salvage.changes_lost
        assert (salvage.recipe, salvage.state) == (db._store.recipe, snapshot.state)
        assert dict(salvage.records()) == records
        assert list(salvage.sized()) == list(records)
        assert salvage.names() == {document_id: key for key, document_id in snapshot.catalogue.names()}
        shares = snapshot.catalogue.sizes(np.array(list(records), np.uint32))["share"]
        assert [salvage.share(document_id) for document_id in records] == shares.tolist()
        kept = {document_id: snapshot.texts.kept(document_id, record) for document_id, record in records.items()}
        assert any(kept.values())
        packed = {document_id: None if text is None else text.packed for document_id, text in kept.items()}
        assert {document_id: salvage.text(document_id) for document_id in records} == packed
        assert salvage.posting_blocks() == {run.number: set(range(run.blocks)) for run in snapshot.state.runs}


def test_a_damaged_group_loses_its_records_and_not_their_names(path):
    with closing(SalvageReader(str(path))) as salvage:
        records, names = dict(salvage.records()), salvage.names()
    with Raw(str(path)) as raw:
        group = bytes(raw.get(file_format.DOCUMENTS, file_format.id_key(1)))
    data = path.read_bytes()
    assert group in data
    path.write_bytes(data.replace(group, group[:-1] + bytes([group[-1] ^ 1])))
    per_group = file_format.RECORDS_PER_GROUP
    with closing(SalvageReader(str(path))) as salvage:
        lost = range(per_group, 2 * per_group)
        assert dict(salvage.records()) == {number: record for number, record in records.items() if number not in lost}
        assert salvage.names() == names
        assert set(lost) <= set(salvage.sized())
