"""Sound values of a damaged file are found by the trees, and where these are lost, by their checksums."""

import fpdb
from fpdb.storage import file_format
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
