"""What a caller may hand over: any whole numbers and any names, and a typed error for all else."""

from fnmatch import fnmatchcase

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from tests.reference_database import name_bytes

MOST = 2**64 - 1


def found(db, hashes):
    return {match.name: match.shared for match in db.query_fingerprints(hashes).matches}


@pytest.mark.parametrize(
    "hashes",
    [
        [0, MOST, 7],
        (0, MOST, 7),
        {0, MOST, 7},
        np.array([0, MOST, 7], np.uint64),
        np.array([0, MOST, 7], ">u8"),
        np.array([0, MOST, 7, 7, 0], np.uint64)[:3],
        np.array([[0, 1], [MOST, 1], [7, 1]], np.uint64)[:, 0],
        [np.uint64(0), np.uint64(MOST), np.int8(7)],
        (value for value in (0, MOST, 7)),
        range(7, 10),
        np.array([7, 8, 9], np.int8),
        np.array([7, 8, 9], np.int64),
        np.array([7, 8, 9], np.uint16),
    ],
    ids=lambda hashes: f"{type(hashes).__name__}-{getattr(hashes, 'dtype', '')}",
)
def test_whole_numbers_of_every_form_are_hashes(db, hashes):
    assert db.add_fingerprints("a", hashes) == "added"
    assert db.document("a").hashes == 3
    assert found(db, [7, 7]) == {"a": 1}
    assert found(db, [0, MOST, 7, 8, 9]) == {"a": 3}


BAD = [
    [-1],
    [MOST + 1],
    [0.5],
    [1.0],
    ["1"],
    [None],
    [[1]],
    "12",
    5,
    None,
    np.array([-1]),
    np.array([1.0]),
    np.array([[1, 2]], np.uint64),
    np.array(3, np.uint64),
    np.array([1], object),
    np.array(["1"]),
    np.array([True]),
    np.array(["2020-01-01"], "M8[D]"),
]


@pytest.mark.parametrize("hashes", BAD, ids=repr)
def test_anything_else_is_refused(db, hashes):
    with pytest.raises(fpdb.BadFingerprints):
        db.add_fingerprints("a", hashes)
    with pytest.raises(fpdb.BadFingerprints):
        db.query_fingerprints(hashes)
    if hashes is not None:
        with pytest.raises(fpdb.BadFingerprints):
            db.add_fingerprints("a", [1], hashes)
    assert "a" not in db


def test_positions_of_every_form(db):
    hashes = [5, 5, 5, 6, 5]
    for positions in ([3, 1, 3, 0, 2**32 - 2], np.array([3, 1, 3, 0, 2**32 - 2]), (value for value in (3, 1, 3, 0, 9))):
        db.add_fingerprints("a", hashes, positions)
        assert (db.document("a").fingerprints, db.document("a").hashes) == (4, 2)
        assert db.check() == []
    db.add_fingerprints("a", hashes)
    assert (db.document("a").fingerprints, db.document("a").hashes) == (2, 2)
    for bad in ([1], [1] * 6, [0, 1, 2, 3, 2**32 - 1], [0, 1, 2, 3, -1], [], [2**64] * 5):
        with pytest.raises(fpdb.BadFingerprints):
            db.add_fingerprints("b", hashes, bad)
    for digest in (b"", b"x" * 15, b"x" * 17):
        with pytest.raises(fpdb.BadFingerprints):
            db.add_fingerprints("b", hashes, digest=digest)


def test_what_the_caller_does_to_its_arrays_afterwards_changes_nothing(db):
    hashes, positions, labels = np.array([1, 2, 3], np.uint64), np.array([4, 5, 6], np.uint32), {"a": "b"}
    with db.batch() as batch:
        batch.add_fingerprints("a", hashes, positions, labels=labels)
        hashes[:], positions[:] = 9, 9
        labels["a"] = "c"
    assert found(db, [1, 2, 3, 9]) == {"a": 3}
    assert db.document("a").labels == {"a": "b"}
    assert db.add_fingerprints("a", [1, 2, 3], [4, 5, 6], labels={"a": "b"}) == "unchanged"


# ---------------------------------------------------------------- names

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
        assert found(db, [number]) == {name: 1}
        assert db.document(name).name == name
        assert db.add_fingerprints(name, [number, 1_000]) == "unchanged"
    assert [match.name for match in db.query_fingerprints([1_000]).matches] == sorted(NAMES, key=name_bytes)
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
        assert [document.name for document in db.documents(glob)] == expected
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
        assert [document.name for document in db.documents(glob)] == expected
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


