"""With hashes that very many documents hold, the first matches are those of the whole answer."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.search import first_candidates
from fpdb.storage import snapshot
from tests.small_blocks import small_blocks

COMMON = [3, 2**40, 2**63, 2**64 - 1]
SHARES = [1.0, 0.9, 0.6, 0.3]  # of the documents that hold each
DOCUMENTS = 400
POOL = [*range(100, 130)]
BY = ("containment", "shared", "weighted_containment", "resemblance", "reverse_containment", "similarity")


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Open a database, and another with a part of its documents; each of several runs, with removed documents."""
    rng = np.random.default_rng(3)
    folder = tmp_path_factory.mktemp("common")
    with small_blocks(20), fpdb.open(folder / "a.fpdb") as db, fpdb.open(folder / "b.fpdb") as other:
        for part in range(3):
            with db.batch() as batch, other.batch() as second:
                for number in range(part * DOCUMENTS // 3, (part + 1) * DOCUMENTS // 3):
                    held = [hash_ for hash_, share in zip(COMMON, SHARES, strict=True) if rng.random() < share]
                    own = rng.choice(POOL, int(rng.integers(0, 4) * (number % 7 == 0))).tolist()
                    own += [10**6 + 40 * number + place for place in range(int(rng.choice([0, 2, 2, 2, 9, 30])))]
                    hashes = [*held * int(rng.integers(1, 4)), *own]
                    name = f"{number * 7919 % DOCUMENTS:03}" + "x" * (500 * (number % 50 == 0))
                    (second if number % 3 == 0 else batch).add_fingerprints(name, hashes, range(len(hashes)))
        for opened in (db, other):
            with opened.batch() as batch:
                for name in [document.name for document in opened.documents()][::17]:
                    batch.remove(name)
                batch.add_fingerprints("boilerplate", [POOL[0], 10**6], boilerplate=True)
        yield db, fpdb.MultiDatabase({"a": db, "b": other})
        assert db.check() == []


@pytest.fixture(params=["few", "many"])
def _limits(request, monkeypatch):
    monkeypatch.setattr(snapshot, "COMMON", 1)
    if request.param == "few":
        for name, value in (("MOST_SOUGHT", 30), ("SOUGHT_TOGETHER", 20), ("ROUNDS", 3), ("NAMES", 40)):
            monkeypatch.setattr(first_candidates, name, value)


@pytest.mark.usefixtures("_limits")
@given(
    st.booleans(),
    st.sets(st.sampled_from(COMMON), min_size=1),
    st.sets(st.sampled_from([*POOL, 5, 10**6 + 400, 10**6 + 401]), max_size=6),
    st.fixed_dictionaries({"by": st.sampled_from(BY), "smallest": st.sampled_from([None, 2, 4])}),
    st.booleans(),
)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_min_and_top_only_cut_the_whole_answer(crowd, several, common, rare, options, is_stored):
    db = crowd[several]
    query = [*common, *rare]
    if is_stored:
        crowd[0].add_fingerprints("100 itself", query)
        options |= {"name": "100 itself", "digest": crowd[0].digest("100 itself")}
    whole = db.query_fingerprints(query, **options).matches
    scores = [getattr(match, options["by"]) for match in whole]
    for top in (1, 10, 40, None):
        for least in (None, scores[len(scores) // 3], 1.0):
            expected = [match for match, score in zip(whole, scores, strict=True) if score >= (least or 0)]
            assert db.query_fingerprints(query, min=least, top=top, **options).matches == expected[:top]
            counted = db.query_fingerprints(query, min=least, top=top, with_total=True, **options)
            assert (counted.matches, counted.total) == (expected[:top], len(expected))
    if is_stored:
        crowd[0].remove("100 itself")


def test_no_document_is_counted_if_few_names_tell(crowd, monkeypatch):
    """The definition holds whichever way is taken: here the quick one must be."""
    monkeypatch.setattr(snapshot, "COMMON", 1)
    monkeypatch.setattr(snapshot.Snapshot, "count_by_document", None)
    whole = [match.name for match in crowd[0].query_fingerprints(COMMON[:2], by="shared", max_df=10**6).matches]
    assert [match.name for match in crowd[0].query_fingerprints(COMMON[:2], by="shared", top=5).matches] == whole[:5]


@pytest.mark.parametrize("by", BY)
def test_many_small_documents_are_found_behind_larger_ones_of_earlier_names(tmp_path, monkeypatch, by):
    monkeypatch.setattr(snapshot, "COMMON", 1)
    monkeypatch.setattr(first_candidates, "SOUGHT_TOGETHER", 20)
    with fpdb.open(tmp_path / "t.fpdb") as db:
        with db.batch() as batch:
            for number in range(30):
                batch.add_fingerprints(f"a{number:02}", [1, 2, 100 + number, 200 + number])
                batch.add_fingerprints(f"b{number:02}", [1, 2])
        whole = db.query_fingerprints([1, 2], by=by).matches
        assert whole[0].name == ("a00" if by in first_candidates.BY_SHARED else "b00")
        for top in (1, 5, 29, 30, 31, 60):
            assert db.query_fingerprints([1, 2], by=by, top=top).matches == whole[:top]
        assert db.check() == []
