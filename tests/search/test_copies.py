"""A query finds the documents of its own content whatever is ignored, with the measures that it has if nothing is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb

WORDS = [f"word{number} is followed by {number * number} others" for number in range(12)]
CONTENTS = [" ".join(WORDS[first : first + 5]) for first in range(4)]  # of common passages
UNKNOWN = f"{' '.join(WORDS[:6])} and then a text that nobody has added"
KINDS = ("text", "html")
RECIPE = fpdb.Recipe.preset("text").with_(k=8, scheme="winnow", w=4)
RANKED = ("containment", "resemblance", "reverse_containment", "shared", "weighted_containment", "similarity")


@given(
    st.lists(st.tuples(st.sampled_from(CONTENTS), st.sampled_from(KINDS)), min_size=1, max_size=9),
    st.sampled_from(RANKED),
    st.data(),
)
@settings(max_examples=25, deadline=None)
def test_copies_are_found_whatever_the_cap(tmp_path_factory, documents, by, data):
    folder = tmp_path_factory.mktemp("copies")
    content, kind = documents[0]
    boilerplate = data.draw(st.booleans())
    with fpdb.open(folder / "a", recipe=RECIPE) as first, fpdb.open(folder / "b", recipe=RECIPE) as second:
        for number, (text, its_kind) in enumerate(documents):
            (first, second)[number % 2].add(f"{number}", text, kind=its_kind)
        if boilerplate:
            first.add("form", WORDS[3], boilerplate=True)
        for db in (first, fpdb.MultiDatabase({"a": first, "b": second})):
            options = {
                "max_df": data.draw(st.integers(1, 5)),
                "by": by,
                **data.draw(
                    st.sampled_from([{}, {"smallest": 7}, {"max_ignored": 3}, {"min": 1 if by == "shared" else 0.9}])
                ),
            }
            capped = db.query(content, kind=kind, **options)
            whole = db.query(content, kind=kind, **{**options, "max_df": None, "max_ignored": None})
            names = {f"{number}" for number, each in enumerate(documents) if each == (content, kind)}
            copies = {match.name: match for match in whole.matches if match.name in names}
            assert {match.name: match for match in capped.matches if match.name in names} == copies
            again, _ = db.queries([("q", content), ("of nobody", UNKNOWN)], kind=kind, **options)
            assert again.matches == capped.matches
            one = next((match.name for match in capped.matches if match.name in names), None)
            best = db.query(content, kind=kind, **options, top=1).matches
            assert best == capped.matches[:1]
            if one is not None:
                left_out = db.query(content, name=one, kind=kind, **options)
                assert one not in {match.name for match in left_out.matches}
        assert first.check() == second.check() == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_ignored_is_told(db, kind):
    for number in range(4):
        db.add(f"{number}", CONTENTS[0], kind="text")
        db.add(f"other {number}", CONTENTS[1], kind="text")
    answer = db.query(CONTENTS[0], kind=kind, max_df=2)
    told = answer.query
    assert (told.looked_up, told.ignored_common, told.max_df) == (told.ignored_common, told.looked_up, 2)
    if kind == "text":
        assert [(match.name, match.resemblance) for match in answer.matches] == [
            (f"{number}", 1) for number in range(4)
        ]
        assert told.note is None
    else:
        assert answer.matches == []
        assert told.note == "all of its fingerprints are common, and ignored"
    assert db.query(CONTENTS[0], kind=kind).query.max_df is None
    assert db.check() == []


def test_copies_of_little_weight_are_copies(db):
    """What nearly all documents hold weighs little, together less than one rare hash."""
    for number in range(40):
        db.add_fingerprints(f"{number}", [1, 2])
    digest = db.digest("0")
    for _ in range(2):
        for by in ("weighted_containment", "similarity"):
            found = db.query_fingerprints([1, 2], max_df=3, digest=digest, by=by).matches
            assert len(found) == 40
            assert {getattr(match, by) for match in found} == {1.0}
        db.add_fingerprints("other", [3])
    assert db.check() == []


def test_copies_of_given_hashes_are_known_by_their_digest(db):
    for number in range(5):
        db.add_fingerprints(f"{number}", [1, 2, 3])
        db.add_fingerprints(f"like {number}", [3, 2, 1])
    digest = db.digest("0")
    names = [f"{number}" for number in range(5)]
    assert db.query_fingerprints([1, 2, 3], max_df=3).matches == []
    assert [match.name for match in db.query_fingerprints([1, 2, 3], max_df=3, digest=digest).matches] == names
    found = db.query_fingerprints([1, 2, 3], max_df=3, digest=digest, name="0")
    assert [match.name for match in found.matches] == names[1:]
    assert db.check() == []
