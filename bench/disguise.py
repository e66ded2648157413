"""Tell what disguises leave of a text's containment, and compare choices of symbols of programs.

With --texts, only a table of disguises of texts is printed, by preset and version of the readers. Otherwise choices of
symbols are compared by how well they tell disguised programs from unrelated ones, on a development set.

The set is made of the Python installation. Programs: functions of the standard library with 60 to 200 tokens, one of
each module. Copies of each program are disguised by rules that a student would follow, at six levels; each level
applies the rules of the levels before it, too:

    1  comments, layout, names                              2  comparisons turned round, x += y written out
    3  results and conditions in variables of their own     4  if and else exchanged
    5  for written as while                                 6  statements put in that do nothing

A rule is applied at about two of three places. Unrelated programs: functions of other modules, 20 for each program.
For each choice of symbols, k is the smallest value with which unrelated programs share less than one k-gram in a
hundred (the rule that gave the preset's k, from whole modules), and w is half of k; the first row has the preset's k
and w. AUC: the probability that a copy scores higher than an unrelated program, ties count half. The score is the
containment of the smaller program in the larger, and the AUC is the mean over hash keys.

    python -m bench.disguise [--texts]
"""

import argparse
import ast
import copy
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.evaluation import auc
from bench.text_disguises import rows
from bench.workloads.programs import installed_modules
from fpdb.fingerprint import KINDS, Recipe
from fpdb.fingerprint.hashing import KGrams, derive
from fpdb.fingerprint.winnowing import robust_winnow
from fpdb.readers.tokens import TokenClass, token_symbol

Values = NDArray[np.uint32]

FEWEST, MOST = 60, 200
PROGRAMS = 250
OTHERS = 20
LEVELS = range(1, 7)
SHARED = 0.01
CHANCE = 2 / 3

IDENTIFIER = token_symbol(TokenClass.IDENTIFIER.value)
LITERALS = [token_symbol(one.value) for one in TokenClass if one is not TokenClass.IDENTIFIER]
SEPARATORS = [token_symbol(one) for one in "()[]{},;:"]
DOT = token_symbol(".")


def all_alike(values: Values) -> Values:
    """Replace every literal by one symbol."""
    return np.where(np.isin(values, LITERALS), np.uint32(LITERALS[0]), values).astype(np.uint32)


def without_separators(values: Values) -> Values:
    """Drop brackets, commas, semicolons and colons."""
    return values[~np.isin(values, SEPARATORS)]


def members_joined(values: Values) -> Values:
    """Replace a.b.c by one identifier."""
    dotted = np.zeros(len(values), np.bool_)
    if len(values) > 2:
        inner = (values[1:-1] == DOT) & (values[:-2] == IDENTIFIER) & (values[2:] == IDENTIFIER)
        dotted[1:-1] |= inner
        dotted[2:] |= inner
    return values[~dotted]


def only_words(values: Values) -> Values:
    """Drop separators, join member accesses, and merge neighbouring identifiers and literals into one symbol."""
    words = all_alike(members_joined(without_separators(values)))
    operand = np.isin(words, [IDENTIFIER, LITERALS[0]])
    words = np.where(operand, np.uint32(IDENTIFIER), words).astype(np.uint32)
    return words[~(operand & np.concatenate([[False], operand[:-1]]))] if len(words) else words


SYMBOLS: Mapping[str, Callable[[Values], Values]] = {
    "all tokens": lambda values: values,
    "literals alike": all_alike,
    "members joined": members_joined,
    "no separators": without_separators,
    "no separators, members joined": lambda values: members_joined(without_separators(values)),
    "operands merged": only_words,
}


class DevelopmentSet(NamedTuple):
    """Tokens of each program, copies by program and level, and `others`: pairs of unrelated programs."""

    programs: list[Values]
    copies: list[list[Values]]
    others: list[tuple[int, int]]


def make(seed: int = 1) -> DevelopmentSet:
    """Return the development set; it is the same every time for one installation."""
    rng = random.Random(seed)
    functions = list(_functions())
    rng.shuffle(functions)
    functions = functions[:PROGRAMS]
    programs = [tokens(source) for source, _ in functions]
    copies = [[tokens(disguise(node, level, rng)) for level in LEVELS] for _, node in functions]
    numbers = range(len(functions))
    others = [(one, two) for one in numbers for two in rng.sample(numbers, min(OTHERS, len(numbers))) if one != two]
    return DevelopmentSet(programs, copies, others)


def tokens(source: str) -> Values:
    """Return the symbols of a program in Python."""
    return np.asarray(KINDS["code"].read(source, "tokens", "a.py").values, np.uint32)


def _functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the first function of fitting length of each module, with its source."""
    for path in installed_modules():
        try:
            text = path.read_text("utf-8")
            body = ast.parse(text).body
        except (SyntaxError, ValueError):
            continue
        for node in body:
            if isinstance(node, ast.FunctionDef) and len(node.body) > 2:
                source = ast.get_source_segment(text, node) or ""
                if FEWEST <= len(tokens(source)) <= MOST:
                    yield source, node
                    break


def disguise(function: ast.FunctionDef, level: int, rng: random.Random) -> str:
    """Return the function's source, disguised by all rules up to a level."""
    return ast.unparse(ast.fix_missing_locations(_Disguise(level, rng).visit(copy.deepcopy(function))))


TURNED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


