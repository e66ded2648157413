"""Owners of documents: a label, parts of the name, or a student in the names that a learning platform exports."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import BadQuery
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owners import PRESETS, OwnerRule

MOODLE = {
    "class/Ann Lee_123456_assignsubmission_file_/src/Main.java": "Ann Lee_123456",
    "class/Ann Lee_123456_assignsubmission_onlinetext_/onlinetext.html": "Ann Lee_123456",
    "class.zip/Ann Lee_7_assignsubmission_file/main.c": "Ann Lee_7",
    "Group B-Ann Lee_123456_assignsubmission_file_main.c": "Group B-Ann Lee_123456",
    "Participant_99_assignsubmission_file_/main.c": "Participant_99",
    "José Müller_5_assignsubmission_file_/a_6_assignsubmission_file_.c": "José Müller_5",
    "J\udcfcrgen_5_assignsubmission_file_/a.c": "J\udcfcrgen_5",
    "class/Ann Lee/main.c": None,
    "class/Ann Lee_assignsubmission_file_/main.c": None,
}
CANVAS = {
    "leeann_340934_208490284_main.py": "leeann_340934",
    "leeann_LATE_340934_208490285_main-1.py": "leeann_340934",
    "submissions.zip/leeann_340934_208490284_work.zip/src/12_34_x.py": "leeann_340934",
    "leeann_340934_text.html": "leeann_340934",
    "leeann_LATE_340934_link.html": "leeann_340934",
    "lee_ann_340934_208490284_main.py": "lee_ann_340934",
    "anon_a1B2c_208490284_12_13_main.py": "anon_a1B2c",
    "LATE_anon_a1B2c_208490284_main.py": "anon_a1B2c",
    "lee_main_2.py": None,
    "leeann_340934_main.py": None,
}
BLACKBOARD = {
    "Homework 1_alee7_attempt_2024-01-31-12-30-00_Main.java": "alee7",
    "Homework 1_alee7_attempt_2024-01-31-12-30-00.txt": "alee7",
    "in/gradebook_2024S-CS110_Homework_20_alee7_attempt_2024-01-31-12-30-00_a_b.java": "alee7",
    "Homework 1_a.lee@x.edu_attempt_2024-01-31-12-30-00/src/Main.java": "a.lee@x.edu",
    "Homework 1_alee7_attempt_1.java": None,
    "alee7/Main.java": None,
}


def owner(rule: str, name: str, **labels: str) -> str | None:
    record = SimpleNamespace(name=name.encode("utf-8", "surrogateescape"), labels=labels)
    found = OwnerRule.parse(rule).owner(record)
    return None if found is None else found.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("label:owner", "ann"),
        ("label:team", None),
        ("path:1", "a"),
        ("path:2", "a/b"),
        ("path:9", "a/b/c"),
        ("path:-1", "a/b"),
        ("path:-2", "a"),
        ("path:-3", None),
        ("path:-9", None),
        ("pattern:b", "b"),
        ("pattern:(.)/c", "b"),
        ("pattern:x", None),
    ],
)
def test_the_rule_tells_the_owner(rule: str, expected: str | None) -> None:
    assert owner(rule, "./a//b/c", owner="ann") == expected


@given(st.lists(st.text("ab.", min_size=1, max_size=2), min_size=1, max_size=6), st.integers(1, 7))
def test_first_and_last_parts_make_the_name(parts: list[str], number: int) -> None:
    """All but the last N parts of a name of n parts are its first n - N ones."""
    kept = [part for part in parts if part != "."]
    head = owner(f"path:-{number}", "/".join(parts))
    assert head == (owner(f"path:{len(kept) - number}", "/".join(parts)) if number < len(kept) else None)


@pytest.mark.parametrize(
    ("preset", "name", "expected"),
    [
        (preset, name, expected)
        for preset, names in (("moodle", MOODLE), ("canvas", CANVAS), ("blackboard", BLACKBOARD))
        for name, expected in names.items()
    ],
)
def test_presets_tell_students_apart(preset: str, name: str, expected: str | None) -> None:
    assert owner(preset, name) == expected


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("piece", ["_1", "_a", "a_1_", "/_1", "_1_assignsubmission_", "_a_attempt_2024", "LATE_"])
def test_no_name_takes_a_preset_long(preset: str, piece: str) -> None:
    """Names have at most 4,096 bytes, or so; this one has a hundred times as many."""
    owner(preset, piece * 100_000)


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "label",
        "label:",
        "path:",
        "path:0",
        "path:-0",
        "path:--1",
        "path:²",
        "folder:1",
        "pattern:",
        "Moodle",
        "path:1\n",
    ],
)
def test_other_rules_are_refused(rule: str) -> None:
    with pytest.raises(BadQuery, match="path:N, path:-N, label:KEY, pattern:REGEX or moodle, canvas, blackboard"):
        PairOptions(owners=rule)
