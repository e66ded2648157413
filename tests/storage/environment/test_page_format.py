"""Pages read without LMDB say what LMDB says of them."""

import lmdb
import pytest

from fpdb.storage.environment._page_check import PAGE
from fpdb.storage.environment.page_format import TREE, Meta, newest_meta


def test_the_newest_meta_page_is_that_of_the_last_commit(path, rng):
    for count in range(1, 6):
        with lmdb.open(path, subdir=False, lib_version=0, map_size=1 << 24) as env:
            with env.begin(write=True) as txn:
                for _ in range(count * 20):
                    txn.put(rng.bytes(8), rng.bytes(300))
            info, statistics = env.info(), env.stat()
        with open(path, "rb") as file:
            pages = file.read(2 * PAGE)
        meta = newest_meta(pages)
        assert meta == Meta.read(pages, meta.transaction & 1)
        assert (meta.transaction, meta.last_page) == (info["last_txnid"], info["last_pgno"])
        assert TREE.unpack(meta.main)[1] == statistics["depth"]


@pytest.mark.parametrize("pages", [b"", b"x", bytes(PAGE), bytes(2 * PAGE), b"A text. " * PAGE])
def test_other_bytes_have_no_meta_page(pages):
    assert newest_meta(pages) is None
