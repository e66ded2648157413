"""Hashes that very many documents hold are counted by document, and ties by the thousand are broken by name."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.search.options import QueryOptions
from fpdb.search.pruning import most_shared
from fpdb.storage import hits
from tests.reference_database import ReferenceDatabase, as_json

MOST = 2**64 - 1
MEASURES = ("containment", "reverse_containment", "resemblance")
WEIGHTED = ("weighted_containment", "similarity")
EVERYWHERE = [5, 2**40, 2**64 - 1]
DOCUMENTS = 20_000  # so that a hash in each of them fills several blocks
OPTIONS = [
    {"top": 10},
    {"top": 4, "by": "shared"},
    {"top": 7, "by": "resemblance"},
    {"top": 1, "by": "reverse_containment"},
    {"min": 0.9},
    {"top": 3, "smallest": 2},
    {"top": 3, "max_df": 100},
]


@pytest.fixture(scope="module")
def plain():
    return ReferenceDatabase()


@pytest.fixture(scope="module")
def crowd(plain, tmp_path_factory):
    """Make a database of many small documents in two commits, and remove some of them."""
    names = [f"{number * 7919 % DOCUMENTS:05}" for number in range(DOCUMENTS)]
    own = np.random.default_rng(1).integers(0, 2000, DOCUMENTS).tolist()
    with fpdb.open(tmp_path_factory.mktemp("crowd") / "t.fpdb") as db:
        for part in (slice(0, DOCUMENTS // 2), slice(DOCUMENTS // 2, None)):
            with db.batch() as batch:
                for name, hash_ in zip(names[part], own[part], strict=True):
                    hashes = [*EVERYWHERE[: 1 + hash_ % 3], hash_ * 1000, EVERYWHERE[0]]
                    batch.add_fingerprints(name, hashes, range(len(hashes)))
                    plain.add(name, hashes)
        with db.batch() as batch:
            for name in ("00000", "00003", "17000", *sorted(names)[-50:]):
                batch.remove(name)
                plain.remove(name)
        yield db
        assert db.check() == []


def test_answers_are_those_of_plain_sets(crowd, plain):
    for hashes in (EVERYWHERE, [*EVERYWHERE, 7000, 8000, 1], EVERYWHERE[:1]):
        for options in OPTIONS:
            assert as_json(crowd.query_fingerprints(hashes, **options)) == as_json(plain.answer(hashes, **options))


def test_the_query_itself_is_left_out(crowd, plain):
    hashes = [*EVERYWHERE, 5000]
    crowd.add_fingerprints("itself", hashes, digest=b"0123456789abcdef")
    for options in OPTIONS:
        answer = crowd.query_fingerprints(hashes, name="itself", digest=b"0123456789abcdef", **options)
        assert "itself" not in [match.name for match in answer.matches]
        assert as_json(answer) == as_json(plain.answer(hashes, name="itself", itself="itself", **options))
    crowd.remove("itself")


def uniform(rng, count):
    return rng.integers(0, MOST, count, np.uint64, endpoint=True)


@pytest.fixture(params=[1, hits.COUNTED_BY_ID])
def _many(request, monkeypatch):
    monkeypatch.setattr(hits, "COUNTED_BY_ID", request.param)


@pytest.mark.usefixtures("_many")
def test_min_and_top_only_cut_the_full_answer(db, rng):
    """Leaving candidates out before they are scored leaves out none that belongs in the answer."""
    pool = uniform(rng, 100)
    with db.batch() as batch:
        for number in range(300):
            batch.add_fingerprints(f"{number}", rng.choice(pool, int(rng.integers(1, 100))))
    query = rng.choice(pool, 70)
    for by in (*MEASURES, *WEIGHTED, "shared"):
        for smallest in (None, 20):
            full = db.query_fingerprints(query, by=by, smallest=smallest).matches
            levels = [getattr(match, by) for match in full[::60]]
            for least, top in itertools.product([None, *levels], [None, 1, 7, 299, 1_000]):
                expected = [match for match in full if least is None or getattr(match, by) >= least][:top]
                assert db.query_fingerprints(query, by=by, smallest=smallest, min=least, top=top).matches == expected


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Open a database of documents whose names are in another order than their ids."""
    with fpdb.open(tmp_path_factory.mktemp("named") / "t.fpdb") as db:
        for number in range(12):
            db.add_fingerprints(f"{number * 7 % 12:02}", [number])
        with db.snapshot() as snapshot:
            yield snapshot


@given(st.lists(st.integers(0, 4), min_size=12, max_size=12), st.integers(1, 14))
def test_those_that_share_most_are_the_first_of_a_sort(named, counts, top):
    names = [f"{number * 7 % 12:02}" for number in range(12)]
    ranked = sorted(np.flatnonzero(counts).tolist(), key=lambda number: (-counts[number], names[number]))
    ids, shared = most_shared(named, np.array(counts, np.uint32), QueryOptions(by="shared", top=top))
    assert ids.tolist() == sorted(ranked[:top])
    assert shared.tolist() == [counts[number] for number in sorted(ranked[:top])]
