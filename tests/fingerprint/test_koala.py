"""Koala: what is stored is always a part of what is searched with; rare k-grams, of consonants, after the prolog."""

import sysconfig
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.fingerprint import NO_POSITION, Recipe, Rule
from fpdb.fingerprint.koala import rank
from tests.fingerprint.kgrams import kgrams_of
from tests.made_up_prose import prose

KOALA = Recipe.preset("koala")
TEXTS = {name: Path(sysconfig.get_path("stdlib"), name).read_bytes() for name in ("argparse.py", "enum.py", "this.py")}
LIMITS = st.sampled_from([1, 3, 10**6])
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def hashes_of(text, recipe=KOALA, **options):
    return recipe.fingerprint(text, **options).hashes.tolist()


@pytest.mark.parametrize("name", TEXTS)
def test_every_rotation_stores_a_part_of_what_is_searched_with(name):
    searched = set(hashes_of(TEXTS[name], purpose="search"))
    assert len(searched) <= 1000
    stored = [frozenset(hashes_of(TEXTS[name], rotation=rotation)) for rotation in range(30)]
    assert all(subset <= searched and len(subset) == min(100, len(searched)) for subset in stored)
    assert hashes_of(TEXTS[name], purpose="search", rotation=5) == hashes_of(TEXTS[name], purpose="search")
    if len(searched) > 200:
        assert len(set(stored)) == len(stored)
        assert len(frozenset.union(*stored)) > 0.9 * len(searched)


@given(st.text(), st.integers(0, 2**63 - 1), st.integers(1, 30), st.integers(1, 10), st.integers(0, 50))
def test_the_stored_set_is_a_part_of_any_texts_search_set(text, rotation, search, stored, skip):
    recipe = Recipe(
        1, {"consonants": Rule(2, "koala", {"search": search, "stored": min(search, stored), "skip": skip})}
    )
    assert set(hashes_of(text, recipe, rotation=rotation)) <= set(hashes_of(text, recipe, purpose="search"))


def test_rotated_alike_related_documents_agree():
    """In a document of which a tenth is changed, about as many fingerprints are found as before the rotation."""
    whole = TEXTS["argparse.py"]
    changed = whole[: len(whole) * 9 // 10] + TEXTS["enum.py"][-len(whole) // 10 :]
    searched = hashes_of(changed, purpose="search")
    for rotation in (0, 1, 2):
        assert np.intersect1d(hashes_of(whole, rotation=rotation), searched).size > 50


def test_the_first_thousand_characters_do_not_count():
    text = TEXTS["argparse.py"].decode()
    expected = hashes_of(text, purpose="search")
    assert hashes_of("Prolog! " * 125 + text[1000:], purpose="search") == expected
    words = "".join(np.random.default_rng(1).choice(list("qxzjvw"), 1000))
    assert hashes_of(words + text[1000:], purpose="search") == expected
    assert hashes_of(text[:1000] + words + text[1000:], purpose="search") != expected


def test_a_document_that_is_all_prolog_is_taken_whole():
    rng = np.random.default_rng(1)
    text = "".join(rng.choice(list(LETTERS), 900))
    found = KOALA.fingerprint(text)
    assert len(found.hashes) == 100
    assert found.hashes.tolist() == hashes_of(text, KOALA.with_(skip=0))


def test_rare_beginnings_come_first():
    """Rare is that the first five symbols are, and not the k-gram as a whole."""
    rng = np.random.default_rng(2)
    common = "".join("bcdfg" + "".join(rng.choice(list("hj"), 30)) for _ in range(50))
    text = common + "zzzzzxxxxx" + common
    found = Recipe(1, {"consonants": Rule(6, "koala", {"search": 9, "stored": 5, "skip": 0})}).fingerprint(text)
    assert all(
        "z" in text[position : position + 5] or "x" in text[position : position + 5] for position in found.positions
    )


def test_a_databases_frequencies_can_say_what_is_rare():
    """A k-gram that no document holds is stored first; once only this one holds it, it is searched with first."""
    text = TEXTS["argparse.py"]
    every = Recipe(KOALA.key, {"consonants": Rule(20, "full", {})}, KOALA.hash_bits).fingerprint(text)
    frequent = set(every.hashes[::2].tolist())

    def frequencies(hashes):
        return 2 * np.isin(hashes, list(frequent)).astype(np.int64)

    stored = hashes_of(text, frequencies=frequencies)
    assert not frequent & set(stored)

    def afterwards(hashes):
        return frequencies(hashes) + np.isin(hashes, list(stored))

    searched = hashes_of(text, purpose="search", frequencies=afterwards)
    assert set(stored) <= set(searched)
    assert set(searched) <= set(stored) | frequent


@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 12, 3_000]), st.integers(1, 12) | st.integers(1, 2_000), LIMITS)
def test_the_rarest_by_a_databases_frequencies_are_those_of_a_sort(seed, size, search, most):
    rng = np.random.default_rng(seed)
    kgrams = kgrams_of(rng.integers(0, 256, size), 2)
    frequencies = dict(zip(kgrams.stored.tolist(), rng.integers(0, most, len(kgrams)).tolist(), strict=True))
    kgrams.frequencies = lambda hashes: [frequencies[hash_] for hash_ in hashes.tolist()]
    stored = dict(zip(kgrams.hashes.tolist(), kgrams.stored.tolist(), strict=True))
    first = {hash_: position for position, hash_ in reversed(list(enumerate(kgrams.hashes.tolist())))}
    rarest = sorted(first, key=lambda hash_: (frequencies[stored[hash_]], hash_))
    assert rank(kgrams, search, 1, 0).tolist() == [first[hash_] for hash_ in rarest[:search]]


