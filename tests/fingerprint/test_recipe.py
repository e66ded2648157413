"""Recipes say what is wrong with them, survive their record, and never give other hashes than before."""

import sysconfig
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.errors import BadRecipe, UnknownKind, Unreadable
from fpdb.fingerprint import KINDS, PRESETS, SCHEMES, Recipe, Rule, content_digest, recipe

TEXT = "In each window select the minimum hash value; of several, the rightmost. Größe, Жизнь, 中文."

GOLDEN_TEXT = [(7105381945907813995, 8, 10), (11057603956152839232, 21, 26)]
GOLDEN_SMALL = [
    (11009579831231565540, 1, 1),
    (18198235825253402697, 2, 2),
    (9779875393745336393, 3, 3),
    (17255475410215407921, 4, 3),
    (13977564024393939135, 6, 6),
    (8892985411138718482, 7, 6),
]
GOLDEN_DIGEST = "27b8300cc813da8087685d7e5094bf99"

schemes = st.sampled_from(sorted(SCHEMES))
recipes = st.builds(
    lambda key, k, scheme, w: Recipe.preset().with_(key=key, k=k, scheme=scheme, w=w),
    st.integers(0, 2**64 - 1),
    st.integers(1, 20),
    schemes,
    st.integers(1, 30),
)


def as_rows(fingerprints):
    return list(
        zip(
            fingerprints.hashes.tolist(),
            fingerprints.positions.tolist(),
            fingerprints.starts.tolist(),
            strict=True,
        )
    )


@given(recipes, st.text())
def test_fingerprints_equal_the_definitions(chosen, text):
    fingerprints = chosen.fingerprint(text)
    assert as_rows(fingerprints) == oracle.fingerprint(text, chosen)
    assert fingerprints.symbols == len(oracle.fold(text))
    assert fingerprints.kgrams == max(fingerprints.symbols - chosen.rules["characters"].k + 1, 0)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("module", ["this.py", "textwrap.py"])
def test_real_input_equals_the_definitions(preset, module):
    content = Path(sysconfig.get_path("stdlib"), module).read_bytes()
    chosen = Recipe.preset(preset)
    assert as_rows(chosen.fingerprint(content)) == oracle.fingerprint(content.decode(), chosen)


def test_hashes_never_change():
    """Databases hold these: if this test fails, the change makes every existing database useless."""
    fingerprints = Recipe.preset().fingerprint(TEXT)
    assert as_rows(fingerprints) == GOLDEN_TEXT
    coded = Recipe(1, {"characters": Rule(3, "winnow", {"w": 2})}).fingerprint("Größe ﬁ 한")
    assert as_rows(coded) == GOLDEN_SMALL
    assert content_digest(TEXT) == content_digest(TEXT.encode()) == bytes.fromhex(GOLDEN_DIGEST)


def test_types_of_the_arrays():
    fingerprints = Recipe.preset().fingerprint(TEXT)
    assert [fingerprints.hashes.dtype, fingerprints.positions.dtype] == [np.uint64, np.uint32]
    assert fingerprints.starts.dtype == np.int64
    assert (fingerprints.kind, fingerprints.note) == ("text", "string")


@pytest.mark.parametrize(("symbols", "kgrams", "count"), [(0, 0, 0), (29, 0, 0), (30, 1, 1), (49, 20, 1)])
def test_short_documents(symbols, kgrams, count):
    content = "".join(chr(97 + i % 26) for i in range(symbols)) + " ."
    fingerprints = Recipe.preset().fingerprint(content.encode())
    assert (fingerprints.symbols, fingerprints.kgrams, len(fingerprints.hashes)) == (symbols, kgrams, count)
    assert len(fingerprints.positions) == len(fingerprints.starts) == count


@given(recipes)
def test_a_record_gives_the_recipe_back(chosen):
    assert Recipe.from_record(chosen.to_record()) == chosen


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"key": 1},
        {"key": 1, "rules": {}},
        {"key": 1, "rules": []},
        {"key": -1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": {"w": 2}}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": 5}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": ["winnow"], "parameters": {"w": 2}}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": {"w": 2}, "x": 1}}},
        {"key": 1, "rules": {"characters": {"k": 3, "scheme": "winnow", "parameters": {"w": 2}}}, "x": 1},
    ],
)
def test_records_of_no_recipe_are_refused(record):
    with pytest.raises(BadRecipe):
        Recipe.from_record(record)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"w": 0}, "w is the window, in k-grams: from 1 to 1048576, not 0"),
        ({"k": 0}, "k is the length of a k-gram, in symbols: from 1 to 500, not 0"),
        ({"k": 501}, "from 1 to 500, not 501"),
        ({"k": 2.0}, "k must be a whole number"),
        ({"scheme": "winow"}, "there is no scheme 'winow'; choose one of: winnow, robust-winnow"),
        ({"p": 3}, "scheme 'robust-winnow' has no parameter 'p'; its parameters: w"),
        ({"key": 2**64}, "the key must be"),
    ],
)
def test_bad_changes_say_what_to_do(changes, message):
    with pytest.raises(BadRecipe) as raised:
        Recipe.preset().with_(**changes)
    assert message in str(raised.value)


def test_changes_leave_the_rest_alone():
    changed = Recipe.preset().with_(k=7, w=None, scheme="winnow")
    assert changed.rules == {"characters": Rule(7, "winnow", {"w": 21})}
    assert changed.key == Recipe.preset().key
    assert Recipe.preset().with_() == Recipe.preset()


def test_a_query_may_widen_the_window():
    chosen = Recipe.preset().with_(k=5, w=10)
    own, same, wide = (chosen.fingerprint(TEXT * 9, window=window) for window in (None, 10, 25))
    assert own.hashes.tolist() == same.hashes.tolist()
    assert set(wide.hashes.tolist()) < set(own.hashes.tolist())
    with pytest.raises(BadRecipe, match="may be wider than the recipe's w=10, not narrower: 9"):
        chosen.fingerprint(TEXT, window=9)


def test_unknown_names_are_refused():
    with pytest.raises(BadRecipe, match="there is no preset 'x'; choose one of: text, web"):
        Recipe.preset("x")
    with pytest.raises(UnknownKind, match="kind 'audio'; kinds: text"):
        Recipe.preset().fingerprint(TEXT, "audio")
    with pytest.raises(UnknownKind, match="no rule for characters"):
        Recipe(1, {"tokens": Rule(3, "winnow", {"w": 2})}).fingerprint(TEXT)


def test_documents_too_long_for_positions_are_refused(monkeypatch):
    monkeypatch.setattr(recipe, "SYMBOLS_LIMIT", 30)
    assert Recipe.preset().fingerprint("a" * 29).symbols == 29
    with pytest.raises(Unreadable, match="29 symbols"):
        Recipe.preset().fingerprint("a" * 30)


def test_the_tables_explain_themselves():
    assert all(row.about for row in (*SCHEMES.values(), *KINDS.values()))
    for name, row in SCHEMES.items():
        assert row.select.__doc__
        assert set(row.check(name, {})) == set(row.parameters)
        assert row.window is None or row.window in row.parameters
