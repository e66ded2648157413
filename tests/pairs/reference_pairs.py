"""Pairs by definition, from plain sets, and collections to compare."""

import itertools
import math
from collections import Counter, defaultdict

from hypothesis import strategies as st

from fpdb.pairs import access_path, counting, duplicates, ranking
from fpdb.storage import posting_scan, snapshot
from tests.reference_database import name_bytes, rarity, share

LIMITS = [
    (counting, "BUDGET", 40),
    (counting, "ROOM", 1),
    (counting, "ROWS", 2),
    (duplicates, "ROOM", 1),
    (ranking, "POOL", 3),
    (ranking, "BATCH", 3),
    (access_path, "SCANNED_PER_LOOK_UP", 0),
    (snapshot, "FREQUENT", 2),
    (posting_scan, "LOOKED_UP", 2),
    (posting_scan, "LISTED", 2),
]


def oracle(documents, boilerplate=(), labels=None, **options):
    """documents: name -> set. labels: name -> {key: value}. The pairs, as dicts, by definition."""
    held, fresh, owner = compared(documents, boilerplate, labels, **options)
    df = Counter(hash_ for hashes in held.values() for hash_ in hashes)
    most = options.get("max_df") or math.inf
    whole = held
    held = {name: {hash_ for hash_ in hashes if df[hash_] < most} for name, hashes in held.items()}
    holders = {hash_: {owner(name) for name, hashes in whole.items() if hash_ in hashes} for hash_ in df}
    weight = {hash_: rarity(len(set(map(owner, held))), len(owners)) for hash_, owners in holders.items()}
    found = []
    for a, b in itertools.combinations(sorted(held, key=name_bytes), 2):
        equal = whole[a] == whole[b]  # nothing is left out then
        of_a, of_b = (whole[a], whole[b]) if equal else (held[a], held[b])
        shared = of_a & of_b
        if len(shared) < options.get("min_shared", 1) or owner(a) == owner(b) or not (fresh[a] or fresh[b]):
            continue
        found.append(
            {
                "a": a,
                "b": b,
                "shared": len(shared),
                "containment_a": len(shared) / len(of_a),
                "containment_b": len(shared) / len(of_b),
                "resemblance": len(shared) / len(of_a | of_b),
                **weighted(shared, of_a, of_b, weight),
            }
        )
    return found


def compared(documents, boilerplate=(), labels=None, **options):
    """Return the sets that are compared, of documents or owners; which of them are new; and what tells their owner."""
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
    return held, fresh, owner


def ignored(documents, boilerplate=(), labels=None, **options):
    """Count the hashes that the cap leaves out, and the documents compared that hold some."""
    held, _, _ = compared(documents, boilerplate, labels, **options)
    df = Counter(hash_ for hashes in held.values() for hash_ in hashes)
    common = {hash_ for hash_, count in df.items() if count >= (options.get("max_df") or math.inf)}
    return len(common), sum(not common.isdisjoint(hashes) for hashes in held.values())


def weighted(shared, a, b, weight):
    whole, of_a, of_b, of_both = (sum(weight[each] for each in part) for part in (shared, a, b, a | b))
    return {
        "weighted_containment_a": share(whole, of_a),
        "weighted_containment_b": share(whole, of_b),
        "weighted_resemblance": share(whole, of_both),
        "similarity": (share(whole, of_a) + share(whole, of_b)) / 2,
    }


def owner_of(labels, rule):
    sort, what = rule.split(":")
    if sort == "path":
        return lambda name: (True, "/".join([part for part in name.split("/") if part not in ("", ".")][: int(what)]))
    return lambda name: (what in labels.get(name, {}), labels.get(name, {}).get(what, name))


def score(pair, by):
    if by in ("shared", "similarity") or by.endswith("resemblance"):
        return pair[by]
    if by == "mean_containment":
        return (pair["containment_a"] + pair["containment_b"]) / 2
    return max(pair[f"{by}_a"], pair[f"{by}_b"])


def as_dict(pair):
    return {field: getattr(pair, field) for field in pair.__dataclass_fields__ if getattr(pair, field) is not None}


def agree(db, expected, **options):
    """Equality with the oracle, in the order that is promised; no measure leaves [0, 1]."""
    by, least = options.get("by", "mean_containment"), options.get("min", 0)
    found = [as_dict(pair) for pair in db.pairs(**options)]
    assert {pair.pop("evidence") for pair in found} <= {"content", "fingerprints"}  # hashes of one's own are certain
    expected = [pair for pair in expected if score(pair, by) >= least]
    expected.sort(key=lambda pair: (-score(pair, by), -pair["shared"], name_bytes(pair["a"]), name_bytes(pair["b"])))
    weighs = by == "similarity" or by.startswith("weighted")
    given = (
        [name for name in expected[0] if weighs or not ("weighted" in name or name == "similarity")] if expected else []
    )
    assert found == [{name: pair[name] for name in given} for pair in expected[: options.get("top")]]
    assert all(
        0 <= value <= 1
        for pair in found
        for name, value in pair.items()
        if "_" in name or name in ("resemblance", "similarity")
    )


OPTIONS = [
    {},
    {"by": "resemblance", "min": 0.21},
    {"by": "shared", "min": 3, "top": 4},
    {"min_shared": 2, "max_df": 3},
    {"max_df": 5, "min": 0.4},
    {"top": 2},
    {"max_df": 2, "top": 3},
    {"max_df": 1, "top": 2, "owners": "path:1"},
    {"max_df": 1, "by": "shared", "min": 2},
    {"max_df": 2, "by": "resemblance", "min": 0.9, "new": ("term", "2")},
    {"max_df": 2, "new": ("term", "2"), "owners": "path:1"},
    {"top": 1, "by": "resemblance"},
    {"new": ("term", "2")},
    {"new": ("term", "2"), "min": 0.3, "owners": "path:1"},
    {"owners": "path:1"},
    {"owners": "path:2", "by_owner": True},
    {"by_owner": True, "max_df": 3},
    {"owners": "path:1", "by_owner": True, "new": ("term", "1"), "by": "resemblance"},
    {"by": "similarity"},
    {"by": "similarity", "min": 0.3, "top": 4},
    {"by": "similarity", "max_df": 4, "owners": "path:1", "by_owner": True},
    {"by": "containment", "min": 0.4, "max_df": 5},
    {"by": "weighted_containment"},
    {"by": "weighted_resemblance", "min": 0.123, "max_df": 6},
    {"by": "weighted_containment", "owners": "path:1", "by_owner": True, "top": 3},
    {"by": "weighted_containment", "owners": "path:1"},
    {"by": "weighted_resemblance", "max_df": 4, "min": 0.2, "new": ("term", "2")},
]


names = st.text("ab/.", min_size=1, max_size=5)


hashes = st.lists(st.integers(0, 24) | st.integers(2**64 - 3, 2**64 - 1), max_size=14) | st.sampled_from(
    [[1, 2, 3], [1, 2, 3, 4, 5], [24]]  # of several documents
)


labelled = st.dictionaries(st.sampled_from(["owner", "term"]), st.sampled_from("12"))
