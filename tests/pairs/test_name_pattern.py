"""Patterns find owners as Python's expressions do, and no pattern takes long."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import BadQuery, MissingPackage
from fpdb.pairs import name_pattern

atoms = st.sampled_from(["a", "b", "/", ".", "[^/]", "[ab]", "ü", "\\w", "^", "$"])
patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        inner.map(lambda part: f"({part})"),
        inner.map(lambda part: f"(?:{part})?"),
        st.tuples(inner, inner).map(lambda parts: f"(?:{parts[0]}|{parts[1]})"),
    ),
    max_leaves=8,
)
names = st.text("ab/ü\udcfc\n", max_size=8)


def encode(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def plain(pattern: str, name: str) -> bytes | None:
    """Match by Python; `$` is the end alone, and letters are ASCII, as in RE2."""
    match = re.search(pattern.replace("$", "\\Z"), name, re.ASCII)
    found = match and ((match.re.groups and match[1]) or match[0])
    return encode(found) if found else None


@given(patterns, st.lists(names, max_size=4))
def test_the_first_group_is_the_owner_or_else_the_whole_match(pattern: str, texts: list[str]) -> None:
    assert name_pattern.find_owners(pattern, list(map(encode, texts))) == [plain(pattern, text) for text in texts]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*)*x", "a*a*a*a*a*a*a*a*b", "(a?){50}a{50}b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    """Matching by trial would take longer than the world exists."""
    assert len(name_pattern.find_owners(pattern, [b"a" * 4000 + b"!"] * 10)) == 10


@pytest.mark.parametrize("pattern", ["(", ")", "a)(b", "[", "[z-a]", "a{2,1}", "*", "(?=a)", r"(a)\1", "\\", "\ud800"])
def test_what_is_no_pattern_is_refused_with_a_reason(pattern: str) -> None:
    with pytest.raises(BadQuery, match=r"is no pattern of RE2's syntax: [^ ]"):
        name_pattern.check(pattern)


def test_without_pyarrow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPackage, match=r"pip install 'fpdb\[parquet\]'"):
        name_pattern.check("a")