class _Disguise(ast.NodeTransformer):
    """Rewrite a syntax tree. Layout, comments and names need no rule: source is regenerated, names are no symbols."""

    def __init__(self, level: int, rng: random.Random) -> None:
        self.level = level
        self.rng = rng

    def follows(self, level: int) -> bool:
        return self.level >= level and self.rng.random() < CHANCE

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in TURNED and self.follows(2):
            return ast.Compare(node.comparators[0], [TURNED[type(node.ops[0])]()], [node.left])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and self.follows(2):
            return ast.Assign([node.target], ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value))
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.value is not None and not isinstance(node.value, ast.Name | ast.Constant) and self.follows(3):
            return [
                ast.Assign([ast.Name("result", ast.Store())], node.value),
                ast.Return(ast.Name("result", ast.Load())),
            ]
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if node.orelse and not isinstance(node.orelse[0], ast.If) and self.follows(4):
            node.test, node.body, node.orelse = ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body
        if not isinstance(node.test, ast.Name) and self.follows(3):
            named = ast.Assign([ast.Name("chosen", ast.Store())], node.test)
            node.test = ast.Name("chosen", ast.Load())
            return [named, node]
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not node.orelse and self.follows(5):
            rest, stop = ast.Name("rest", ast.Load()), ast.Name("StopIteration", ast.Load())
            start = ast.Assign([ast.Name("rest", ast.Store())], ast.Call(ast.Name("iter", ast.Load()), [node.iter], []))
            taken = ast.Try(
                [ast.Assign([node.target], ast.Call(ast.Name("next", ast.Load()), [rest], []))],
                [ast.ExceptHandler(stop, None, [ast.Break()])],
                [],
                [],
            )
            return [start, ast.While(ast.Constant(True), [taken, *node.body], [])]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if isinstance(statements, list) and statements:
                setattr(node, name, [one for each in statements for one in self._padded(each)])
        return node

    def _padded(self, statement: ast.stmt) -> list[ast.stmt]:
        idle = ("unused = 0", "print('here', unused)", "if debug:\n    print(unused)", "unused = [unused]")
        if self.level >= 6 and self.rng.random() < CHANCE / 3:
            return [ast.parse(self.rng.choice(idle)).body[0], statement]
        return [statement]


def kgrams(values: Values, k: int) -> set[bytes]:
    """Return all distinct k-grams."""
    return {values[start : start + k].tobytes() for start in range(len(values) - k + 1)}


def least_k(programs: list[Values], others: list[tuple[int, int]]) -> int:
    """Return the smallest even k at which unrelated programs share less than `SHARED` of their k-grams on average."""
    for k in range(6, 40, 2):
        grams = [kgrams(values, k) for values in programs]
        shares = [len(grams[one] & grams[two]) / len(grams[one]) for one, two in others if grams[one]]
        if statistics.mean(shares) < SHARED:
            return k
    raise AssertionError("no k tells them apart")


def select(values: Values, k: int, w: int, key: int) -> frozenset[int]:
    """Return the hashes that winnowing selects."""
    hashing = derive(key, "tokens")
    return frozenset(robust_winnow(KGrams(np.ascontiguousarray(values), k, hashing), w=w).hashes.tolist())


def contained(first: frozenset[int], second: frozenset[int]) -> float:
    """Return the share of the smaller set that is in the larger; 0 if the smaller is empty."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


class Result(NamedTuple):
    """k, and the AUC over all levels and at each level."""

    k: int
    auc: float
    levels: list[float]


def measure(made: DevelopmentSet, choose: Callable[[Values], Values], keys: int, k: int | None = None) -> Result:
    """Measure how well one choice of symbols does.

    Args:
        made: the development set.
        choose: maps the tokens of a program to the chosen symbols.
        keys: number of hash keys.
        k: None for the smallest k that tells unrelated programs apart.
    """
    programs = [choose(values) for values in made.programs]
    copies = [[choose(values) for values in levels] for levels in made.copies]
    k = k or least_k(programs, made.others)
    rounds = []
    for key in range(1, keys + 1):
        first = [select(values, k, k // 2, key) for values in programs]
        others = [contained(first[one], first[two]) for one, two in made.others]
        scores = [
            [
                contained(one, select(levels[level - 1], k, k // 2, key))
                for one, levels in zip(first, copies, strict=True)
            ]
            for level in LEVELS
        ]
        rounds.append([auc([one for level in scores for one in level], others), *(auc(one, others) for one in scores)])
    means = [statistics.mean(column) for column in zip(*rounds, strict=True)]
    return Result(k, means[0], means[1:])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=5, help="over how many hash keys a mean is taken")
    parser.add_argument("--texts", action="store_true", help="print the table of disguised texts instead")
    options = parser.parse_args()
    if options.texts:
        for row in rows():
            print(row, flush=True)
        return
    development_set = make()
    programs, others = development_set.programs, development_set.others
    print(f"{len(programs)} programs, {len(others)} unrelated pairs; {options.keys} hash keys")
    print(f"{'symbols':32}{'k':>4}{'w':>4}{'AUC':>8}" + "".join(f"{f'L{level}':>7}" for level in LEVELS))
    preset = Recipe.preset("code").rules["tokens"]
    assert preset.parameters["w"] == preset.k // 2
    choices = [("all tokens (the preset)", SYMBOLS["all tokens"], preset.k)]
    for name, choose, fixed in [*choices, *((name, choose, None) for name, choose in SYMBOLS.items())]:
        result = measure(development_set, choose, options.keys, fixed)
        levels = "".join(f"{value:7.3f}" for value in result.levels)
        print(f"{name:32}{result.k:4}{result.k // 2:4}{result.auc:8.4f}{levels}", flush=True)


if __name__ == "__main__":
    main()
