"""The order of matches, and what is told of each."""

import math

import numpy as np
import pytest

import fpdb
from tests.made_up_prose import prose
from tests.reference_database import OPTIONS, as_json

MOST = 2**64 - 1


def uniform(rng, count):
    return rng.integers(0, MOST, count, np.uint64, endpoint=True)


def test_min_is_inclusive_and_top_breaks_ties_by_name(db):
    for name in ("b", "\udcff", "a", "é", "c"):
        db.add_fingerprints(name, [1, 2, 3])
    db.add_fingerprints("more", [1, 2, 3, 4])
    names = ["more", "a", "b", "c", "é", "\udcff"]
    assert [match.name for match in db.query_fingerprints([1, 2, 3, 4]).matches] == names
    for top in range(1, 8):
        assert [each.name for each in db.query_fingerprints([1, 2, 3, 4], top=top).matches] == names[:top]
    assert len(db.query_fingerprints([1, 2, 3, 4], min=0.75).matches) == 6
    assert len(db.query_fingerprints([1, 2, 3, 4], min=math.nextafter(0.75, 1)).matches) == 1
    assert len(db.query_fingerprints([1, 2, 3], min=1).matches) == 6
    assert len(db.query_fingerprints([1, 2, 3, 4], by="shared", min=4).matches) == 1
    assert len(db.query_fingerprints([1, 2, 3, 4], by="shared", min=3).matches) == 6


def test_order_is_independent_of_insertion(tmp_path, rng):
    pool = uniform(rng, 50)
    held = {f"{number}": rng.choice(pool, 20) for number in range(40)}
    answers = set()
    for attempt in range(4):
        names = rng.permutation(list(held)).tolist()
        with fpdb.open(tmp_path / f"{attempt}.fpdb") as db:
            for start in range(0, 40, 10 * (attempt + 1)):
                with db.batch() as batch:
                    for name in names[start : start + 10 * (attempt + 1)]:
                        batch.add_fingerprints(name, held[name])
            answers.add(b"".join(as_json(db.query_fingerprints(pool, **options)) for options in OPTIONS))
            assert db.check() == []
    assert len(answers) == 1


def test_low_ratios_of_documents_of_very_different_length_are_flagged(koala: fpdb.Database) -> None:
    short = prose(7, 1_000)
    koala.add("whole", prose(8, 8_000) + short + prose(9, 8_000))
    koala.add("other", prose(10, 17_000))
    koala.add("itself", short)
    found = {match.name: match for match in koala.query(short).matches}
    assert found["itself"].part is None
    assert found["whole"].reverse_containment < 0.3
    assert found["whole"].part is not None
    assert found["whole"].part > 0.3
    assert "part" in koala.query(short).to_dict()["matches"][-1]
    assert "part" not in koala.query(short).to_dict()["matches"][0]


@pytest.mark.parametrize("query", ["short", "five times", "nearly five times"])
def test_a_part_is_told_if_lengths_differ_five_times_or_more(koala: fpdb.Database, query: str) -> None:
    """Whichever of the two is longer: the share of the document's hashes, as often as the lengths differ, at most 1."""
    letters = "".join(np.random.default_rng(1).choice(list("bcdfghjkmnpqrstvwxz"), 1_000))
    kgrams = {"short": 120, "five times": 600, "nearly five times": 599}
    for name, count in kgrams.items():
        koala.add(name, letters[: count + koala.recipe.rules["consonants"].k - 1])
    assert {document.name: document.kgrams for document in koala.documents()} == kgrams
    parts = 0
    for match in koala.query(letters[: kgrams[query] + koala.recipe.rules["consonants"].k - 1]).matches:
        shorter, longer = sorted((kgrams[query], kgrams[match.name]))
        expected = min(match.reverse_containment * longer / shorter, 1) if longer >= 5 * shorter else None
        assert match.part == (expected if expected is None else pytest.approx(expected))
        parts += match.part is not None
    assert parts == (query != "nearly five times")
