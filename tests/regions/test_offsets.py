"""Offsets and regions of hashes with positions are those of the definition."""

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import fpdb

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12)), max_size=12)


def best_offset(query, document):
    """Return the offset at which most pairs agree, the lowest of several, and how many; by the definition."""
    counts = Counter(there - here for value, here in set(query) for other, there in set(document) if value == other)
    ranked = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return ranked[0] if ranked else (None, 0)


@given(PAIRS, st.lists(PAIRS, min_size=1, max_size=4), st.sampled_from([None, 0, 2]))
def test_offsets_and_regions_are_those_of_the_definition(tmp_path_factory, query, documents, gap):
    path = tmp_path_factory.mktemp("offsets") / "db"
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number, pairs in enumerate(documents):
                batch.add_fingerprints(str(number), [h for h, _ in pairs], [p for _, p in pairs])
        hashes, positions = [h for h, _ in query], [p for _, p in query]
        answer = db.query_fingerprints(hashes, positions, regions=True, gap=gap)
        expected = {str(number): best_offset(query, pairs) for number, pairs in enumerate(documents)}
        assert {match.name: (match.offset, match.aligned) for match in answer} == {
            name: best for name, best in expected.items() if best[1]
        }
        order = [(-match.aligned, -match.shared, match.name) for match in answer]
        assert order == sorted(order)
        for match in answer:
            held = {*documents[int(match.name)]}
            agreeing = sorted(here for value, here in {*query} if (value, here + match.offset) in held)
            covered = [(region.a.first_symbol, region.a.last_symbol) for region in match.regions]
            assert sum(region.matched_fingerprints for region in match.regions) == match.aligned == len(agreeing)
            assert all(any(first <= here <= last for first, last in covered) for here in agreeing)
            assert all(region.b.first_symbol - region.a.first_symbol == match.offset for region in match.regions)
            assert len(covered) == 1 + sum(
                gap is not None and there - here > gap + 1 for here, there in itertools.pairwise(agreeing)
            )
        assert db.query_fingerprints(hashes, positions, min=2).matches == [
            match._replace(regions=None) for match in answer if match.aligned >= 2
        ]
        assert db.check() == []


@given(PAIRS, PAIRS, st.sampled_from([None, 0, 2]))
def test_pairs_have_the_regions_of_queries(tmp_path_factory, one, other, gap):
    """Of two documents, those at their best offset; a document without positions has none."""
    with fpdb.open(tmp_path_factory.mktemp("offsets") / "db") as db:
        for name, pairs in (("a", one), ("b", other)):
            db.add_fingerprints(name, [h for h, _ in pairs], [p for _, p in pairs])
        found = list(db.pairs(regions=True, gap=gap))
        query = [h for h, _ in one], [p for _, p in one]
        expected = [match for match in db.query_fingerprints(*query, regions=True, gap=gap) if match.name == "b"]
        assert [pair.regions for pair in found] == [match.regions for match in expected]
        for pair, match in zip(found, expected, strict=True):
            assert (pair.coverage_a, pair.coverage_b) == (match.aligned / len({*one}), match.aligned / len({*other}))
        assert db.check() == []
