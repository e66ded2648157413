"""Results as dicts and as lines of JSON."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace
from fpdb.search.results import Answer, Match, Query

NAMES = st.text(st.characters() | st.sampled_from('"\\\n\x00\udc80\u2028é'))
RATIOS = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1 / 3, 1e-9, 5e-324])
COUNTS = st.integers(0, 9)
PLACES = st.builds(TextPlace, *[COUNTS] * 4) | st.builds(SymbolPlace, COUNTS, COUNTS)
REGIONS = st.builds(MatchedRegion, PLACES, PLACES, COUNTS)
QUERIES = st.builds(Query, st.none() | NAMES, NAMES, *[st.integers(0, 9)] * 4, st.none() | NAMES)
MATCHES = st.builds(Match, NAMES, st.integers(0, 2**63), RATIOS, RATIOS, RATIOS) | st.builds(
    Match,
    NAMES,
    st.integers(0, 9),
    *[RATIOS] * 3,
    *[st.none() | RATIOS] * 6,
    source=st.none() | st.sampled_from(["same", "gone"]),
    regions=st.none() | st.lists(REGIONS, max_size=2),
    database=st.none() | NAMES,
)


@given(st.builds(Answer, QUERIES, st.lists(MATCHES, max_size=3)))
def test_json_is_that_of_the_dict(answer):
    assert answer.to_json() == json.dumps(answer.to_dict()) + "\n"
