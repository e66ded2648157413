"""Reviews: none is lost, whoever writes at the same time, and what stands in the place of their file stays as it is."""

import json
import os
import stat
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs.reviews import LONGEST_NOTE, VERDICTS, Review, ReviewedMeanwhile, Reviews, in_order
from tests.storage.environment.test_lock_files import KINDS
from tests.storage.environment.users import GROUP, STRANGER, USER, folder, needs_root, run_as

__all__ = ["folder"]
DIGESTS = ("00", "11")
ODD = "line\nbreak \udce9 \u202e \u2028 </textarea>"


def review(names=("a", "b"), verdict="confirmed", note=""):
    return Review.new(names, verdict, note, DIGESTS)


@pytest.fixture
def database(path):
    fpdb.open(path).close()
    return path


names = st.sampled_from([("a", "b"), ("a", "c"), (ODD, "é")])
changes = st.lists(st.tuples(names, st.sampled_from(VERDICTS), st.text(max_size=9), st.booleans()), max_size=12)


@settings(max_examples=12)
@given(changes)
def test_the_last_review_counts_and_the_history_is_kept(tmp_path_factory, made):
    database = str(tmp_path_factory.mktemp("reviews") / "t.fpdb")
    handles = Reviews(database), Reviews(database)
    expected = {}
    for names, verdict, note, which in made:
        before = expected.setdefault(names, [])
        handles[which].add(new := review(names, verdict, note), len(before))
        before.append(new)
        for handle in (*handles, Reviews(database)):
            assert {names: handle.history(names) for names in expected} == expected
            assert handle.latest() == {names: reviews[-1] for names, reviews in expected.items()}


NAMES = ["a", "b", "c", ODD]
pairs = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)


@settings(max_examples=25)
@given(st.lists(st.tuples(pairs, st.booleans()), max_size=14))
def test_reviews_follow_renamed_documents(tmp_path_factory, made):
    """Documents are told apart by their digests, whatever they are called; names are used again."""
    database = str(tmp_path_factory.mktemp("reviews") / "t.fpdb")
    documents, noted = {}, []
    with fpdb.open(database) as db:
        for number, ((one, other), is_renaming) in enumerate(made):
            for name in (one, other):
                if name not in documents:
                    db.add(name, f"{name} {number}")
                    documents[name] = db.document(name).digest.hex()
            if is_renaming:
                db.remove(other)
                db.rename(one, other)
                documents[other] = documents.pop(one)
            else:
                names = in_order(one, other)
                digests = tuple(documents[name] for name in names)
                handle = Reviews(database)
                handle.add(Review.new(names, "seen", str(number), digests), len(handle.history(names)))
                noted.append((str(number), frozenset(digests)))
        assert db.check() == []
    latest = Reviews(database).latest()
    current = {digest: name for name, digest in documents.items()}
    expected = {in_order(*map(current.get, of)): note for note, of in noted if of <= current.keys()}
    assert {names: review.note for names, review in latest.items() if set(review.digests) <= current.keys()} == expected
    assert all(names == in_order(*names) == (review.a, review.b) for names, review in latest.items())
    assert all(
        tuple(map(documents.get, names)) == review.digests
        for names, review in latest.items()
        if set(review.digests) <= current.keys()
    )


def test_a_renaming_is_noted_only_if_there_are_reviews_to_take_along(database):
    reviews = Reviews(database)
    with fpdb.open(database) as db:
        for name in "ab":
            db.add(name, name)
        db.rename("a", "c")
        assert not os.path.exists(reviews.path)
        reviews.add(review(("b", "c")), 0)
        size = os.path.getsize(reviews.path)
        with pytest.raises(fpdb.NameTaken):
            db.rename("b", "c")
        with pytest.raises(fpdb.NoSuchDocument):
            db.rename("a", "d")
        db.add("d", "d")
        db.rename("d", "e")
        assert os.path.getsize(reviews.path) == size
        assert db.check() == []
    other = Reviews(database)
    with fpdb.open(database) as db:
        db.rename("b", "z")
    assert [list(each.latest()) for each in (reviews, other)] == [[("c", "z")]] * 2


def test_nobody_writes_over_what_he_has_not_seen(database):
    one, other = Reviews(database), Reviews(database)
    one.add(review(note="mine"), 0)
    with pytest.raises(ReviewedMeanwhile):
        other.add(review(note="yours"), 0)
    other.add(review(note="yours"), 1)
    assert [each.note for each in one.history(("a", "b"))] == ["mine", "yours"]


def test_threads_and_processes_lose_nothing(database):
    program = (
        "import sys; from fpdb.pairs.reviews import Review, Reviews\n"
        "for at in range(20): Reviews(sys.argv[1]).add(Review.new((sys.argv[2], str(at)), 'seen', '', ('', '')), 0)"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program, database, name]) for name in "pq"]
    shared = Reviews(database)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda at: shared.add(review(("t", str(at))), 0), range(40)))
    assert [process.wait() for process in processes] == [0, 0]
    assert Counter(a for a, _ in shared.latest()) == {"t": 40, "p": 20, "q": 20}


