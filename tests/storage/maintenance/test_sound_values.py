"""Sound values of a damaged file are found by the trees, and where these are lost, by their checksums."""

from contextlib import closing
from pathlib import Path

import fpdb
from fpdb.storage import file_format
from fpdb.storage.maintenance.sound_values import SoundValues
from tests.storage.raw import Raw
from tests.storage.varied_database import contents

PAGE = 4096


def test_a_lost_leaf_of_blocks_loses_no_block(tmp_path, original):
    """Its blocks lie on pages of their own, and their checksums tell which they are."""
    data, documents, postings = original
    path = tmp_path / "damaged.fpdb"
    for at in range(2 * PAGE, len(data), PAGE):
        leaf = (
            data[at + 10] == 2
            and data[at : at + PAGE].count(file_format.block_key(file_format.block_number(7, 1, 5))) == 1
        )
        if leaf:
            path.write_bytes(data[:at] + bytes(PAGE) + data[at + PAGE :])
            target = tmp_path / f"{at}.fpdb"
            assert fpdb.repair(path, target).losses == ()
            assert contents(target) == (documents, postings)


def test_the_values_of_a_sound_file_are_those_that_lmdb_lists(tmp_path, original):
    path = str(tmp_path / "t.fpdb")
    Path(path).write_bytes(original[0])
    with Raw(path) as raw:
        listed = {name: {key: bytes(raw.get(name, key)) for key in raw.keys(name)} for name in file_format.NAMED}
    with closing(SoundValues(path)) as sound:
        for name, values in sound.values.items():
            assert (values.gaps, values.old) == ([], {})
            assert {key: sound.read(place) for key, place in values.places.items()} == listed[name]
            assert all(values.newest(key) == place for key, place in values.places.items())
            assert values.newest(b"no such key") is None
