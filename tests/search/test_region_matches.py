"""The regions of a match are passages of both texts, and its coverages are the shares of the texts in them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.search.options import ContentOptions, HashQueryOptions, QueryOptions
from fpdb.search.query_fingerprints import QueryFingerprints
from fpdb.search.region_matches import add_regions
from tests.regions.documents import words

PASSAGES = ["".join(words(seed, 12)) for seed in range(6)]
"""Of letters alone, so that each character is a symbol."""

texts = st.lists(st.sampled_from(PASSAGES), min_size=1, max_size=4).map("".join)


def covered(places, text):
    """Return the share of the characters of a text that lie in places."""
    return len({index for place in places for index in range(*place.interval)}) / len(text)


@settings(max_examples=20)
@given(st.lists(texts, min_size=1, max_size=4), texts, st.sampled_from(["containment", "query_coverage"]))
def test_coverage_is_the_share_of_the_text_in_regions(tmp_path_factory, documents, query, by):
    with fpdb.open(tmp_path_factory.mktemp("regions") / "t.fpdb") as db:
        with db.batch() as batch:
            for number, text in enumerate(documents):
                batch.add(f"{number}", text, keep_text=True)
        matches = db.query(query, regions=True, gap=0, shortest=1, by=by).matches
        for match in matches:
            text = documents[int(match.name)]
            assert all(query[slice(*r.a.interval)] == text[slice(*r.b.interval)] for r in match.regions)
            assert match.query_coverage == covered([region.a for region in match.regions], query)
            assert match.document_coverage == covered([region.b for region in match.regions], text)
        without = [match._replace(regions=None) for match in matches]
        if by == "query_coverage":
            assert db.query(query, by=by).matches == without
            assert without == sorted(without, key=lambda match: (-match.query_coverage, -match.shared, match.name))
        assert db.check() == []


def test_an_answer_without_symbols_has_no_regions(db):
    """An answer to hashes alone cannot be completed: it is refused, not given without regions."""
    db.add_fingerprints("a", [1, 2, 3])
    with db.searcher() as searcher:
        query, options = QueryFingerprints(np.array([1, 2], np.uint64), None, "hashes"), QueryOptions()
        ranked = next(searcher.rank_fingerprints([query], HashQueryOptions(options)))
        with pytest.raises(ValueError, match="without its symbols"):
            add_regions(ranked, None, ContentOptions(regions=True), options)