@given(st.lists(st.integers(0, 2), min_size=7, max_size=60), st.integers(2, 7), st.integers(1, 9), st.integers(0, 20))
def test_the_rarest_by_their_first_five_symbols_are_those_of_a_sort(symbols, k, search, skip):
    kgrams = kgrams_of(symbols, k)
    begin = skip if len(kgrams) - skip >= 2 else 0
    windows = [tuple(symbols[position : position + min(k, 5)]) for position in range(begin, len(symbols))]
    beginnings = Counter(window for window in windows if len(window) == min(k, 5))
    hashes = kgrams.hashes.tolist()
    first = {hashes[position]: position for position in reversed(range(begin, len(hashes)))}
    rarest = sorted(first, key=lambda hash_: (beginnings[windows[first[hash_] - begin]], hash_))
    assert rank(kgrams, search, 2, skip).tolist() == [first[hash_] for hash_ in rarest[:search]]


def test_the_preset_keeps_38_bits_and_no_positions():
    found = KOALA.fingerprint(TEXTS["argparse.py"])
    assert found.hashes.max() < 2**38
    assert set(found.positions.tolist()) == {NO_POSITION}
    assert set(found.starts.tolist()) == {-1}
    searched = KOALA.fingerprint(TEXTS["argparse.py"], purpose="search")
    assert NO_POSITION not in searched.positions
    assert (KOALA.max_df, KOALA.max_ignored) == (4, 10)
    assert 1_000 * 100 * 1_000_000 / 2**KOALA.hash_bits < 1  # hits by chance of a search among a million documents


def test_vowels_digits_and_accents_make_no_difference():
    text = TEXTS["argparse.py"].decode()[1000:]
    noisy = text.replace("e", "é").replace("i", "1").replace(" ", "")
    assert np.array_equal(KOALA.with_(skip=0).fingerprint(text).hashes, KOALA.with_(skip=0).fingerprint(noisy).hashes)


def test_koala_searches_with_more_than_it_stores(koala: fpdb.Database) -> None:
    text = prose(1, 4_000)
    koala.add("a", text)
    assert koala.document("a").fingerprints == 100
    answer = koala.query(text)
    assert answer.query.looked_up == 1000
    [match] = answer.matches
    assert (match.shared, match.reverse_containment) == (100, 1.0)
