"""`bench.passages` plants what it says, and regions are found by the defaults."""

import random
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bench import passages
from bench.passages import DISGUISES, align, judge, make, read_documents
from fpdb import Recipe


@pytest.fixture(scope="module")
def documents():
    return read_documents([])


def test_passages_are_planted_as_said(documents):
    pairs = make(documents, 40, 1)
    assert pairs == make(documents, 40, 1)
    assert all(not pair.passages for pair in pairs[:: passages.WITHOUT])
    names = set()
    for number, (query, document, planted) in enumerate(pairs):
        for name, (pair, a, a_end, b, b_end) in planted:
            names.add(name)
            copy, original = query[a:a_end].split(), document[b:b_end].split()
            assert pair == number
            if name != "changed":
                assert (copy if name == "verbatim" else sorted(copy)) == (
                    original if name == "verbatim" else sorted(original)
                )
            assert passages.WORDS[0] <= len(copy) == len(original) <= passages.WORDS[1]
        sides = [sorted((each[place], each[place + 1]) for _, each in planted) for place in (1, 3)]
        assert all(one[1] <= other[0] for side in sides for one, other in pairwise(side))
    assert names == set(DISGUISES)


def test_docstrings_are_read_once(tmp_path, monkeypatch):
    monkeypatch.setattr(passages, "SHORTEST", 8)
    monkeypatch.setattr(passages.topics, "topics", {"A": "A topic.\n\nSeen."})
    sources = ('"""The module."""\ndef f():\n    """Seen."""\n', 'class C:\n    """Another."""\n', "(", '"""Short."""')
    for number, source in enumerate(sources):
        Path(tmp_path, f"{number}.py").write_text(source)
    modules = sorted(tmp_path.iterdir())
    assert read_documents(modules) == ["A topic.\n\nSeen.", "The module.", "Another."]


def test_disguises_change_what_they_say():
    words = [f"{number}{'.' if number % 5 == 4 else ''} " for number in range(100)]
    rng = random.Random(1)
    changed = DISGUISES["changed"](words, ["other "], rng)
    assert 3 <= sum(one != other for one, other in zip(words, changed, strict=True)) <= 20
    reordered = "".join(DISGUISES["reordered"](words, [], rng))
    assert all("".join(words[start : start + 5]) in reordered for start in range(0, 100, 5))


def test_the_defaults_find_passages_better_than_tiles(documents):
    """A quick look that defaults stay good; `python -m bench.passages` measures them."""
    pairs = make(documents, 12, 2)
    by_default, tiles = (
        judge(pairs, align(pairs, Recipe.preset("text").with_(key=2), *options))["all"].plagdet
        for options in ((None, None), (0, 1))
    )
    assert by_default > 0.85 > 0.5 > tiles


def test_the_table(documents, monkeypatch, capsys):
    monkeypatch.setattr(passages, "read_documents", lambda _: documents)
    monkeypatch.setattr(sys, "argv", ["passages", "--sets", "2", "--pairs", "6"])
    passages.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{len(documents)} documents; 2 sets of 6 pairs")
    assert [line.split(" | ")[0] for line in lines[4:]] == ["| all", *(f"| {name}" for name in DISGUISES)]
