"""Source code: symbols do not depend on names, values, comments and layout; offsets lead to the tokens exactly."""

import keyword
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint import KINDS, Recipe
from fpdb.readers import grammars, sandbox_worker
from fpdb.readers.code import DECLARING, find_language
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.tokens import MODIFIERS, TYPES, TokenClass, token_symbol
from tests.readers.listings import LISTINGS, MORE

ALL = {**LISTINGS, **MORE}
IDENTIFIER, STRING, CHARACTER, NUMBER = (token_symbol(token.value) for token in TokenClass)


def read(content, name, version=READER_VERSION):
    return KINDS["code"].read(content, "tokens", name, version)


def slices(symbols):
    return [symbols.text[start:end] for start, end in zip(symbols.offsets, symbols.ends, strict=True)]


def variants(text):
    """Yield the same program in other layouts: tabs, form feeds, three line ends, astral characters in comments."""
    yield text.replace("\n", "\r\n")
    yield text.replace("    ", "\t")
    yield text.rstrip("\n")
    yield text.replace("comment", "Größe 𝔘 中文 comment")
    yield "\n\n" + text.replace("\n\n", "\n\f\n\n")


@pytest.mark.parametrize("name", LISTINGS)
def test_tokens_are_these(name):
    text, expected = LISTINGS[name]
    symbols = read(text, name, 1)
    assert slices(symbols) == expected
    assert symbols.note == f"{find_language(text, name)}; string"


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("a.java", "public static final int X = 0; void f(final String s) { g(s); }", "X = 0; f(s) { g(s); }"),
        ("a.c", "static unsigned long x = 0; const int f(char c) { return c; }", "x = 0; f(c) { return c; }"),
        ("a.cpp", "virtual const std::string& f(auto x);", "std::x& f(y);"),
        ("a.js", "const f = (a) => { let b = a; }", "f = (a) => { b = a; }"),
        ("a.rs", "pub const fn f(mut x: u8) { let mut y: i32 = x; }", "fn f(x: T) { y: T = x; }"),
        ("a.kt", "private val x = 1\nfun f() { var y = x }", "x = 1\nfun f() { y = x }"),
    ],
)
def test_declarations_do_not_count(name, one, other):
    assert read(one, name).values.tolist() == read(other, name).values.tolist()
    assert read(one, name, 1).values.tolist() != read(other, name, 1).values.tolist()


@pytest.mark.parametrize("name", ALL)
def test_the_symbols_of_version_2_are_those_of_the_plain_rule(name):
    text, _ = ALL[name]
    first = read(text, name, 1)
    tokens = list(zip(first.values.tolist(), first.offsets.tolist(), first.ends.tolist(), strict=True))
    if find_language(text, name) in DECLARING:
        kept = [token for token in tokens if token[0] not in map(token_symbol, MODIFIERS.split())]
        types = {token_symbol(word) for word in TYPES.split()}
        named = [(IDENTIFIER if value in types else value, start, end) for value, start, end in kept]
        tokens = []
        for value, start, end in named:
            if tokens and value == IDENTIFIER == tokens[-1][0]:
                tokens[-1] = value, tokens[-1][1], end
            else:
                tokens.append((value, start, end))
    symbols = read(text, name)
    assert list(zip(symbols.values.tolist(), symbols.offsets.tolist(), symbols.ends.tolist(), strict=True)) == tokens


@pytest.mark.parametrize("name", ALL)
def test_a_slice_of_the_source_is_the_token(name):
    text, _ = ALL[name]
    first = read(text, name)
    assert np.array_equal(first.values, read(text.encode(), name).values)
    for variant in variants(text):
        symbols = read(variant, name)
        assert symbols.values.tolist() == first.values.tolist()
        assert np.all(symbols.offsets[1:] >= symbols.ends[:-1])
        for token, value in zip(slices(symbols), symbols.values.tolist(), strict=True):
            assert token == token.strip()
            if value not in (IDENTIFIER, STRING, CHARACTER, NUMBER):
                assert value in (token_symbol(token), token_symbol(token.lower()))


@pytest.mark.parametrize("name", ALL)
def test_names_comments_and_values_do_not_count(name):
    text, _ = ALL[name]
    symbols = read(text, name)
    changed, end = [], 0
    for start, stop, value in zip(symbols.offsets, symbols.ends, symbols.values.tolist(), strict=True):
        token = text[start:stop]
        changed.append(text[end:start])
        changed.append(re.sub(r"\w+", lambda m: m[0] + "_Q", token) if is_name(token, value) else token)
        end = stop
    other = "".join([*changed, text[end:]])
    assert other != text
    other = re.sub(r"comment", "remark, 'quoted", other) if "'" not in other else other.replace("comment", "remark")
    assert read(other, name).values.tolist() == symbols.values.tolist()


def is_name(token, value):
    """Return True for a plain identifier: without punctuation, and without a special meaning in any language."""
    return value == IDENTIFIER and re.fullmatch(r"\$?[A-Za-z]\w*", token) and not keyword.iskeyword(token)


