"""Documents of which samples are stored are compared within what both are samples of."""

from pathlib import Path

import numpy as np
import pytest

import fpdb
from fpdb.search.samples import Sample
from tests.made_up_prose import prose


@pytest.mark.parametrize("sizes", [(3_000, 3_000), (3_000, 12_000), (12_000, 3_000)])
def test_samples_are_compared_within_what_both_are_samples_of(tmp_path: Path, sizes: tuple[int, int]) -> None:
    """Resemblance and containment of documents of any lengths, from 400 fingerprints each: within 4 / sqrt(400)."""
    mine, theirs = sizes
    shared = 2_000
    with (
        fpdb.open(tmp_path / "sample.fpdb", recipe=fpdb.Recipe.preset("sample")) as db,
        fpdb.open(tmp_path / "full.fpdb", recipe=fpdb.Recipe.preset("text").with_(scheme="full")) as full,
    ):
        for number in range(20):
            passage = prose(100 + number, shared)
            document = passage + prose(200 + number, theirs - shared)
            query = passage + prose(300 + number, mine - shared)
            db.add(f"{number}", document)
            full.add(f"{number}", document)
            [found] = [match for match in db.query(query).matches if match.name == f"{number}"]
            [exact] = [match for match in full.query(query).matches if match.name == f"{number}"]
            assert abs(found.resemblance - exact.resemblance) < 0.2
            assert abs(found.containment - exact.containment) < 0.25
            assert db.query(document).matches[0].resemblance == 1.0
        assert db.check() == full.check() == []


@pytest.mark.parametrize("sizes", [(4_000, 4_000), (4_000, 20_000), (20_000, 4_000)])
def test_distinct_samples_are_compared_at_the_higher_level(tmp_path: Path, sizes: tuple[int, int]) -> None:
    mine, theirs = sizes
    recipe = fpdb.Recipe.preset("text").with_(scheme="distinct", guarantee=1000, s=800)
    with fpdb.open(tmp_path / "t.fpdb", recipe=recipe) as db:
        passage = prose(1, 3_000)
        document, query = passage + prose(2, theirs - 3_000), passage + prose(3, mine - 3_000)
        db.add("d", document)
        [match] = db.query(query).matches
        assert abs(match.containment - 3_000 / mine) < 0.2
        assert abs(match.reverse_containment - 3_000 / theirs) < 0.2
        [itself] = db.query(document).matches
        assert (itself.containment, itself.resemblance) == (1.0, 1.0)
        assert db.check() == []


def test_samples_overlap_in_the_smaller_share() -> None:
    """A share of n stands for n + 1 of 2**32 equal parts of all hashes."""
    whole = 2**32 - 1
    shares = np.array([0, 3, 7, whole], np.uint32)
    assert Sample("smallest", 3, 64).overlap(shares).tolist() == [1, 1, 0.5, 2.0**-30]
    assert Sample("smallest", whole, 64).overlap(shares).tolist() == [1, 1, 1, 1]


def test_hashes_within_a_share_are_those_below_its_end() -> None:
    whole = 2**32 - 1
    hashes = np.array([0, 2**32 - 1, 2**32, 2**34 - 1, 2**34, 2**64 - 1], np.uint64)
    values = np.array([1, 2, 4, 8, 16, 32])
    shares = np.array([0, 1, 3, whole], np.uint32)
    assert Sample("smallest", 3, 64).sum_within(hashes, values, shares).tolist() == [3, 7, 15, 15]
    assert Sample("smallest", whole, 64).sum_within(hashes, values, shares).tolist() == [3, 7, 15, 63]
    assert Sample("smallest", whole, 32).sum_within(hashes[:2], values[:2], shares).tolist() == [1, 1, 1, 3]
