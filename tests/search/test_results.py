"""Results as dicts and as lines of JSON."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fpdb.readers.signs import Signs
from fpdb.regions.places import MatchedRegion, SymbolPlace, TextPlace
from fpdb.search.results import Answer, Match, Query

NAMES = st.text(st.characters() | st.sampled_from('"\\\n\x00\udc80\u2028é'))
RATIOS = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1 / 3, 1e-9, 5e-324])
COUNTS = st.integers(0, 9)
PLACES = st.builds(TextPlace, *[COUNTS] * 4) | st.builds(SymbolPlace, COUNTS, COUNTS)
REGIONS = st.builds(MatchedRegion, PLACES, PLACES, COUNTS)
SIGNS = st.none() | st.builds(Signs, *[st.integers(0, 9)] * 3)
QUERIES = st.builds(
    Query, st.none() | NAMES, NAMES, *[st.integers(0, 9)] * 4, st.none() | NAMES, st.none() | st.integers(1, 9), SIGNS
)
MATCHES = st.builds(Match, NAMES, st.integers(0, 2**63), RATIOS, RATIOS, RATIOS) | st.builds(
    Match,
    NAMES,
    st.integers(0, 9),
    *[RATIOS] * 3,
    *[st.none() | RATIOS] * 5,
    source=st.none() | st.sampled_from(["same", "gone"]),
    regions=st.none() | st.lists(REGIONS, max_size=2),
    database=st.none() | NAMES,
)


@given(st.builds(Answer, QUERIES, st.lists(MATCHES, max_size=3), st.none() | st.integers(0, 9)))
def test_json_is_that_of_the_dict(answer):
    assert answer.to_json() == json.dumps(answer.to_dict()) + "\n"
    assert answer.to_dict().get("total") == answer.total


def test_a_match_as_a_dict_has_what_is_given() -> None:
    match = Match("a", 3, 1.0, 0.5, 0.5, regions=[])
    given = {"name": "a", "shared": 3, "containment": 1.0, "reverse_containment": 0.5, "resemblance": 0.5}
    assert match.to_dict() == given | {"regions": []}
    assert match._replace(regions=None).to_dict() == given


def test_an_answer_is_a_sequence_of_matches() -> None:
    matches = [Match(name, 3, 1.0, 0.5, 0.5) for name in "abcde"]
    answer = Answer(Query("q", "text", 9, 9, 0, 0), matches)
    assert len(answer) == 5
    assert list(answer) == matches
    assert answer[0] is matches[0]
    assert answer[-2:] == matches[-2:]
    assert answer
    assert not Answer(answer.query)


def test_results_show_themselves_on_one_line() -> None:
    match = Match("a\nb", 3, 1 / 3, 0.5, 0.5, regions=[])
    assert (
        repr(match)
        == r"Match('a\nb', shared=3, containment=0.333, reverse_containment=0.5, resemblance=0.5, regions=0)"
    )
    query = Query("q", "text", 9, 9, 0, 0)
    assert repr(Answer(query, [match])) == f"<Answer to 'q': {match!r}>"
    assert repr(Answer(query, [match] * 5)).endswith(", and 2 more>")
    assert repr(Answer(query._replace(note="too short"))) == "<Answer to 'q': too short>"


def test_notebooks_show_a_table_in_which_names_are_escaped() -> None:
    answer = Answer(Query("<q>", "text", 9, 9, 0, 0), [Match("<script>", 3, 0.5, 0.5, 0.5, similarity=0.25)])
    table = answer._repr_html_()
    assert "&lt;script&gt;" in table
    assert "&lt;q&gt;" in table
    assert "<script>" not in table
    assert "similarity" in table
    assert "resemblance" in table
    assert "coverage" not in table