# ---------------------------------------------------------------- add, again and otherwise


def test_status_says_what_happened(db):
    assert db.add("a", "some text " * 20) == "added"
    assert db.add("a", "some text " * 20) == "unchanged"
    assert db.add("a", b"some text " * 20) == "unchanged"
    assert db.add("a", "some text " * 20, source="s", labels={"x": "y"}) == "updated"
    assert db.add("a", "some text " * 20, source="s", labels={"x": "y"}) == "unchanged"
    assert db.add("a", "some text " * 20, source="s", contact="c") == "updated"
    assert (db.document("a").source, db.document("a").contact, db.document("a").labels) == ("s", "c", {})
    assert db.add("a", "other text " * 20) == "replaced"
    assert db.add("a", "other text " * 20, boilerplate=True) == "replaced"
    assert (len(db), db.info()["boilerplate_documents"], db.document("a").boilerplate) == (0, 1, True)
    assert db.add("a", "other text " * 20, boilerplate=True, contact="") == "updated"
    assert db.add("a", "other text " * 20, boilerplate=True, contact="") == "unchanged"
    assert db.add("a", "other text " * 20) == "replaced"
    assert db.add_fingerprints("a", [1, 2], kind="audio") == "replaced"
    assert db.add_fingerprints("a", [1, 2], kind="video") == "replaced"
    assert db.add_fingerprints("a", [1, 2], [3, 4], kind="video") == "replaced"
    assert db.document("a").kind == "video"
    assert len(db) == 1


def test_nothing_is_written_where_nothing_changes(db):
    db.add_fingerprints("a", [1])
    before = db.info(), db.document("a").added
    for _ in range(3):
        db.add_fingerprints("a", [1])
        with db.batch():
            pass
    assert (db.info(), db.document("a").added) == before


def test_a_batch_that_fails_leaves_nothing(db):
    db.add_fingerprints("a", [1])

    def change_and_fail(error):
        with db.batch() as batch:
            batch.add_fingerprints("b", [1, 2])
            batch.remove("a")
            raise error

    for error in (ValueError, OSError, KeyboardInterrupt, GeneratorExit):
        with pytest.raises(error):
            change_and_fail(error)

    def remove_what_is_not_there():
        with db.batch() as batch:
            batch.add_fingerprints("b", [1])
            batch.remove("c")

    with pytest.raises(fpdb.NoSuchDocument):
        remove_what_is_not_there()
    assert found(db, [1, 2]) == {"a": 1}


def test_the_last_word_in_a_batch_counts(db):
    db.add_fingerprints("stored", [1])
    with db.batch() as batch:
        assert batch.add_fingerprints("new", [1]) == "added"
        assert batch.add_fingerprints("new", [1]) == "unchanged"
        assert batch.add_fingerprints("new", [1], source="s") == "updated"
        assert batch.add_fingerprints("new", [2, 3]) == "replaced"
        assert batch.postings == 2
        batch.add_fingerprints("gone", [1, 2, 3])
        batch.remove("gone")
        assert batch.postings == 2
        with pytest.raises(fpdb.NoSuchDocument):
            batch.remove("gone")
        assert batch.add_fingerprints("stored", [1], source="s") == "updated"
        assert batch.add_fingerprints("stored", [1], source="s") == "unchanged"
        batch.remove("stored")
        with pytest.raises(fpdb.NoSuchDocument):
            batch.remove("stored")
        assert batch.add_fingerprints("stored", [1]) == "added"
    assert found(db, [1, 2, 3]) == {"stored": 1, "new": 2}
    assert db.document("stored").source is None
    with db.batch() as batch:
        batch.add_fingerprints("stored", [7])
        batch.remove("stored")
        batch.add_fingerprints("stored", [8], boilerplate=True)
        batch.remove("stored")
    assert found(db, [1, 2, 3, 7, 8]) == {"new": 2}


def test_an_update_does_not_undo_another_writers_change(db):
    """A batch decides on what it saw; a document that changed meanwhile keeps what it has become."""
    for name in "abc":
        db.add_fingerprints(name, [1, 2, 3])
    with db.batch() as batch:
        assert {batch.add_fingerprints(name, [1, 2, 3], source="late") for name in "abc"} == {"updated"}
        db.add_fingerprints("a", [4])
        db.remove("b")
    assert (db.document("a").hashes, db.document("a").source) == (1, None)
    assert "b" not in db
    assert db.document("c").source == "late"
