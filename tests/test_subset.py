"""Some of the documents are asked for: of a query as many answers fewer, of pairs as if there were no others."""

from fnmatch import fnmatchcase
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import options as pair_options
from fpdb.pairs.options import MEASURES

NAMES = ("a", "b/a", "b/b", "b/[c]", "c", "b/é\n")
PATTERNS = st.sampled_from(["*", "a", "b/*", "*a", "b/?", "[!b]*", "x*", "b/[[]c]"])
DOCUMENTS = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(st.lists(st.integers(0, 9), max_size=6), st.dictionaries(st.sampled_from("kl"), st.sampled_from("xy"))),
    min_size=1,
)
SUBSETS = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.none() | st.dictionaries(st.sampled_from("kl"), st.sampled_from("xy"), max_size=2),
        "names": PATTERNS | st.lists(PATTERNS, max_size=2),
        "exclude_names": st.none() | PATTERNS | st.lists(PATTERNS, max_size=2),
    },
)


def chosen(documents, labels=None, names=(), exclude_names=()):
    """Return the documents of a subset, by the definition."""
    names, excluded = ([each] if isinstance(each, str) else each or [] for each in (names, exclude_names))
    return {
        name: (hashes, own)
        for name, (hashes, own) in documents.items()
        if set((labels or {}).items()) <= set(own.items())
        and (not names or any(fnmatchcase(name, pattern) for pattern in names))
        and not any(fnmatchcase(name, pattern) for pattern in excluded)
    }


def filled(path, documents):
    db = fpdb.open(path)
    with db.batch() as batch:
        for name, (hashes, labels) in documents.items():
            batch.add_fingerprints(name, hashes, range(len(hashes)), labels=labels)
    return db


@given(DOCUMENTS, SUBSETS, st.lists(st.integers(0, 9), max_size=5), st.sampled_from([None, 1, 2]), st.data())
@settings(max_examples=30)
def test_a_subset_is_that_of_the_definition(tmp_path_factory, documents, subset, query, top, data):
    folder = tmp_path_factory.mktemp("subset")
    part = chosen(documents, **subset)
    by = data.draw(st.sampled_from(["containment", "resemblance", "similarity", "weighted_containment", "shared"]))
    with filled(folder / "all", documents) as db, filled(folder / "part", part) as alone:
        for options in ({"by": by}, {"by": by, "max_df": 2}, {"by": by, "max_df": 2, "max_ignored": 1}):
            matches = [match for match in db.query_fingerprints(query, **options) if match.name in part]
            found = db.query_fingerprints(query, **options, **subset, top=top)
            assert found.matches == matches[:top]
            assert db.queries_fingerprints([(None, query)] * 2, **options, **subset, top=top) == [found, found]
        aligned = db.query_fingerprints(query, range(len(query)), **subset, top=top).matches
        everything = db.query_fingerprints(query, range(len(query))).matches
        assert aligned == [match for match in everything if match.name in part][:top]
        for call in ("pairs", "clusters", "drop_list"):
            for options in ({}, {"keep": "longest"} if call != "pairs" else {"by": "similarity"}, {"max_df": 2}):
                assert list(getattr(db, call)(**options, **subset)) == list(getattr(alone, call)(**options))
        assert db.check() == []


WORDS = ("lorem", "dolor sit", "x", "consectetur")
CONTENTS = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(
        st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" ".join),
        st.dictionaries(st.sampled_from("kl"), st.sampled_from("xy")),
    ),
    min_size=5,
)
PARTS = st.sampled_from([{}, {"names": "b/*"}, {"exclude_names": ["a", "b/b"]}, {"labels": {"k": "x"}}])


@given(CONTENTS, PARTS, st.none() | st.sampled_from(WORDS), st.sampled_from([2, 3, None]), st.data())
@settings(max_examples=25, deadline=None)
def test_comparisons_of_a_subset_are_as_if_there_were_no_others(tmp_path_factory, documents, subset, form, cap, data):
    """By any measure, with regions or without, whatever others make common."""
    by = data.draw(st.sampled_from(MEASURES))
    options = {"max_df": cap, "few": data.draw(st.sampled_from([0, 4]))}
    part, folder = chosen(documents, **subset), tmp_path_factory.mktemp("subset")
    with (
        pytest.MonkeyPatch.context() as patch,
        read(folder / "all", documents, form) as db,
        read(folder / "part", part, form) as alone,
    ):
        patch.setattr(pair_options, "SMALL", 3)
        patch.setattr(pair_options, "COMMON", 2)

        def agree(call, *arguments, **asked):
            found, expected = (
                results if isinstance(results, fpdb.Explanation) else list(results)
                for results in (
                    getattr(db, call)(*arguments, **asked, **subset),
                    getattr(alone, call)(*arguments, **asked),
                )
            )
            assert found == expected

        agree("pairs", by=by, **options)
        agree("pairs", by=by, regions=True, **options)
        agree("spans", **options)
        for call in ("clusters", "drop_list") if by != "coverage" else ():
            agree(call, by=by, **options)
        for a, b in combinations(part, 2) if by != "coverage" else ():
            agree("explain", a, b, by=by, **options)
        for a, b in set(product(documents, part)) - set(product(part, part)):
            with pytest.raises(fpdb.BadQuery, match="is not among"):
                db.explain(a, b, **subset)
        assert db.check() == []


def read(path, documents, form):
    """Make a database of documents with their texts, and of boilerplate."""
    db = fpdb.open(path, recipe=fpdb.Recipe.preset("text").with_(k=4, w=2))
    with db.batch() as batch:
        for name, (content, labels) in documents.items():
            batch.add(name, content, labels=labels, keep_text=name != "c")
        if form:
            batch.add("form", form, boilerplate=True)
    return db


@pytest.mark.parametrize("wrong", [{"labels": "k=v"}, {"labels": {"k": 1}}, {"names": 5}, {"exclude_names": [5]}])
def test_what_is_no_subset_is_refused(tmp_path, wrong):
    with fpdb.open(tmp_path / "db") as db:
        for call in (lambda: db.query("text", **wrong), lambda: db.pairs(**wrong)):
            with pytest.raises(fpdb.BadQuery):
                call()
