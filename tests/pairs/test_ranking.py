"""Pairs and clusters are those of the plain sets, in every order of insertion, whatever the limits."""

import itertools
import math
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.errors import BadQuery
from fpdb.pairs import _counting, corpus, counting, ranking, union_find
from fpdb.pairs import options as pair_options
from tests.reference_database import name_bytes, rarity, share

LIMITS = [
    (counting, "BUDGET", 40),
    (counting, "ROOM", 1),
    (counting, "ROWS", 2),
    (ranking, "POOL", 3),
    (ranking, "BATCH", 3),
]


def oracle(documents, boilerplate=(), labels=None, **options):
    """documents: name -> set. labels: name -> {key: value}. The pairs, as dicts, by definition."""
    discarded = set().union(*boilerplate)
    held = {name: hashes - discarded for name, hashes in documents.items()}
    owner, fresh = owner_of(labels or {}, options.get("owners", "label:owner")), {}
    for name in held:
        new = options.get("new")
        fresh[name] = new is None or (labels or {}).get(name, {}).get(new[0]) == new[1]
    if options.get("by_owner"):
        joined, any_new = defaultdict(set), defaultdict(bool)
        for name, hashes in held.items():
            joined[owner(name)[1]] |= hashes
            any_new[owner(name)[1]] |= fresh[name]
        held, fresh, owner = joined, any_new, lambda name: name
    df = Counter(hash_ for hashes in held.values() for hash_ in hashes)
    most = options.get("max_df") or math.inf
    held = {name: {hash_ for hash_ in hashes if df[hash_] < most} for name, hashes in held.items()}
    weight = {hash_: rarity(len(held), count) for hash_, count in df.items()}
    found = []
    for a, b in itertools.combinations(sorted(held, key=name_bytes), 2):
        shared = held[a] & held[b]
        if len(shared) < options.get("min_shared", 1) or owner(a) == owner(b) or not (fresh[a] or fresh[b]):
            continue
        found.append(
            {
                "a": a,
                "b": b,
                "shared": len(shared),
                "containment_a": len(shared) / len(held[a]),
                "containment_b": len(shared) / len(held[b]),
                "resemblance": len(shared) / len(held[a] | held[b]),
                **weighted(shared, held[a], held[b], weight),
            }
        )
    return found


def weighted(shared, a, b, weight):
    whole, of_a, of_b, of_both = (sum(weight[each] for each in part) for part in (shared, a, b, a | b))
    return {
        "weighted_containment_a": share(whole, of_a),
        "weighted_containment_b": share(whole, of_b),
        "weighted_resemblance": share(whole, of_both),
    }


def owner_of(labels, rule):
    sort, what = rule.split(":")
    if sort == "path":
        return lambda name: (True, "/".join([part for part in name.split("/") if part not in ("", ".")][: int(what)]))
    return lambda name: (what in labels.get(name, {}), labels.get(name, {}).get(what, name))


def score(pair, by):
    if by == "shared" or by.endswith("resemblance"):
        return pair[by]
    return max(pair[f"{by}_a"], pair[f"{by}_b"])


def as_dict(pair):
    return {field: getattr(pair, field) for field in pair.__dataclass_fields__ if getattr(pair, field) is not None}


def agree(db, expected, **options):
    """Equality with the oracle, in the order that is promised; no measure leaves [0, 1]."""
    by, least = options.get("by", "containment"), options.get("min", 0)
    found = [as_dict(pair) for pair in db.pairs(**options)]
    expected = [pair for pair in expected if score(pair, by) >= least]
    expected.sort(key=lambda pair: (-score(pair, by), -pair["shared"], name_bytes(pair["a"]), name_bytes(pair["b"])))
    given = [name for name in expected[0] if by.startswith("weighted") or "weighted" not in name] if expected else []
    assert found == [{name: pair[name] for name in given} for pair in expected[: options.get("top")]]
    assert all(
        0 <= value <= 1 for pair in found for name, value in pair.items() if "_" in name or name == "resemblance"
    )


