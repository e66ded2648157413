"""Where nothing can be compared, the reason is told, and a rule that tells several owners."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.pairs.advice import find_advice
from fpdb.pairs.owners import OwnerRule


def advice(rule: str, names: list[str], *, by_owner: bool = False) -> str | None:
    parsed, encoded = OwnerRule.parse(rule), [name.encode() for name in names]
    found = find_advice(parsed, encoded, parsed.owners(encoded, [None] * len(names)), by_owner=by_owner)
    return None if found is None else found.text("--owners")


CLASS = [f"moodle/s{number}/{file}" for number in range(30) for file in ("a.c", "b.c")]
NONE, OWN = "None of the 60 documents has", "so each is its own owner"
EXPORTED = ["in/Ann_1_assignsubmission_file_/a.c", "in/Bob_2_assignsubmission_file_/a.c"]


@pytest.mark.parametrize(
    ("rule", "names", "expected"),
    [
        ("path:1", CLASS, "All 60 documents have one owner, 'moodle': try --owners path:2"),
        ("path:2", CLASS, None),
        ("label:owner", CLASS, None),
        ("label:team", CLASS, f"{NONE} the label 'team', {OWN}: try --owners path:2"),
        ("pattern:x", CLASS, f"{NONE} a name that matches 'x', {OWN}: try --owners path:2"),
        ("moodle", CLASS, f"{NONE} a name as Moodle exports it, {OWN}: try --owners path:2"),
        ("path:-3", CLASS, f"{NONE} a name of more than 3 parts, {OWN}: try --owners path:2"),
        ("path:1", EXPORTED, "All 2 documents have one owner, 'in': try --owners path:2 or --owners moodle"),
        ("path:-1", ["b/a", "b/c"], "All 2 documents have one owner, 'b': try --owners path:2"),
        ("pattern:x", ["a", "b"], "None of the 2 documents has a name that matches 'x', so each is its own owner"),
        ("path:1", ["a", "./a"], "All 2 documents have one owner, 'a'"),
        ("path:1", ["a"], "There is only 1 document to compare"),
        ("label:owner", [], "There is no document to compare"),
    ],
)
def test_the_reason_and_a_rule(rule: str, names: list[str], expected: str | None) -> None:
    assert advice(rule, names) == expected


def test_owners_that_nobody_told_are_missed_where_owners_are_compared() -> None:
    assert advice("label:owner", CLASS) is None
    assert advice("label:owner", CLASS, by_owner=True) == (
        "None of the 60 documents has the label 'owner', so each is its own owner: try --owners path:2"
    )


@given(st.lists(st.text("ab/.", min_size=1, max_size=6), min_size=2, max_size=8, unique=True))
def test_the_path_is_the_shortest_that_tells_two_owners(names: list[str]) -> None:
    names = [f"x/{name}" for name in names]
    split = [[part for part in name.split("/") if part not in ("", ".")] for name in names]
    depth = next((depth for depth in range(1, 8) if len({tuple(parts[:depth]) for parts in split}) > 1), None)
    said = advice("pattern:x", names)
    assert said is not None
    assert said.partition(": try ")[2] == (f"--owners path:{depth}" if depth else "")


@pytest.mark.parametrize("measure", ["pairs", "clusters", "drop_list"])
def test_results_tell(tmp_path, measure: str) -> None:
    with fpdb.open(tmp_path / "t.fpdb") as db:
        for name in ("in/ann/x", "in/bob/x"):
            db.add_fingerprints(name, [1, 2, 3])
        told = getattr(db, measure)(owners="path:1").advice
        assert told == ("All 2 documents have one owner, 'in'", ("path:2",), False)
        assert getattr(db, measure)(owners="path:2").advice is None
        assert db.check() == []
