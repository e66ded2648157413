"""Hashes that very many documents hold are counted by document, and ties by the thousand are broken by name."""

import numpy as np
import pytest

import fpdb
from tests.reference_database import ReferenceDatabase, as_json

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