def test_a_line_that_was_cut_off_is_written_over(database):
    reviews = Reviews(database)
    reviews.add(review(note="first"), 0)
    whole = Path(reviews.path).read_bytes()
    for cut in (*range(1, len(whole), 9), len(whole) - 1):
        Path(reviews.path).write_bytes(whole[:cut])
        assert Reviews(database).latest() == {}
        Reviews(database).add(review(note="next"), 0)
        reviews.add(review(note="last"), 1)
        fresh = Reviews(database)
        assert [each.note for each in fresh.history(("a", "b"))] == ["next", "last"]
        assert fresh.unread_lines == 0


def test_lines_that_cannot_be_read_are_counted(database):
    reviews = Reviews(database)
    reviews.add(review(), 0)
    line = json.loads(Path(reviews.path).read_text().splitlines()[1])
    faults = [
        {**line, "verdict": "guilty"},
        {**line, "a": 1},
        {**line, "at": "now"},
        {**line, "at": 1e300},
        {**line, "x": 1},
        {**line, "digests": "01"},
        {**line, "digests": [1, 2]},
        {**line, "digests": []},
        {**line, "at": 2**40},
        {**line, "a": "\ud800"},
        {**line, "b": ""},
        {"renamed": 1},
        {"renamed": ["a"]},
        {"renamed": ["a", 1]},
        {"renamed": ["a", "a"]},
        {"renamed": ["a", "\ud800"]},
        [],
        7,
        None,
    ]
    with open(reviews.path, "a") as file:
        file.writelines(f"{json.dumps(fault)}\n" for fault in faults)
        file.write("[" * 100_000 + "\n\xff\n{}\n")
    reviews.add(review(note="behind"), 1)
    for handle in (reviews, Reviews(database)):
        assert [each.note for each in handle.history(("a", "b"))] == ["", "behind"]
        assert handle.unread_lines == len(faults) + 3


@pytest.mark.parametrize("plant", KINDS)
def test_what_is_no_file_of_reviews_stays_as_it_is(tmp_path, database, plant):
    place, victim = Path(f"{database}-reviews"), tmp_path / "victim"
    victim.write_bytes(b"somebody else's text")
    plant(place, victim)
    with fpdb.open(database) as db:
        db.add("document", "text")
    before = {path.name: path.lstat() for path in tmp_path.iterdir()}
    with fpdb.open(database) as db:
        for call in (
            Reviews(database).latest,
            lambda: Reviews(database).add(review(), 0),
            lambda: db.rename("document", "other"),
        ):
            with pytest.raises(fpdb.StorageFailure, match="no file of reviews; it was left as it is"):
                call()
        assert [document.name for document in db.documents()] == ["document"]
    assert {path.name: path.lstat()[:8] for path in tmp_path.iterdir()} == {
        name: status[:8] for name, status in before.items()
    }


@pytest.mark.parametrize(("mode", "expected"), [(0o600, 0o600), (0o644, 0o600), (0o640, 0o660), (0o660, 0o660)])
def test_reviews_are_for_those_who_may_read_the_database(database, mode, expected):
    os.chmod(database, mode)
    reviews = Reviews(database)
    assert reviews.latest() == {}
    assert not os.path.exists(reviews.path)
    reviews.add(review(), 0)
    assert stat.S_IMODE(os.stat(reviews.path).st_mode) == expected


@needs_root
def test_colleagues_share_reviews_and_strangers_do_not(folder):
    database = str(folder / "t.fpdb")
    fpdb.open(database).close()
    os.chown(folder, USER, GROUP)
    folder.chmod(0o775)
    os.chown(database, USER, GROUP)
    os.chmod(database, 0o640)

    def add(seen):
        reviews = Reviews(database)
        reviews.add(review(), seen)
        return len(reviews.history(("a", "b")))

    assert run_as(USER, GROUP, lambda: add(0)) == "1"
    assert run_as(STRANGER, GROUP, lambda: add(1)) == "2"
    assert "StorageFailure" in run_as(STRANGER, STRANGER, lambda: Reviews(database).latest())
    assert [each.by for each in Reviews(database).history(("a", "b"))] == [str(USER), str(STRANGER)]


def test_reviews_are_no_document_and_no_source(database):
    Reviews(database).add(review(), 0)
    with fpdb.open(database) as db, pytest.raises(fpdb.Unreadable):
        db.add_file(f"{database}-reviews")


def test_what_cannot_be_noted_is_refused(database):
    for verdict, note in (("guilty", ""), ("confirmed", "x" * (LONGEST_NOTE + 1))):
        with pytest.raises(fpdb.BadArgument):
            review(verdict=verdict, note=note)
    with pytest.raises(fpdb.BadName):
        in_order("a", "\ud800")
    assert in_order("b", "a") == ("a", "b")
    with open(f"{database}-reviews", "wb") as file:
        file.write(b"fpdb reviews 1\n")
        file.truncate(1 << 27)
    with pytest.raises(fpdb.StorageFailure, match="move it away"):
        Reviews(database).latest()