@given(st.lists(st.sampled_from([" ", "\n", "\t", "/* comment */", "// comment\n", "\f", "\r\n", "/* 𝔘é */"])))
def test_layout_between_tokens_does_not_count(between):
    text, expected = LISTINGS["A.java"]
    spaced = "".join(token + "".join(["\n", *between]) for token in expected)
    symbols = read(spaced, "A.java", 1)
    assert slices(symbols) == expected
    assert symbols.values.tolist() == read(text, "A.java", 1).values.tolist()


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("x.py", "", "python"),
        ("x.pl", "use strict;\nmy $x = 1;\n", "perl"),
        ("x.m", "#import <Foundation/Foundation.h>\n@interface A : NSObject\n@end\n", "objective-c"),
        ("Makefile", "all:\n\tcc x.c\n", "make"),
        (None, "#!/usr/bin/env python3\nx = 1\n", "python"),
    ],
)
def test_languages_are_told(name, text, language):
    assert find_language(text, name) == language
    if text.isascii():
        assert find_language(text.encode(), name) == language


GUESSED = {name: find_language("", name) for name in ALL if find_language("x", name) in grammars.GUESSED}


@pytest.mark.parametrize("name", GUESSED)
def test_languages_are_told_by_what_is_no_error_in_them(name):
    for other in (None, "main.txt", "main"):
        assert find_language(ALL[name][0], other) == GUESSED[name]


def test_what_is_no_language_is_said():
    with pytest.raises(Unreadable, match="the programming language cannot be told"):
        read("It was the best of times, it was the worst of times.", None)


def test_declared_encodings():
    text = "# -*- coding: koi8-r -*-\nx = 'Жизнь'  # Жизнь\n"
    symbols = read(text.encode("koi8-r"), "a.py")
    assert (symbols.text, symbols.note) == (text, "python; koi8-r (declared)")
    assert slices(symbols) == ["x", "=", "'Жизнь'"]


HOSTILE = {
    "parentheses": "(" * 10_000 + "1" + ")" * 10_000,
    "left open": "[" * 100_000,
    "braces": "{" * 10_000 + "}" * 10_000,
    "quotes": '"' * 5_001,
    "zeros": "\0" * 10_000,
    "every byte": bytes(range(256)) * 20,
    "prose": "the quick brown fox jumps over it. " * 500,
    "surrogate": "x = '\udce9'; y = \ud800",
}


@pytest.mark.parametrize(
    "name", ["a.java", "a.py", "a.c", "a.cpp", "a.js", "a.cs", "a.rs", "a.go", "a.rb", "a.php", "a.kt"]
)
@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_no_program_is_read_all_the_same(name, case):
    symbols = read(HOSTILE[case], name)
    assert len(symbols.offsets) == len(symbols.ends) == len(symbols)
    assert np.all(symbols.offsets < symbols.ends)
    assert not len(symbols) or symbols.ends[-1] <= len(symbols.text)


@pytest.mark.parametrize("name", ALL)
def test_a_program_that_breaks_off_has_no_symbol_beyond_its_end(name):
    """Strings that stay open among them, of which some lexers say that the last line feed is a part."""
    text, _ = ALL[name]
    for cut in range(1, len(text), max(len(text) // 12, 1)):
        for end in ("", '"', '"$', "'", "`", '"""', "\r\n"):
            symbols = read(text[:cut] + end, name)
            assert np.all(symbols.offsets < symbols.ends)
            assert not len(symbols) or symbols.ends[-1] <= len(symbols.text)


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    grammars.load_grammar.cache_clear()
    sandbox_worker.find_parser.cache_clear()
    with pytest.raises(MissingPackage, match=r"tree-sitter-go are needed.*pip install 'fpdb\[code\]'"):
        read("package main", "a.go")
    monkeypatch.setitem(sys.modules, "pygments", None)
    with pytest.raises(MissingPackage, match=r"Pygments is needed.*pip install 'fpdb\[code\]'"):
        read("fun main() {}", "a.kt.unknown")


def test_functions_are_found_after_disguise():
    """Renamed, commented, laid out anew and in another order: whole functions longer than a passage stay."""
    functions = [
        f"def name{i}(first, second):\n    total = {i}\n"
        + "".join(LINES[(i * 7 + j * j) % len(LINES)] for j in range(12))
        for i in range(12)
    ]
    disguised = [
        re.sub(r"\b(name|first|second|total)", r"other_\1", function).replace("\n    ", "  # why\n        ")
        for function in functions[::-1]
    ]
    recipe = Recipe.preset("code")
    one = set(recipe.fingerprint("\n".join(functions), "code", name="a.py").hashes.tolist())
    two = set(recipe.fingerprint("\n\n\n".join(disguised), "code", name="b.py").hashes.tolist())
    assert len(one) > 100
    assert len(one & two) / len(one) >= 0.9
    assert len(one & two) / len(two) >= 0.9


LINES = [
    "    total += first * second\n",
    "    if first > total: second = [total, first]\n",
    "    for first in range(10): total -= first\n",
    "    while total: total, first = first, total\n",
    "    assert not first or second in (total, 1)\n",
    "    second = {first: total for total in first}\n",
    "    try: del first[total]\n    except KeyError: pass\n",
    "    total = lambda first: first(second, 'x')\n",
    "    with first as second: total.x = second.y\n",
    "    return first ** total if second is None else 0x1f\n",
]
