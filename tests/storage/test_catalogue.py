"""Names of every form are kept apart and in order, and a damaged key is not taken for a missing name."""

from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.storage.file_format import LONGEST_PLAIN_NAME
from fpdb.storage.file_format import NAMES as NAME_BLOCKS
from tests.reference_database import name_bytes, shared_by_name
from tests.storage.raw import Raw

LONG = "n" * 447
NAMES = [
    "a",
    "a\x00",
    "a\x00b",
    "a\nb",
    "a[b]*?",
    " ",
    "\x00",
    "é",
    "\udcff\udcfe",
    "x" * 65_535,
    LONG,
    LONG + "a",
    LONG + "é",
    LONG + "aa",
    LONG + "ab",
    LONG + "a" * 600,
    LONG + "b",
    LONG + "\udce9",
    "日" * 149 + "a",
    "日" * 150,
    "日" * 149 + "日" + "\udcff" * 3,
]


def test_names_of_every_form_are_kept_apart(db, rng):
    names = [NAMES[index] for index in rng.permutation(len(NAMES))]  # numpy would cut NULs off
    with db.batch() as batch:
        for number, name in enumerate(names):
            assert batch.add_fingerprints(name, [number, 1_000]) == "added"
    assert [document.name for document in db.documents()] == sorted(NAMES, key=name_bytes)
    for number, name in enumerate(names):
        assert shared_by_name(db, [number]) == {name: 1}
        assert db.document(name).name == name
        assert db.add_fingerprints(name, [number, 1_000]) == "unchanged"
    assert [match.name for match in db.query_fingerprints([1_000]).matches] == sorted(NAMES, key=name_bytes)
    encoded = sorted(map(name_bytes, NAMES))
    with db.snapshot() as snapshot:
        for start, beginning in product([b"", *encoded], [b"", b"a", LONG.encode(), LONG.encode() + b"aa"]):
            expected = [name for name in encoded if name > start and name.startswith(beginning[:LONGEST_PLAIN_NAME])]
            entries = list(snapshot.catalogue.names_after(beginning, start))
            assert [name for name, _ in entries] == expected
            assert [snapshot.catalogue.record(document_id).name for _, document_id in entries] == expected
    for glob in (
        "*",
        "a*",
        "n*",
        LONG + "*",
        LONG + "a*",
        LONG + "?",
        "*a",
        "a\x00?",
        "a[[]*",
        "[a]",
        "",
        "日*",
        "\udcff*",
    ):
        expected = sorted((name for name in NAMES if fnmatchcase(name, glob)), key=name_bytes)
        assert [document.name for document in db.documents(glob)] == list(db.names(glob)) == expected
    for name in names[::2]:
        db.remove(name)
    assert [document.name for document in db.documents()] == sorted(names[1::2], key=name_bytes)


@given(st.sets(st.text(st.sampled_from("ab\x00\n[*é\udcff"), min_size=1, max_size=5), max_size=8), st.data())
@settings(max_examples=60, deadline=None)
def test_any_names_come_back_in_order(tmp_path_factory, names, data):
    names = {prefix + name for name in names for prefix in data.draw(st.sets(st.sampled_from(["", LONG]), min_size=1))}
    names = {name_bytes(name).decode("utf-8", "surrogateescape") for name in names}
    glob = data.draw(st.text("ab*?[]!\x00\n", max_size=5))
    with fpdb.open(tmp_path_factory.mktemp("names") / "t") as db:
        with db.batch() as batch:
            for name in names:
                batch.add_fingerprints(name, [1])
        assert [document.name for document in db.documents()] == sorted(names, key=name_bytes)
        expected = sorted((name for name in names if fnmatchcase(name, glob)), key=name_bytes)
        assert [document.name for document in db.documents(glob)] == list(db.names(glob)) == expected
        assert db.check() == []


@pytest.mark.parametrize(
    "name", ["", "x" * 65_536, "é" * 32_768, "\ud800", "a\udc00b"], ids=lambda name: repr(name[:4])
)
def test_names_that_cannot_be_stored_are_refused(db, name):
    for call in (db.digest, db.document, db.remove, lambda name: db.add_fingerprints(name, [1])):
        with pytest.raises(fpdb.BadName):
            call(name)
    assert len(db) == 0


def test_what_cannot_be_a_name_is_not_in_the_database(db):
    for name in (5, None, b"a", "", "\ud800", "x" * 70_000):
        assert name not in db
    assert list(db.documents("\ud800*")) == []


SIMILAR_NAMES = [f"{number:03}{sha256(b'%d' % number).hexdigest()}" for number in range(400)]


def add_names(db, names):
    with db.batch() as batch:
        for each in names:
            batch.add_fingerprints(each, [1])


@pytest.mark.parametrize("which", [1, 3, -1])
def test_a_name_that_is_hidden_by_its_damaged_key_is_not_taken_for_missing(path, which):
    """The key of a block is changed so that the order holds, which only the checksums of its neighbours tell."""
    with fpdb.open(path) as db:
        add_names(db, SIMILAR_NAMES)
    with Raw(path) as raw:
        keys = raw.keys(NAME_BLOCKS)
        assert len(keys) > 5
        name = keys[which].decode()
    damaged = name[:-1] + chr(ord(name[-1]) ^ 1)
    place = SIMILAR_NAMES.index(name)
    assert sorted([*SIMILAR_NAMES, damaged]).index(damaged) in {place, place + 1}
    length = len(name).to_bytes(2, "little")  # which LMDB writes in front of keys
    data = Path(path).read_bytes()
    assert length + name.encode() in data
    Path(path).write_bytes(data.replace(length + name.encode(), length + damaged.encode()))
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
            lambda: add_names(db, [SIMILAR_NAMES[3], "a new one", name]),
            lambda: db.remove(name),
        ):
            with pytest.raises(fpdb.Corrupt):
                change()
        assert len(db) == len(SIMILAR_NAMES)
