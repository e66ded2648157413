"""Clusters are the connected groups of the plain pairs."""

from typing import Any

import pytest

from fpdb.pairs import counting
from tests.pairs.reference_pairs import LIMITS, oracle, score
from tests.reference_database import name_bytes

CLUSTERED: list[dict[str, Any]] = [
    {"min": 0.6},
    {"by": "resemblance"},
    {"by": "shared", "min": 12},
    {"min": 0.7, "top": 2},
    {"max_df": 6},
    {"max_df": 3, "owners": "path:1"},
]

TINY = [*LIMITS, (counting, "BUDGET", 200)]


@pytest.mark.parametrize("tiny", [False, True])
def test_clusters_are_the_connected_groups(db, crowd, monkeypatch, tiny):
    for limit in TINY if tiny else ():
        monkeypatch.setattr(*limit)
    with db.batch() as batch:
        for name, held in crowd.items():
            batch.add_fingerprints(name, held)
        for number in range(12):
            batch.add_fingerprints(f"{'xyz'[number % 3]}/copy {number}", sorted(crowd["x/0/0"]))
    sets = {document.name: set(crowd.get(document.name, crowd["x/0/0"])) for document in db.documents()}
    for options in CLUSTERED:
        by = options.get("by", "containment")
        links = [pair for pair in oracle(sets, **options) if score(pair, by) >= options.get("min", 0.5)]
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
