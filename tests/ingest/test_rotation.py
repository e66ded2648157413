"""Rotation reads documents again from where they came."""

import gzip
import os
from pathlib import Path

import fpdb
from fpdb.ingest.discover import discover
from fpdb.ingest.loading import load
from fpdb.ingest.rotation import rotate
from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import written


def test_rotation_reads_members_again(tmp_path: Path) -> None:
    text = " ".join(f"word{at * 7919 % 1009}" for at in range(900)).encode()
    path = written(tmp_path / "a.tar.gz", gzip.compress(crafted.tarred(("a.txt", text), ("b.txt", text[::-1]))))
    with fpdb.open(tmp_path / "k.fpdb", recipe=fpdb.Recipe.preset("koala")) as db:
        load(db, discover([path]))
        rotated = rotate(db, db.documents(), rotation=1)
        assert (rotated.documents, rotated.stale) == (2, [])
        written(tmp_path / "a.tar.gz", gzip.compress(crafted.tarred(("a.txt", text))))
        (stale,) = rotate(db, db.documents(), rotation=2).stale
        assert (stale.name, stale.reason) == (f"{path}/b.txt", "the source cannot be read")
        os.remove(path)
        gone = "the source is gone, and the text was not kept"
        assert {one.reason for one in rotate(db, db.documents(), rotation=3).stale} == {gone}
        assert db.check() == []
