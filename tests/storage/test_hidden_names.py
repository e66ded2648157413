"""A name whose key in the file is damaged is not taken for missing."""

from pathlib import Path

import pytest

import fpdb

NAMES = [f"{number:03}" * 20 for number in range(200)]


def add(db, names):
    with db.batch() as batch:
        for each in names:
            batch.add_fingerprints(each, [1])


@pytest.mark.parametrize("which", [0, 57, -1])
def test_a_name_that_is_hidden_by_its_damaged_key_is_not_taken_for_missing(path, which):
    """The key is changed so that the order holds, which only the checksums of its neighbours tell."""
    with fpdb.open(path) as db:
        add(db, NAMES)
    name = NAMES[which]
    damaged = name[:-1] + chr(ord(name[-1]) ^ 1)
    assert sorted([*NAMES, damaged]).index(damaged) in {NAMES.index(name), NAMES.index(name) + 1}
    data = Path(path).read_bytes()
    assert name.encode() in data
    Path(path).write_bytes(data.replace(name.encode(), damaged.encode()))  # keys; records are compressed
    with fpdb.open(path, "r") as db:
        for question in (
            lambda: name in db,
            lambda: db.document(name),
            lambda: list(db.documents()),
            lambda: list(db.documents(f"{name[:-1]}[0-9]")),
            lambda: list(db.documents(f"{name}*")),
        ):
            with pytest.raises(fpdb.Corrupt):
                question()
        assert db.check() != []
    with fpdb.open(path) as db:
        for change in (
            lambda: db.add_fingerprints(name, [1]),
            lambda: add(db, [NAMES[3], "a new one", name]),
            lambda: db.remove(name),
        ):
            with pytest.raises(fpdb.Corrupt):
                change()
        assert len(db) == len(NAMES)
