"""Every scheme equals a plain transcription of its definition, on random, low-entropy and real input."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import KINDS, SCHEMES, winnowing
from fpdb.fingerprint.presets import PRESETS
from tests.fingerprint import oracle
from tests.fingerprint.kgrams import kgrams_of

RNG = np.random.default_rng(3)
REAL = Path(sysconfig.get_path("stdlib"), "textwrap.py").read_bytes()[:3000]
INPUTS = {
    "random": RNG.integers(97, 123, 2000, np.uint8),
    "two letters": RNG.integers(97, 99, 1500, np.uint8),
    "one letter": np.full(1500, 97, np.uint8),
    "period 7": np.resize(np.arange(97, 104, dtype=np.uint8), 1200),
    "sensor data": np.where(RNG.random(1500) < 0.02, 49, 48).astype(np.uint8),
    "repeats": np.concatenate([np.tile(RNG.integers(97, 123, 90, np.uint8), 9), RNG.integers(97, 123, 900, np.uint8)]),
    "real": np.frombuffer(REAL, np.uint8),
    "wide": RNG.integers(0x4E00, 0x4E40, 1500, np.uint32),
    "short": RNG.integers(97, 123, 31, np.uint8),
    "none": np.zeros(3, np.uint8),
}
CASES = [
    (8, "mod-winnow", {"w": 5, "r": 1}),
    (30, "mod-winnow", {"w": 21, "r": 4}),
    (7, "mod-winnow", {"w": 20, "r": 4}),
    (19, "mod-winnow", {"w": 3, "r": 1}),
    (12, "mod-winnow", {"w": 1, "r": 2}),
    (9, "mod-winnow", {"w": 300, "r": 30}),
    (30, "mod-winnow", {"w": 21, "s": 3}),
    (20, "mod-winnow", {"w": 21, "r": 2, "s": 2}),
    (12, "mod-winnow", {"w": 3, "s": 9}),
    (10, "mod", {"p": 7}),
    (10, "mod", {"p": 1}),
    (10, "safe-mod", {"w": 20}),
    (10, "safe-mod", {"w": 1}),
    (10, "safe-mod", {"w": 12, "p": 40}),
    (10, "smallest", {"n": 50}),
    (10, "full", {}),
    (10, "random", {"search": 90, "stored": 30}),
    (20, "koala", {"search": 100, "stored": 30, "skip": 100}),
    (3, "koala", {"search": 100, "stored": 30, "skip": 0}),
    (6, "koala", {"search": 5000, "stored": 5000, "skip": 10}),
    (10, "distinct", {"guarantee": 60, "s": 300}),
    (10, "distinct", {"guarantee": 60, "s": 300, "sparse": 1}),
    (10, "distinct", {"guarantee": 400, "s": 100, "delta": 0.3}),
    (5, "distinct", {"guarantee": 100, "delta": 0.05, "sparse": 1}),
    (10, "distinct", {"guarantee": 10, "s": 40}),
    (30, "robust-winnow", {"w": 21}),
    (30, "winnow", {"w": 21}),
]


def check(symbols, k, scheme, parameters, purpose="store", rotation=0, bits=64):  # noqa: PLR0913 (drawn values and fixtures)
    row = SCHEMES[scheme]
    checked = row.check(scheme, parameters)
    kgrams = kgrams_of(symbols, k, bits)
    selection = row.selector(purpose, rotation)(kgrams, **checked)
    document = oracle.Document(kgrams.symbols.tolist(), k, bits=bits)
    level, selected = oracle.select(document, scheme, checked, purpose, rotation)
    assert selection.positions.tolist() == [position for position, _ in selected]
    assert selection.hashes.tolist() == [document.hashes[i] for _, i in selected]
    assert [selection.positions.dtype, selection.hashes.dtype] == [np.uint32, np.uint64]
    assert selection.level == level


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[0]}")
@pytest.mark.parametrize("name", INPUTS)
def test_selection_equals_its_definition(name, case):
    check(INPUTS[name], *case)


@pytest.mark.parametrize("scheme", ["koala", "random", "distinct"])
@pytest.mark.parametrize("name", INPUTS)
def test_what_is_searched_with_equals_its_definition(name, scheme):
    parameters = {"sparse": 1, "guarantee": 80} if scheme == "distinct" else {"search": 200, "stored": 20}
    check(INPUTS[name], 12, scheme, parameters, "search")


@pytest.mark.parametrize("rotation", [1, 2, 2**63 - 1])
@pytest.mark.parametrize("name", INPUTS)
def test_rotated_selections_equal_their_definition(name, rotation):
    check(INPUTS[name], 20, "koala", {"search": 100, "stored": 30, "skip": 100}, rotation=rotation)


symbols = st.lists(st.sampled_from(b"aab"), max_size=150) | st.lists(st.sampled_from(b"abcdefgh"), max_size=150)


@given(symbols, st.integers(1, 12), st.integers(1, 30), st.integers(1, 12), st.integers(0, 5))
def test_mod_winnow_equals_its_definition(symbols, k, w, r, s):
    check(symbols, k, "mod-winnow", {"w": w, "r": r, "s": s})


@pytest.mark.parametrize("s", [0, 3])
def test_mod_winnow_does_not_depend_on_where_chunks_end(monkeypatch, s):
    symbols = RNG.integers(97, 99, 700, np.uint8)
    select = SCHEMES["mod-winnow"].select
    expected = select(kgrams_of(symbols, 12), w=5, r=1, s=s).positions.tolist()
    for chunk in (1, 7, 100):
        monkeypatch.setattr(winnowing, "CHUNK", chunk)
        assert select(kgrams_of(symbols, 12), w=5, r=1, s=s).positions.tolist() == expected


@given(symbols, st.integers(1, 30), st.integers(0, 9))
def test_safe_mod_equals_its_definition(symbols, w, p):
    check(symbols, 4, "safe-mod", {"w": w, "p": p})


@given(symbols, st.integers(1, 40), st.integers(1, 10), st.integers(0, 30), st.integers(0, 3))
def test_koala_equals_its_definition(symbols, search, stored, skip, rotation):
    check(symbols, 6, "koala", {"search": search, "stored": min(stored, search), "skip": skip}, rotation=rotation)


@given(symbols, st.integers(4, 40), st.integers(0, 60), st.floats(0.001, 0.5), st.integers(0, 1))
def test_distinct_equals_its_definition(symbols, guarantee, s, delta, sparse):
    check(symbols, 4, "distinct", {"guarantee": guarantee, "s": s, "delta": delta, "sparse": sparse}, bits=40)


def test_the_tables_explain_themselves():
    for table in (SCHEMES, KINDS, PRESETS):
        assert all(row.about for row in table.values())
    for name, row in SCHEMES.items():
        assert set(row.check(name, {})) == set(row.parameters)
        assert row.window is None or row.window in row.parameters
        assert all(parameter.about for parameter in row.parameters.values())
