"""Drop lists are those of the plain definition, and what they promise is so once they are followed."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.errors import BadQuery
from tests.pairs.reference_pairs import LIMITS, hashes, labelled, names, oracle, owner_of, score
from tests.reference_database import name_bytes, rarity, share

KEEP = ["first", "longest", "label:term=2,1", "label:owner=1"]
OPTIONS = [
    {},
    {"by": "resemblance", "min": 0.3},
    {"by": "shared", "min": 2},
    {"min_shared": 2, "min": 0.1},
    {"max_df": 3, "min": 0.2},
    {"by": "weighted_resemblance", "min": 0.1},
    {"by": "weighted_containment", "min": 0.4, "max_df": 4},
    {"max_df": 1},
    {"max_df": 2, "owners": "path:1"},
    {"max_df": 1, "new": ("term", "2"), "owners": "path:1"},
    {"max_df": 2, "min_shared": 3},
    {"max_df": 1, "by": "weighted_containment"},
    {"by": "weighted_containment", "min": 0.2, "owners": "path:1"},
    {"new": ("term", "2"), "min": 0.3},
    {"new": ("term", "2"), "min": 0.3, "owners": "path:1"},
    {"top": 2},
]


def preference(rule, name, lengths, labels):
    if rule == "longest":
        return -lengths[name]
    if rule.startswith("label:"):
        key, values = rule.removeprefix("label:").split("=")
        value = labels[name].get(key)
        return values.split(",").index(value) if value in values.split(",") else len(values.split(","))
    return 0


def plainly(order, held, lengths, labels, keep, direct, **options):
    """Return the rows by definition. order: names as they were added; held: name -> set without boilerplate."""
    new = options.get("new")
    fresh = {name: new is None or labels[name].get(new[0]) == new[1] for name in order}
    by, least = options.get("by", "containment"), options.get("min", 0.5)
    links = [pair for pair in oracle(held, (), labels, **options) if score(pair, by) >= least]
    groups = {name: {name} for name in order}
    for pair in links:
        merged = groups[pair["a"]] | groups[pair["b"]]
        groups.update(dict.fromkeys(merged, merged))
    kept_in = sorted(order, key=lambda name: (fresh[name], preference(keep, name, lengths, labels), order.index(name)))
    kept = {}
    if direct:
        linked = {frozenset((pair["a"], pair["b"])) for pair in links}
        stay = []
        for name in kept_in:
            others = [other for other in stay if frozenset((name, other)) in linked]
            if others:
                kept[name] = others[0]
            else:
                stay.append(name)
    else:
        for name in order:
            first = min(groups[name], key=kept_in.index)
            if first != name and fresh[name]:
                kept[name] = first
    rows = []
    for name in sorted(
        kept, key=lambda name: (-len(groups[name]), name_bytes(min(groups[name], key=name_bytes)), name_bytes(name))
    ):
        shared, measure = compared(
            name, kept[name], held, owner_of(labels, options.get("owners", "label:owner")), **options
        )
        similar = measure >= least and shared >= options.get("min_shared", 1)
        rows.append(
            {
                "name": name,
                "kept": kept[name],
                "cluster": min(groups[name], key=name_bytes),
                "size": len(groups[name]),
                "shared": shared,
                "measure": measure,
                "reason": "similar" if similar else "connected",
            }
        )
    return rows[: options.get("top")]


def compared(name, other, held, owner, by="containment", max_df=0, **_):
    df = Counter(hash_ for one in held.values() for hash_ in one)
    owners = Counter(hash_ for _, hash_ in {(owner(one), hash_) for one in held for hash_ in held[one]})
    cap = math.inf if held[name] == held[other] else max_df or math.inf
    a, b = ({hash_ for hash_ in held[one] if df[hash_] < cap} for one in (name, other))
    shared = len(a & b)
    if by == "shared":
        return shared, shared

    def weight(some):
        count = len(set(map(owner, held)))
        return sum(rarity(count, owners[each]) for each in some) if by.startswith("weighted") else len(some)

    whole = weight(a & b)
    if by.endswith("resemblance"):
        return shared, share(whole, weight(a | b))
    return shared, max(share(whole, weight(a)), share(whole, weight(b)))


@given(st.data(), st.booleans())
@settings(max_examples=20, deadline=None)
def test_rows_are_those_of_the_definition_and_leave_no_pair(tmp_path_factory, data, tiny):
    history = data.draw(
        st.lists(st.lists(st.tuples(names, hashes, labelled), max_size=8, unique_by=lambda one: one[0]), max_size=4)
    )
    discarded = data.draw(hashes.map(lambda some: some[:2]))
    order, lengths, held, labels = [], {}, {}, {}
    with fpdb.open(tmp_path_factory.mktemp("drop") / "t.fpdb") as db, pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS if tiny else ():
            patch.setattr(*limit)
        db.add_fingerprints("boilerplate", discarded, boilerplate=True)
        for commit in history:
            with db.batch() as batch:
                for name, some, said in commit:
                    if batch.add_fingerprints(name, some, labels=said) in ("added", "replaced"):
                        order = [*(one for one in order if one != name), name]
                    lengths[name], held[name] = len(some), set(some) - set(discarded)
                    labels[name] = labels.get(name, {}) | said
        options, keep, direct = data.draw(st.tuples(st.sampled_from(OPTIONS), st.sampled_from(KEEP), st.booleans()))
        found = [drop.to_dict() for drop in db.drop_list(keep=keep, direct=direct, **options)]
        assert {drop.pop("evidence") for drop in found} <= {"content", "fingerprints"}
        assert found == plainly(order, held, lengths, labels, keep, direct, **options)
        if direct:
            assert all(drop["reason"] == "similar" for drop in found)
        clusters = {cluster.name: cluster for cluster in db.clusters(keep=keep, **options)}
        for drop in found if "top" not in options else ():
            assert drop["name"] in clusters[drop["cluster"]].members
            if not direct:
                assert clusters[drop["cluster"]].kept == drop["kept"]
        with db.batch() as batch:
            for drop in found:
                batch.remove(drop["name"])
        if not options.keys() & {"max_df", "top"} and not options.get("by", "").startswith("weighted"):
            assert list(db.pairs(**{"min": 0.5} | options)) == []
        assert db.check() == []


@pytest.mark.parametrize(
    "options",
    [{"keep": "last"}, {"keep": "label:term"}, {"keep": "label:=1"}, {"by_owner": True}, {"min": 2}, {"by": "size"}],
)
def test_options_that_make_no_sense_are_refused(db, options):
    with pytest.raises(BadQuery):
        list(db.drop_list(**options))


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("owners", ["label:owner", "path:1"])
def test_copies_beyond_the_cap_are_dropped(db, direct, owners):
    """Of a thousand copies one stays, or those of its owner if owners are not compared with themselves."""
    with db.batch() as batch:
        for number in range(1000):
            batch.add_fingerprints(f"{number % 3}/{number}", range(1, 41), labels={"term": str(number % 2)})
        batch.add_fingerprints("alone", [99])
    options = {"max_df": 20, "direct": direct, "owners": owners}
    drops = list(db.drop_list(**options))
    kept = {drop.kept for drop in drops}
    stay = 1 if owners == "label:owner" or not direct else 334
    assert (len(drops), kept) == (1000 - stay, {"0/0"})
    assert {drop.reason for drop in drops} == {"similar"}
    assert {(drop.shared, drop.measure, drop.size) for drop in drops} == {(40, 1.0, 1000)}
    assert len(list(db.drop_list(new=("term", "1"), **options))) == 500
    ignored = db.drop_list(**options).ignored
    assert (ignored.hashes, ignored.documents, ignored.max_df) == (40, 1000, 20)
    assert db.check() == []
