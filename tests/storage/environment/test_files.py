"""Files of databases appear whole or not at all, for their owner alone."""

import os
import stat

import fpdb


def test_only_the_owner_may_read(path):
    old = os.umask(0)
    try:
        with fpdb.open(path) as db:
            db.add_fingerprints("a", [1])
            db.backup(f"{path}.copy")
        for name in ("", ".copy", "-lock", "-writer"):
            assert stat.S_IMODE(os.stat(path + name).st_mode) == 0o600, name
        os.chmod(path, 0o640)
        with fpdb.open(path) as db:
            db.compact()
            assert db.check() == []
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    finally:
        os.umask(old)
