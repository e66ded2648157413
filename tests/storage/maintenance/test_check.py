"""A check of a whole file, also while others write to it."""

import fpdb
from tests.storage.processes import hear, running

WRITE = """
with fpdb.open(path) as db:
    say("begun")
    for number in range(400):
        db.add_fingerprints(f"{number % 50}", hashes_of(number, 300))
"""


def test_a_check_beside_a_writer_finds_nothing(path):
    fpdb.open(path).close()
    with running(WRITE, path) as writer:
        assert hear(writer) == "begun"
        found = []
        while writer.poll() is None:
            with fpdb.open(path, "r") as db:
                found += db.check()
        assert writer.wait() == 0
    assert found == []
    assert fpdb.check(path) == fpdb.Findings(())
