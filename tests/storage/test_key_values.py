"""A missing key is believed only if the entries around its place are sound."""

from contextlib import contextmanager

import lmdb
import pytest

from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.key_values import get_verified, put_all

KEYS = [b"b", b"d", b"f"]


@contextmanager
def sealed_values(path, damaged=None):
    with lmdb.open(path, subdir=False) as env, env.begin(write=True) as txn:
        for key in KEYS:
            value = file_format.seal(key, b"body")
            txn.put(key, value if key != damaged else value[:-1] + b"x")
        yield txn


@pytest.mark.parametrize("damaged", [None, *KEYS])
@pytest.mark.parametrize("missing", [b"a", b"c", b"e", b"g"])
def test_neighbours_of_a_missing_key_are_verified(path, missing, damaged):
    before = max((key for key in KEYS if key < missing), default=b"")
    after = min((key for key in KEYS if key > missing), default=b"")
    with sealed_values(path, damaged) as txn:
        if damaged in (before, after):
            with pytest.raises(Corrupt):
                get_verified(txn, None, missing)
        else:
            assert get_verified(txn, None, missing) is None


def test_values_are_written_deleted_and_appended_in_order(path):
    with sealed_values(path) as txn:
        put_all(txn, None, [(b"b", b"other"), (b"d", None), (b"e", b"between"), (b"g", b"new"), (b"h", b"newer")])
        assert [bytes(key) for key, _ in txn.cursor()] == [b"b", b"e", b"f", b"g", b"h"]
        assert [bytes(txn.get(key)) for key in (b"b", b"e", b"g")] == [b"other", b"between", b"new"]
        with pytest.raises(Corrupt, match="out of order"):
            put_all(txn, None, [(b"y", b"early"), (b"x", b"late")])
