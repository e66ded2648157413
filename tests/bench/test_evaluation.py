"""`bench.evaluation` judges programs, and `bench.solutions` takes programs, as they say."""

import io
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import solutions
from bench.disguise import LEVELS
from bench.evaluation import INDEPENDENT, LabelledPair, auc, score, table
from fpdb import Recipe

SORT = """
@decorated
def bubble_sort(items):
    '''Sorts them.'''
    for i in range(len(items)):
        for j in range(len(items) - i - 1):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
    return items
"""
OTHER = """
class Sorter:
    def bubbleSort(self, values, reverse=False):
        swapped = True
        while swapped:
            swapped = False
            for at, (one, two) in enumerate(zip(values, values[1:])):
                if (one < two) if reverse else (one > two):
                    values[at : at + 2] = two, one
                    swapped = True
        return values
"""
THIRD = """
def BubbleSort(array, compare):
    end = len(array)
    while end > 1:
        last = 0
        for k in range(1, end):
            if compare(array[k - 1], array[k]) > 0:
                array.insert(k - 1, array.pop(k))
                last = k
        end = last
    print('sorted', array)
"""


@pytest.fixture
def packages(tmp_path):
    """Four packages; the last one has the first one's function, renamed in part, and one that is too short."""
    for name, text in {
        "a-1.0": SORT,
        "b_b-0.1": OTHER,
        "d-2": SORT.replace("items", "things") + "\ndef gcd(): pass",
    }.items():
        with zipfile.ZipFile(tmp_path / f"{name}-py3-none-any.whl", "w") as archive:
            archive.writestr("module.py", text)
            archive.writestr("old.py", "print 'of Python 2'")
    with tarfile.open(tmp_path / "c-3.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("c-3/c.py")
        member.size = len(THIRD)
        archive.addfile(member, io.BytesIO(THIRD.encode()))
    return tmp_path


def test_solutions_are_independent_functions_of_one_name(packages):
    (task,) = solutions.solutions(packages)
    programs, comparisons = solutions.make(packages)
    assert task == "bubblesort"
    originals = [name for name in programs if name.count("/") == 1]
    assert len(originals) == 3
    assert not any("decorated" in programs[name] or "Sorts them" in programs[name] for name in originals)
    assert sum(one.label == INDEPENDENT for one in comparisons) == 3 * 2
    assert len(programs) == 3 * (1 + len(LEVELS))
    assert solutions.make(packages) == (programs, comparisons)
    for comparison in comparisons:
        assert (comparison.label == INDEPENDENT) == (not comparison.other.startswith(comparison.query))


def test_measures_are_those_of_the_database(packages):
    """A copy that only renames is wholly contained and covered; what has nothing in common scores 0."""
    programs, _ = solutions.make(packages)
    asked = "bubblesort/0.py"
    programs["renamed.py"] = programs[asked].replace("items", "x")
    programs["alien.py"] = "import os\n" + "".join(
        f"with open({n}) as f: os.stat(f).{'abc'[n % 3]} **= ~{n}\n" for n in range(30)
    )
    comparisons = [LabelledPair(asked, "renamed.py", "L1"), LabelledPair(asked, "alien.py", INDEPENDENT)]
    for texts in (True, False):
        found = score(programs, comparisons, Recipe.preset("code"), texts=texts)
        assert all(scores[INDEPENDENT] == [0] for scores in found.values())
        assert found["containment"]["L1"] == found["resemblance"]["L1"] == [1]
        assert (found["coverage"]["L1"] == [1]) == texts
        assert found["similarity"]["L1"] == [1]
        head, *rows = table([found], ["L1"])
        assert len(rows) == len(found)
        assert {row.split()[-4] for row in rows} == {"1.000"}
        assert len(head) == len(rows[0])


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_auc_is_a_share_of_pairs(copies, others):
    wins = sum((copy > other) + (copy == other) / 2 for copy in copies for other in others)
    assert auc(copies, others) == pytest.approx(wins / len(copies) / len(others))
