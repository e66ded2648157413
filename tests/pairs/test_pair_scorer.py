"""Measures of samples are those of what both are samples of."""

import pytest

import fpdb


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
