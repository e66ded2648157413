"""The development set of `bench.disguise`: copies are programs, and each rule changes what it says."""

import ast
import random

import pytest

from bench import disguise as module

FUNCTION = """def f(a, b):
    # comment
    total = 0
    for x in a:
        if x > b:
            total += x * 2
        else:
            total = [x.y.z, 'c']
    return total == g(a)
"""
MARKS = {1: "for", 2: "b < x", 3: "return result", 4: "not ", 5: "while True", 6: "unused"}


@pytest.fixture
def disguise(monkeypatch):
    monkeypatch.setattr(module, "CHANCE", 1)
    return module


def test_every_level_is_a_program_and_follows_its_rule(disguise):
    node = ast.parse(FUNCTION).body[0]
    assert isinstance(node, ast.FunctionDef)
    before = ""
    for level in disguise.LEVELS:
        made = [disguise.disguise(node, level, random.Random(seed)) for seed in range(9)]
        for source in made:
            compile(source, "made", "exec")
        assert any(MARKS[level] in source for source in made)
        assert MARKS[level] not in before or level == 1
        before = made[0]
    assert ast.unparse(node) == disguise.disguise(node, 1, random.Random(1))
    assert disguise.tokens(FUNCTION).tolist() == disguise.tokens(disguise.disguise(node, 1, random.Random(1))).tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    {
        "all tokens": "a . b ( c , 1 , 's' ) ;",
        "literals alike": "a . b ( c , 's' , 's' ) ;",
        "members joined": "a ( c , 1 , 's' ) ;",
        "no separators": "a . b c 1 's'",
        "no separators, members joined": "a c 1 's'",
        "operands merged": "a",
    }.items(),
)
def test_symbols_are_chosen_as_named(disguise, name, expected):
    values = disguise.tokens("a.b(c, 1, 's');")
    assert disguise.SYMBOLS[name](values).tolist() == disguise.tokens(expected).tolist()
    assert disguise.SYMBOLS[name](values[:0]).tolist() == []