OPTIONS = [
    {},
    {"by": "resemblance", "min": 0.21},
    {"by": "shared", "min": 3, "top": 4},
    {"min_shared": 2, "max_df": 3},
    {"max_df": 5, "min": 0.4},
    {"top": 2},
    {"top": 1, "by": "resemblance"},
    {"new": ("term", "2")},
    {"new": ("term", "2"), "min": 0.3, "owners": "path:1"},
    {"owners": "path:1"},
    {"owners": "path:2", "by_owner": True},
    {"by_owner": True, "max_df": 3},
    {"owners": "path:1", "by_owner": True, "new": ("term", "1"), "by": "resemblance"},
    {"by": "weighted_containment"},
    {"by": "weighted_resemblance", "min": 0.123, "max_df": 6},
    {"by": "weighted_containment", "owners": "path:1", "by_owner": True, "top": 3},
]

names = st.text("ab/.", min_size=1, max_size=5)
hashes = st.lists(st.integers(0, 24) | st.integers(2**64 - 3, 2**64 - 1), max_size=14)
labelled = st.dictionaries(st.sampled_from(["owner", "term"]), st.sampled_from("12"))


@given(st.data(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_pairs_are_those_of_the_sets(tmp_path_factory, data, tiny):
    """After additions, replacements and removals in several runs, with repeats, boilerplate, owners and caps."""
    history = data.draw(st.lists(st.lists(st.tuples(names, hashes, labelled), max_size=6), max_size=5))
    documents, labels = {}, {}
    boilerplate = data.draw(st.lists(hashes.map(lambda some: some[:3]), max_size=2))
    with fpdb.open(tmp_path_factory.mktemp("pairs") / "t.fpdb") as db, pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS if tiny else ():
            patch.setattr(*limit)
        for number, held in enumerate(boilerplate):
            db.add_fingerprints(f"boilerplate {number}", held, boilerplate=True)
        for commit in history:
            with db.batch() as batch:
                for name, held, said in commit:
                    batch.add_fingerprints(name, held, labels=said)
                    documents[name], labels[name] = set(held), said
        for name in data.draw(st.lists(st.sampled_from(sorted(documents)), unique=True)) if documents else ():
            db.remove(name)
            del documents[name]
        for options in data.draw(st.lists(st.sampled_from(OPTIONS), min_size=4, max_size=6)):
            agree(db, oracle(documents, map(set, boilerplate), labels, **options), **options)
        assert db.check() == []


@pytest.fixture
def crowd(rng):
    """40 documents of 0 to 60 hashes, common ones more common; names that collide in beginnings, of several folders."""
    pool = rng.integers(0, 2**64 - 1, 400, np.uint64)
    common = rng.zipf(1.3, (40, 60)) % 400
    return {
        f"{'xyz'[number % 3]}/{number % 7}/{number}": [int(hash_) for hash_ in pool[common[number, : rng.integers(61)]]]
        for number in range(40)
    }


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(("budget", "documents"), [(2, 15), (100, 40), (700, 40), (1 << 20, 40)])
def test_any_budget_gives_the_same(db, crowd, monkeypatch, budget, documents):
    crowd = dict(list(crowd.items())[:documents])
    for name, held in crowd.items():
        db.add_fingerprints(name, held, labels={"term": str(len(held) % 3)})
    labels = {name: {"term": str(len(held) % 3)} for name, held in crowd.items()}
    for limit in [*LIMITS, (counting, "BUDGET", budget)]:
        monkeypatch.setattr(*limit)
    for options in OPTIONS:
        agree(db, oracle({name: set(held) for name, held in crowd.items()}, (), labels, **options), **options)


def test_ranges_really_split(db, crowd, monkeypatch):
    """Any two ranges hold no more than the budget, and all pairs of ranges are counted."""
    with db.batch() as batch:
        for name, held in crowd.items():
            batch.add_fingerprints(name, held)
    monkeypatch.setattr(counting, "BUDGET", 200)
    sizes = []
    tile_lists = _counting.TileLists

    def watched(tile, room, *arguments):
        sizes.append(room)
        return tile_lists(tile, room, *arguments)

    monkeypatch.setattr(_counting, "TileLists", watched)
    list(db.pairs())
    assert len(sizes) > 10
    assert max(sizes) <= 400


def test_the_order_of_insertion_does_not_matter(tmp_path, crowd, rng):
    answers = []
    for number in range(3):
        order = [list(crowd)[index] for index in rng.permutation(len(crowd))]
        with fpdb.open(tmp_path / f"{number}.fpdb") as db:
            for chosen in np.array_split(np.array(order), 1 + 2 * number):
                with db.batch() as batch:
                    for name in chosen.tolist():
                        batch.add_fingerprints(name, rng.permutation(np.array(crowd[name], np.uint64)))
            answers.append(
                [
                    [repr(pair) for pair in db.pairs(by=by, top=top)]
                    for by in pair_options.MEASURES
                    for top in (None, 17)
                ]
                + [[repr(cluster) for cluster in db.clusters(min=0.3)]]
            )
            assert db.check() == []
    assert answers[0] == answers[1] == answers[2]


def test_a_copy_scores_one_by_every_measure(db, rng):
    block = rng.integers(0, 2**64 - 1, 50, np.uint64)
    with db.batch() as batch:
        batch.add_fingerprints("once", block)
        batch.add_fingerprints("ten times", np.tile(block, 10), np.arange(500))
        batch.add_fingerprints("other", rng.integers(0, 2**64 - 1, 50, np.uint64))
    (pair,) = db.pairs(by="weighted_resemblance")
    assert list(as_dict(pair).values()) == ["once", "ten times", 50, 1, 1, 1, 1, 1, 1]


def test_what_all_documents_hold_weighs_nothing(db):
    db.add_fingerprints("a", [1, 2])
    db.add_fingerprints("b", [1, 2])
    (pair,) = db.pairs(by="weighted_containment")
    assert (pair.containment_a, pair.weighted_containment_a, pair.weighted_resemblance) == (1, 0, 0)


def test_one_template_hides_no_class(db, rng):
    """By default, thirty students who share a template are all compared, copies among them first."""
    template = rng.integers(0, 2**64 - 1, 100, np.uint64)
    own = rng.integers(0, 2**64 - 1, (30, 50), np.uint64)
    own[7] = own[3]
    with db.batch() as batch:
        for number in range(30):
            batch.add_fingerprints(f"{number:02}", np.r_[template, own[number]])
    found = list(db.pairs())
    assert len(found) == 30 * 29 / 2
    assert (found[0].a, found[0].b, found[0].containment_a) == ("03", "07", 1)


def test_a_large_collection_has_common_hashes(db, monkeypatch):
    monkeypatch.setattr(pair_options, "SMALL", 5)
    monkeypatch.setattr(pair_options, "COMMON", 3)
    for number in range(5):
        db.add_fingerprints(f"{number}", [1, 10 + number // 2])
    assert len(list(db.pairs())) == 10
    db.add_fingerprints("5", [1])
    assert [(pair.a, pair.b, pair.containment_a) for pair in db.pairs()] == [("0", "1", 1), ("2", "3", 1)]
    assert len(list(db.pairs(max_df=0))) == 15


def test_since(db):
    db.add_fingerprints("a", [1])
    db.add_fingerprints("b", [1])
    assert len(list(db.pairs(since=datetime.now(UTC) - timedelta(hours=1)))) == 1
    assert list(db.pairs(since=datetime.now(UTC) + timedelta(hours=1))) == []


def test_samples_are_compared_within_what_both_are_samples_of(path, rng):
    """A long document, of which a smaller share is stored, against a copy of half of it."""
    words = ["".join(chr(97 + letter) for letter in rng.integers(0, 26, 7)) for _ in range(40_000)]
    with fpdb.open(path, recipe=fpdb.Recipe.preset("sample")) as db:
        db.add("whole", " ".join(words))
        db.add("half", " ".join(words[:20_000]))
        (pair,) = db.pairs()
        assert db.check() == []
    assert pair.containment_a == pytest.approx(1, abs=0.25)
    assert pair.containment_b == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("tiny", [False, True])
def test_clusters_are_the_connected_groups(db, crowd, monkeypatch, tiny):
    for limit in LIMITS if tiny else ():
        monkeypatch.setattr(*limit)
    with db.batch() as batch:
        for name, held in crowd.items():
            batch.add_fingerprints(name, held)
    sets = {name: set(held) for name, held in crowd.items()}
    for options in ({"min": 0.6}, {"by": "resemblance"}, {"by": "shared", "min": 12}, {"min": 0.7, "top": 2}):
        by = options.get("by", "containment")
        links = [pair for pair in oracle(sets) if score(pair, by) >= options.get("min", 0.5)]
        groups = {name: {name} for name in sets}
        for pair in links:
            merged = groups[pair["a"]] | groups[pair["b"]]
            groups.update(dict.fromkeys(merged, merged))
        distinct = {min(group, key=name_bytes): group for group in groups.values() if len(group) > 1}
        expected = [
            (name, tuple(sorted(group, key=name_bytes)), sum(pair["a"] in group for pair in links))
            for name, group in sorted(distinct.items(), key=lambda item: (-len(item[1]), name_bytes(item[0])))
        ]
        found = [(cluster.name, cluster.members, cluster.pairs) for cluster in db.clusters(**options)]
        assert found == expected[: options.get("top")]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
@settings(max_examples=100, deadline=None)
def test_join_finds_the_least_of_each_group(links):
    roots = np.arange(31, dtype=np.uint32)
    groups = [{number} for number in range(31)]
    for start in range(0, len(links), 7):
        a, b = np.array(links[start : start + 7], np.uint32).T
        union_find.connect(roots, a, b)
    for a, b in links:
        merged = groups[a] | groups[b]
        for number in merged:
            groups[number] = merged
    assert roots.tolist() == [min(group) for group in groups]


def test_ids_long_gone_take_no_space():
    """The table of ranks has pages only where documents are."""
    documents = np.array([5, 4_096 * 9 + 1, 4_096 * 9 + 3], np.uint32)
    made = corpus.RankTable.build(documents, np.arange(3, dtype=np.uint32))
    assert len(made.table) == 3 * _counting.PAGE
    asked = np.array([0, 5, 6, 4_095, 4_096 * 9, 4_096 * 9 + 1, 4_096 * 9 + 3, 4_096 * 10, 2**32 - 1], np.uint32)
    ranks = made.look_up(asked)
    gone = corpus.NONE
    assert ranks.tolist() == [gone, 0, gone, gone, gone, 1, 2, gone, gone]


@pytest.mark.parametrize(
    "options",
    [
        {"by": "reverse_containment"},
        {"min": 1.1},
        {"min": float("nan")},
        {"min_shared": 0},
        {"min_shared": None},
        {"top": 0},
        {"max_df": -1},
        {"owners": "path:0"},
        {"owners": "folder"},
        {"owners": "label:"},
    ],
)
def test_options_that_make_no_sense(db, options):
    with pytest.raises(BadQuery):
        db.pairs(**options)


def test_an_empty_database_has_no_pairs(db):
    assert list(db.pairs()) == list(db.clusters()) == list(db.pairs(by_owner=True)) == []
    db.add_fingerprints("a", [1], boilerplate=True)
    db.add_fingerprints("b", [])
    assert list(db.pairs(by="weighted_containment", min=0)) == []
    assert list(db.pairs(by="shared", min=math.inf)) == []
