"""The table of disguises is the one of the guide, and programs stay programs."""

import ast
import random
import re
from pathlib import Path

import pytest

from bench import text_disguises
from bench.text_disguises import DISGUISES, disguise_program, rows

PROGRAM = "def total(values):\n    # adds all of them up\n    return sum(value * 2 for value in values)  # once\n"
GUIDE = Path(__file__).parents[2] / "docs/guide/disguises.md"
TOLERANCE = 5
"""Percents by which the texts of other versions of Python may differ."""


def cells(row):
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_the_guide_has_the_table_that_the_command_prints():
    """The command's first and last rows, and the names of all."""
    printed = [
        row for row in GUIDE.read_text("utf-8").split("bench.disguise --texts")[1].splitlines() if row[:1] == "|"
    ]
    heading, line, *body = printed
    assert [cells(row)[0] for row in body] == list(DISGUISES)
    some = ["none", "Cyrillic а for a", "Greek capital Ν for N", "one word in twelve changed"]
    made = list(rows(some))
    assert made[:2] == [heading, line]
    for row in made[2:]:
        name, *shares = cells(row)
        expected = next(cells(other)[1:] for other in body if cells(other)[0] == name)
        for share, other in zip(shares, expected, strict=True):
            assert abs(int(share.rstrip("%")) - int(other.rstrip("%"))) <= TOLERANCE


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_program_is_one(name):
    disguised = disguise_program(DISGUISES[name], PROGRAM, random.Random(1))
    assert [type(node) for node in ast.walk(ast.parse(disguised))] == [
        type(node) for node in ast.walk(ast.parse(PROGRAM))
    ]
    assert disguised.count("\n") == PROGRAM.count("\n")
    assert re.findall(r"\b(?:def|return|for|in)\b", disguised) == ["def", "return", "for", "in"]
    assert (disguised == PROGRAM) == (name in ("none",) or DISGUISES[name](PROGRAM, random.Random(1)) == PROGRAM)


def test_the_texts_are_as_many_as_said():
    for texts in (text_disguises.read_texts(), text_disguises.read_programs()):
        assert 20 < len(texts) <= text_disguises.TEXTS
        assert min(map(len, texts)) >= text_disguises.SHORTEST
