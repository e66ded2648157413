"""Hashes in seams of boilerplate count for nothing, in pairs, explanations and queries; copies stay copies."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import seams
from fpdb.storage import snapshot
from tests.reference_marks import plain_seams
from tests.small_blocks import small_blocks

RECIPE = fpdb.Recipe.preset("text").with_(k=5, w=3)
PIECES = ["loremip", "dolorsitam", "consec", "x", "yz", "zyxwvu"]
texts = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
collections = st.dictionaries(st.sampled_from("abcde"), texts, min_size=2)
templates = st.lists(texts, min_size=1, max_size=2)


def held_by(content, boilerplate):
    """Return a content's hashes but boilerplate, and those of them that it holds in seams only."""
    found = RECIPE.fingerprint(content)
    pairs = list(zip(found.hashes.tolist(), found.positions.tolist(), strict=True))
    return set(found.hashes.tolist()) - boilerplate, plain_seams(pairs, boilerplate, RECIPE.rules["characters"].k, 99)


def fill(db, documents, templates):
    """Add documents, half of them before the templates; return the hashes of boilerplate."""
    for number, (name, content) in enumerate(documents.items()):
        db.add(name, content, keep_text=False)
        if number == len(documents) // 2:
            for place, template in enumerate(templates):
                db.add(f"template {place}", template, boilerplate=True)
    return {hash_ for each in templates for hash_ in RECIPE.fingerprint(each, purpose="discard").hashes.tolist()}


@pytest.mark.parametrize("together", [1, 1 << 15])
def test_pairs_and_explanations_are_those_of_the_definition(tmp_path, monkeypatch, together):
    monkeypatch.setattr(seams, "TOGETHER", together)

    @given(
        collections,
        templates,
        st.sampled_from(["mean_containment", "similarity"]),
        st.sampled_from([{}, {"max_df": 3}]),
    )
    @settings(max_examples=25, deadline=None)
    def run(documents, templates, by, options):
        (tmp_path / "t.fpdb").unlink(missing_ok=True)
        with fpdb.open(tmp_path / "t.fpdb", recipe=RECIPE) as db:
            boilerplate = fill(db, documents, templates)
            counted = {name: set.difference(*held_by(each, boilerplate)) for name, each in documents.items()}
            found = {(pair.a, pair.b): pair for pair in db.pairs(by=by, few=0, **options) if pair.shared}
            if "max_df" not in options:
                named = itertools.combinations(sorted(documents), 2)
                assert found.keys() == {(a, b) for a, b in named if counted[a] & counted[b]}
                for (a, b), pair in found.items():
                    shared = len(counted[a] & counted[b])
                    assert (pair.shared, pair.resemblance) == (shared, shared / len(counted[a] | counted[b]))
                    assert (pair.containment_a, pair.containment_b) == tuple(
                        shared / len(counted[each]) for each in (a, b)
                    )
            for a, b in itertools.combinations(sorted(documents), 2):
                told = db.explain(a, b, by=by, few=0, **options)
                given = told
                if by == "mean_containment" and not options:
                    given = db.explain(a, b, by=by, few=0, contents={b: documents[b]})
                pair = found.get((a, b))
                assert told.shared == given.shared == (pair.shared if pair else 0)
                if pair:
                    expected = pair.similarity or (pair.containment_a + pair.containment_b) / 2
                    assert told.measure == pytest.approx(expected, abs=1e-12)
                    assert told.similar
            assert db.check() == []

    run()


@given(collections, templates)
@settings(max_examples=40, deadline=None)
def test_of_a_query_its_own_seams_count_for_nothing(tmp_path_factory, documents, templates):
    """Neither in the query nor in documents; one query and many are answered alike."""
    with fpdb.open(tmp_path_factory.mktemp("seams") / "t.fpdb", recipe=RECIPE) as db:
        boilerplate = fill(db, documents, templates)
        held = {name: held_by(content, boilerplate) for name, content in documents.items()}
        answers = db.queries([(None, content) for content in documents.values()])
        for (name, content), answer in zip(documents.items(), answers, strict=True):
            asked, left_out = held[name]
            expected = {}
            for other, (hashes, _) in held.items():
                of_query, of_document = asked - left_out, hashes - left_out
                shared = len(of_query & of_document)
                if shared:
                    union = len(of_query | of_document)
                    expected[other] = (shared / len(of_query), shared / len(of_document), shared / union)
            for one in (answer, db.query(content)):
                found = {each.name: (each.containment, each.reverse_containment, each.resemblance) for each in one}
                assert found == expected
                assert one.query.looked_up == len(asked - left_out)
                discarded = set(RECIPE.fingerprint(content).hashes.tolist()) & boilerplate
                assert one.query.ignored_boilerplate == len(discarded | left_out)
            if asked - left_out:
                assert expected[name] == (1, 1, 1)
        assert db.check() == []


HEAVY_ALONE = [
    *["", "", "dolorsitamloremip", "loremipdolorsitamconsecx", "loremip", "loremip"],
    *["loremiploremip"] * 4,
    *["consecx", "consecxdolorsitam"],
]
"""Two hashes that many hold, of which a document has the rarer one alone."""


@given(st.lists(texts, min_size=12, max_size=30), templates, st.sampled_from(["resemblance", "similarity"]))
@example(HEAVY_ALONE, [""], "similarity")
@settings(max_examples=15, deadline=None)
def test_the_first_matches_are_those_of_the_whole_answer(tmp_path_factory, contents, templates, by):
    """Where very many documents hold a hash, sizes bound the measures; seams count in none."""
    documents = {f"{number:02}": content for number, content in enumerate(contents)}
    with small_blocks(2), pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "COMMON", 1)
        with fpdb.open(tmp_path_factory.mktemp("seams") / "t.fpdb", recipe=RECIPE) as db:
            fill(db, documents, templates)
            for content in [*templates, *contents[:4]]:
                whole = db.query(content, by=by).matches
                assert db.query(content, by=by, top=2).matches == whole[:2]
            assert db.check() == []


def test_a_template_without_some_lines_has_nothing_in_common_with_another(db, rng):
    """And a passage of w + k - 1 symbols of one's own is found, wherever it stands."""
    letters = rng.integers(ord("a"), ord("z") + 1, 4_000, np.uint8).tobytes().decode()
    lines = [letters[at : at + 60] for at in range(0, 2_400, 60)]
    rule = db.recipe.rules["characters"]
    own = letters[3_000 : 3_000 + rule.guarantee]
    db.add("template", "\n".join(lines), boilerplate=True)
    for name, gap in {"one": 3, "two": 5, "three": 7}.items():
        db.add(name, "\n".join(line for at, line in enumerate(lines) if at % gap), keep_text=False)
    assert list(db.pairs()) == []
    assert db.query("\n".join(lines[:9] + lines[10:])).matches == []
    for name in ("four", "five"):
        cut = len(name) * 5
        db.add(name, "\n".join([*lines[:cut], own, *lines[cut + 2 :]]), keep_text=False)
    assert [(pair.a, pair.b) for pair in db.pairs()] == [("five", "four")]
    assert db.check() == []
