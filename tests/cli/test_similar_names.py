"""A name that no document has is answered with those that may be meant."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.cli.similar_names import SHOWN, find_similar
from tests.cli.conftest import Run
from tests.cli.prose import prose

NAMES = ["essays/ann.txt", "essays/bob.txt", "last year/bob.txt", "programs/sort/main.py", "z"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ann", ["essays/ann.txt"]),
        ("Essays/ANN.txt", ["essays/ann.txt"]),
        ("bob.txt", ["essays/bob.txt", "last year/bob.txt"]),
        ("/home/teacher/sort/main.py", ["programs/sort/main.py"]),
        ("programs/srot/mian.py", ["programs/sort/main.py"]),
        ("nothing like these", []),
        ("", []),
    ],
)
def test_names_with_the_same_parts_or_nearly_the_same_letters_are_found(name: str, expected: list[str]) -> None:
    assert find_similar(NAMES, name) == expected


@given(st.lists(st.text(max_size=9), max_size=9), st.text(max_size=9))
def test_what_is_suggested_is_there(names: list[str], name: str) -> None:
    found = find_similar(names, name)
    assert len(found) <= SHOWN
    assert set(found) <= set(names)


def test_each_command_that_takes_a_name_suggests_another(run: Run) -> None:
    Path("essays").mkdir()
    Path("essays/ann.txt").write_text(prose(1))
    run("add", "essays")
    for command in (
        ("show", "ann.txt"),
        ("show", "ann.txt", "--fingerprints"),
        ("query", "--stored", "ann.txt"),
        ("explain", "ann.txt", "essays/ann.txt"),
        ("remove", "ann.txt"),
        ("rename", "ann.txt", "bob.txt"),
    ):
        assert "; did you mean 'essays/ann.txt'?" in run(*command, status=1).stderr
