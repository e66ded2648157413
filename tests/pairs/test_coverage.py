"""Ranked by what regions cover: queries and pairs are those that regions tell, whatever of the texts is there."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.errors import BadQuery
from fpdb.fingerprint.marked_symbols import MarkedSymbols
from fpdb.pairs import coverage
from fpdb.regions import alignable, pair_aligner
from tests.reference_database import name_bytes
from tests.reference_marks import plain_seams

RECIPE = fpdb.Recipe.preset("text").with_(k=4, w=3)
QUERY_MEASURES = ["query_coverage", "document_coverage"]

names = st.text("ab/é", min_size=1, max_size=3)
contents = st.lists(st.sampled_from(["lorem", "ipsum", "dolor", "x", "yyyyyyyy"]), max_size=7).map("".join)
collections = st.dictionaries(names, contents, min_size=2, max_size=6)
least = st.sampled_from([None, 0, 0.2, 1])
tops = st.none() | st.integers(1, 4)


def fill(db, documents, discarded):
    with db.batch() as batch:
        for name, content in documents.items():
            batch.add(name, content)
        if discarded is not None:
            batch.add("discarded", discarded, boilerplate=True)


def held_hashes(documents, discarded):
    """Return the hashes of each document that are no boilerplate, and not in seams of it."""
    left_out = set() if discarded is None else set(RECIPE.fingerprint(discarded, purpose="discard").hashes.tolist())
    held = {}
    for name, content in documents.items():
        found = RECIPE.fingerprint(content)
        places = list(zip(found.hashes.tolist(), found.positions.tolist(), strict=True))
        seams = plain_seams(places, left_out, RECIPE.rules["characters"].k, len(content))
        held[name] = set(found.hashes.tolist()) - left_out - seams
    return held


def marks_of(content, discarded, k):
    """Return the symbols in k-grams of boilerplate that are selected in the content, and stretches below k between."""
    if discarded is None:
        return set()
    left_out = set(RECIPE.fingerprint(discarded, purpose="discard").hashes.tolist())
    found = RECIPE.fingerprint(content)
    positions = [at for at, hash_ in zip(found.positions, found.hashes, strict=True) if hash_ in left_out]
    return set(np.flatnonzero(MarkedSymbols.of(np.array(positions, np.int64), k).flags(len(content))).tolist())


def texts_of(documents, missing):
    """Return all texts but one."""
    return lambda document: None if document.name == missing else documents[document.name]


@given(collections, st.none() | contents, st.sampled_from(QUERY_MEASURES), least, tops, st.data())
@settings(max_examples=60, deadline=None)
def test_matches_are_ranked_by_what_their_regions_cover(tmp_path_factory, documents, discarded, by, least, top, data):  # noqa: PLR0913 (drawn values and fixtures)
    with fpdb.open(tmp_path_factory.mktemp("covering") / "t.fpdb", recipe=RECIPE) as db:
        fill(db, documents, discarded)
        name, missing = data.draw(st.sampled_from(sorted(documents))), data.draw(st.sampled_from([*documents, None]))
        asked = {"name": name, "texts": texts_of(documents, missing)}
        expected = [match.to_dict() for match in db.query(documents[name], regions=True, **asked).matches]
        expected = [match for match in expected if match[by] >= (least or 0)]
        expected.sort(key=lambda match: (-match[by], -match["shared"], name_bytes(match["name"])))
        for regions in (False, True):
            answer = db.query(documents[name], by=by, min=least, top=top, regions=regions, **asked)
            found = [match.to_dict() for match in answer.matches]
            untold = () if regions else ("regions",)
            assert found == [
                {key: value for key, value in match.items() if key not in untold} for match in expected[:top]
            ]
        assert db.check() == []


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("by", ["coverage", "containment"])
def test_pairs_are_ranked_by_what_their_regions_cover(tmp_path, monkeypatch, few, by):
    """A pair has the regions of the query with its first document; if that cannot be had, with the second."""
    if few:
        monkeypatch.setattr(pair_aligner, "BATCH", 1)
        monkeypatch.setattr(coverage, "BATCH", 2)
        monkeypatch.setattr(alignable, "MAX_SYMBOLS", 1)

    @given(collections, st.none() | contents, least, tops, st.data())
    @settings(max_examples=25, deadline=None)
    def run(documents, discarded, least, top, data):
        (tmp_path / "t.fpdb").unlink(missing_ok=True)
        missing = data.draw(st.sampled_from([*documents, None]))
        with fpdb.open(tmp_path / "t.fpdb", recipe=RECIPE) as db:
            fill(db, documents, discarded)
            held = held_hashes(documents, discarded)
            named = itertools.combinations(sorted(documents, key=name_bytes), 2)
            expected = [pair_of(db, documents, held, (a, b), missing) for a, b in named if held[a] & held[b]]
            for pair in expected:
                pair["evidence"] = "content" if documents[pair["a"]] == documents[pair["b"]] else "fingerprints"
            expected = [pair for pair in expected if score(pair, by) >= (least or 0)]
            expected.sort(
                key=lambda pair: (-score(pair, by), -pair["shared"], name_bytes(pair["a"]), name_bytes(pair["b"]))
            )
            options = {"by": by, "min": least, "texts": texts_of(documents, missing), "few": 0}
            found = [pair.to_dict() for pair in db.pairs(regions=True, **options)]
            assert [pair for pair in found if pair["shared"]] == expected
            assert [pair.to_dict() for pair in db.pairs(regions=True, top=top, **options)] == found[:top]
            untold = {"regions", "source_a", "source_b"}
            if by == "containment":
                untold |= {"coverage_a", "coverage_b"}
            plain = [{name: value for name, value in pair.items() if name not in untold} for pair in found]
            assert [pair.to_dict() for pair in db.pairs(top=top, **options)] == plain[:top]
            assert db.check() == []

    run()


def pair_of(db, documents, held, names, missing):
    """Return the figures of a pair: of its sets of hashes, and of the regions of a query with one of its documents."""
    a, b = names
    asked, other = (b, a) if a == missing else (a, b)
    answer = db.query(documents[asked], name=asked, regions=True, texts=texts_of(documents, missing))
    (match,) = (match for match in answer.matches if match.name == other)
    said = {"query": asked, "document": other}
    side_a, side_b = sorted(said, key=lambda side: name_bytes(said[side]))
    coverages = {side: getattr(match, f"{side}_coverage") for side in said}
    regions = [
        {"a": one[side_a], "b": one[side_b], "matched_fingerprints": one["matched_fingerprints"]}
        for one in match.to_dict()["regions"]
    ]
    shared = len(held[a] & held[b])
    pair = {
        "a": a,
        "b": b,
        "shared": shared,
        "containment_a": shared / len(held[a]),
        "containment_b": shared / len(held[b]),
        "resemblance": shared / len(held[a] | held[b]),
    }
    pair |= {"coverage_a": coverages[side_a], "coverage_b": coverages[side_b]}
    states = {f"source_{side}": "unavailable" if name == missing else "same" for side, name in (("a", a), ("b", b))}
    return pair | states | {"regions": sorted(regions, key=lambda one: (*one["a"].values(), *one["b"].values()))}


def score(pair, by):
    return max(pair[f"{by}_a"], pair[f"{by}_b"])


@given(collections, st.none() | contents)
@settings(max_examples=30, deadline=None)
def test_where_no_text_can_be_had_positions_tell(tmp_path_factory, documents, discarded):
    """Coverage is the share of the symbols that are in a region, those of boilerplate left out; no region overlaps."""
    k = RECIPE.rules["characters"].k
    with fpdb.open(tmp_path_factory.mktemp("covering") / "t.fpdb", recipe=RECIPE) as db:
        fill(db, documents, discarded)
        held = held_hashes(documents, discarded)
        found = [pair for pair in db.pairs(by="coverage", regions=True, gap=0, shortest=1) if pair.shared]
        assert len(found) == sum(bool(held[a] & held[b]) for a, b in itertools.combinations(documents, 2))
        for pair in found:
            assert (pair.source_a, pair.source_b) == ("not_kept", "not_kept")
            covered = {"a": set(), "b": set()}
            for region in pair.regions:
                for side in "ab":
                    symbols = set(range(*getattr(region, side).interval))
                    assert symbols
                    assert not symbols & covered[side]
                    covered[side] |= symbols
            for side, name, coverage in (("a", pair.a, pair.coverage_a), ("b", pair.b, pair.coverage_b)):
                marked = marks_of(documents[name], discarded, k)
                counted = len(documents[name]) - len(marked)
                assert coverage == (len(covered[side] - marked) / counted if counted else 0)
            (bridged,) = (one for one in db.pairs(regions=True, gap=999) if (one.a, one.b) == (pair.a, pair.b))
            assert bridged.coverage_a >= pair.coverage_a
            assert len(bridged.regions) <= len(pair.regions)
        scores = [score(pair.to_dict(), "coverage") for pair in found]
        assert scores == sorted(scores, reverse=True)
        assert db.check() == []


@pytest.mark.parametrize("kept", [True, False])
def test_gaps_are_joined_with_and_without_texts(db, kept):
    one, two = (" ".join(str(number**5) for number in range(start, start + 20)) for start in (10, 50))
    db.add("a", f"{one} what the first says {two}", keep_text=kept)
    db.add(
        "b",
        f"{one} and the other one, which has very much more to say in between than the first of both {two}",
        keep_text=kept,
    )
    (pair,), (joined,) = db.pairs(regions=True, gap=0, shortest=1), db.pairs(regions=True, gap=200)
    assert (len(pair.regions), len(joined.regions)) == (2, 1)
    assert pair.coverage_a == joined.coverage_a  # what is between them does not agree
    assert db.check() == []


def test_only_documents_are_ranked_by_it(tmp_path):
    with fpdb.open(tmp_path / "t.fpdb") as db:
        db.add("a", "abc" * 20)
        for ask in (
            lambda: db.pairs(by="coverage", by_owner=True),
            lambda: db.pairs(regions=True, by_owner=True),
            lambda: db.clusters(by="coverage"),
            lambda: db.drop_list(by="coverage"),
            lambda: db.spans(by="coverage"),
        ):
            with pytest.raises(BadQuery, match=r"owner|another measure"):
                list(ask())
        with pytest.raises(BadQuery, match="another measure"):
            db.explain("a", "b", by="coverage", contents={"b": "abc"})
        with pytest.raises(BadQuery, match="by `query`"):
            db.query_fingerprints([1], by="query_coverage")
        with pytest.raises(BadQuery, match="by `query`"):
            db.queries([("a", "abc")], by="query_coverage")
        assert db.check() == []


def test_pairs_keep_their_regions_however_many_there_are(tmp_path, monkeypatch):
    """Those that wait in a file are as they were."""
    with fpdb.open(tmp_path / "db") as db:
        for name in "abcd":
            db.add_fingerprints(name, [1, 2, 3], [1, 2, 9])
            db.add(f"text {name}", "one and the same text of some length, which is long enough to be found again " * 3)
        every = list(db.pairs(regions=True, gap=1))
        monkeypatch.setattr("fpdb.spool.BATCH", 2)
        assert list(db.pairs(regions=True, gap=1)) == every
        assert all(pair.regions for pair in every if len(pair.a) == 1)
        assert db.check() == []


@pytest.mark.parametrize(
    "content", ["tiny", "a" * 29, "x = 1", "<p>tiny</p>", "a tiny text of thirty letters and more"]
)
@pytest.mark.parametrize("preset", ["text", "code"])
def test_a_copy_is_covered_however_short(tmp_path, content, preset):
    recipe = fpdb.Recipe.preset(preset)
    kinds = {"x = 1": "code", "<p>tiny</p>": "html"}
    kind = kinds.get(content, "text") if preset == "code" else "text"
    with fpdb.open(tmp_path / "d.fpdb", recipe=recipe) as db:
        for name in ("a.py", "b.py"):
            db.add(name, content, kind=kind, keep_text=True)
        db.add("c.py", content[1:], kind=kind, keep_text=True)
        pair = next(iter(db.pairs(by="coverage")))
        assert ({pair.a, pair.b}, pair.coverage_a, pair.coverage_b) == ({"a.py", "b.py"}, 1.0, 1.0)
        (pair,) = (pair for pair in db.pairs(regions=True) if {pair.a, pair.b} == {"a.py", "b.py"})
        (region,) = pair.regions
        assert (pair.coverage_a, region.a.start, region.a.end) == (1.0, region.b.start, region.b.end)
        assert db.check() == []
