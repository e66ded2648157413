"""Counted pairs do not depend on how they are divided; samples and common hashes are taken into account."""

import pytest

import fpdb
from fpdb.pairs import _counting, counting, decisive_hashes
from fpdb.pairs import options as pair_options
from tests.pairs.reference_pairs import LIMITS, OPTIONS, agree, oracle


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(("budget", "documents"), [(2, 15), (100, 40), (700, 40), (1 << 20, 40)])
def test_any_budget_gives_the_same(db, crowd, monkeypatch, budget, documents):
    crowd = dict(list(crowd.items())[:documents])
    for name, held in crowd.items():
        db.add_fingerprints(name, held, labels={"term": str(len(held) % 3)})
    labels = {name: {"term": str(len(held) % 3)} for name, held in crowd.items()}
    for limit in [*LIMITS, (counting, "BUDGET", budget)]:
        monkeypatch.setattr(*limit)
    for options in OPTIONS:
        agree(db, oracle({name: set(held) for name, held in crowd.items()}, (), labels, **options), **options)


def test_ranges_really_split(db, crowd, monkeypatch):
    """Any two ranges hold no more than the budget, and all pairs of ranges are counted."""
    with db.batch() as batch:
        for name, held in crowd.items():
            batch.add_fingerprints(name, held)
    monkeypatch.setattr(counting, "BUDGET", 200)
    sizes = []
    tile_lists = _counting.PanelLists

    def watched(panel, room, *arguments):
        sizes.append(room)
        return tile_lists(panel, room, *arguments)

    monkeypatch.setattr(_counting, "PanelLists", watched)
    list(db.pairs())
    assert len(sizes) > 10
    assert max(sizes) <= 400


def test_a_large_collection_has_common_hashes(db, monkeypatch):
    monkeypatch.setattr(pair_options, "SMALL", 5)
    monkeypatch.setattr(pair_options, "COMMON", 3)
    for number in range(5):
        db.add_fingerprints(f"{number}", [1, 10 + number // 2])
    assert len(list(db.pairs())) == 10
    db.add_fingerprints("5", [1])
    assert [(pair.a, pair.b, pair.containment_a) for pair in db.pairs()] == [("0", "1", 1), ("2", "3", 1)]
    assert len(list(db.pairs(max_df=0))) == 15


def test_samples_are_compared_within_what_both_are_samples_of(path, rng):
    """A long document, of which a smaller share is stored, against a copy of half of it."""
    words = ["".join(chr(97 + letter) for letter in rng.integers(0, 26, 7)) for _ in range(40_000)]
    with fpdb.open(path, recipe=fpdb.Recipe.preset("sample")) as db:
        db.add("whole", " ".join(words))
        db.add("half", " ".join(words[:20_000]))
        (pair,) = db.pairs()
        assert db.check() == []
    assert pair.containment_a == pytest.approx(1, abs=0.25)
    assert pair.containment_b == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("cost", [0, 10**9])  # of a look-up: all hashes are looked up, or all postings scanned
def test_progress_is_told_in_nouns_of_which_an_s_makes_the_plural(db, crowd, monkeypatch, cost):
    """On a terminal, 1,234 hashs were looked up."""
    monkeypatch.setattr(decisive_hashes, "SCANNED_PER_LOOK_UP", cost)
    for name, held in crowd.items():
        db.add_fingerprints(name, held, labels={"term": "1" if len(held) % 3 else "2"})
    told = []
    assert list(db.pairs(new=("term", "2"), watch=lambda *stage: told.append(stage)))
    looked_up = ("reading", "posting" if cost else "fingerprint")
    assert {stage[:2] for stage in told} == {looked_up, ("comparing", "document")}
    assert all(stage[2] <= stage[3] for stage in told)
    assert told[-1][2] == told[-1][3]
