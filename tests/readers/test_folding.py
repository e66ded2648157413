"""Characters: equal for all spellings of a text, whatever path the kernel takes; offsets are exact."""

import sys
import threading
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.readers import _fold
from fpdb.readers.folding import ASCII_TABLE, fold, fold_character
from tests.fingerprint import oracle

ANY_TEXT = st.text(st.characters() | st.sampled_from("aZ9 ßéﬁ각ﷺ½²Ж中\U0001d400\ud800\u0345\x00"))


def symbols_of(text):
    return fold(text).values.tolist()


@given(ANY_TEXT)
def test_symbols_and_offsets_equal_the_definition(text):
    folded = fold(text)
    pairs = oracle.fold(text)
    assert folded.values.tolist() == [symbol for symbol, _ in pairs]
    assert folded.offsets.tolist() == [offset for _, offset in pairs]
    assert folded.values.dtype == (np.uint32 if any(symbol > 255 for symbol, _ in pairs) else np.uint8)


@given(ANY_TEXT)
def test_composed_and_decomposed_spellings_agree(text):
    expected = symbols_of(text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert symbols_of(unicodedata.normalize(form, text)) == expected


def test_spellings_of_every_code_point_agree():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        decomposed = unicodedata.normalize("NFD", character)
        if decomposed != character:
            folded = fold_character(character)
            assert "".join(map(fold_character, decomposed)) == folded
            composed = unicodedata.normalize("NFC", character)
            assert "".join(map(fold_character, composed)) == folded


def test_every_code_point_in_one_text():
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    pairs = oracle.fold(text)
    folded = fold(text)
    assert folded.values.tolist() == [symbol for symbol, _ in pairs]
    assert folded.offsets.tolist() == [offset for _, offset in pairs]


@given(st.text(st.characters(max_codepoint=127)))
def test_the_ascii_path_equals_the_general_one(text):
    everything = fold("é" + text).values[1:]  # é needs the general path, and folds to one symbol
    assert np.array_equal(_fold.fold_ascii(text.encode(), ASCII_TABLE), everything)
    assert np.array_equal(fold(text).values, fold(text.encode()).values)
    assert np.array_equal(fold(text).offsets + 1, fold("é" + text).offsets[1:])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Ａｂ１", "ab1"),
        ("ﬁancée", "fiancee"),
        ("STRASSE", "straße"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("don’t — “stop”", "dont stop"),
        ("İstanbul", "istanbul"),
        ("한글", unicodedata.normalize("NFD", "한글")),
        ("x² ½", "x2 12"),
    ],
)
def test_what_looks_alike_is_alike(text, same):
    assert symbols_of(text) == symbols_of(same)


@pytest.mark.parametrize("text", ["", " \n\t", "…—“”", "\ud800", "\u0301"])
def test_texts_without_letters_have_no_symbols(text):
    assert symbols_of(text) == []
    assert fold(text).offsets.tolist() == []


@pytest.mark.parametrize("expanding", ["각", "ﷺ", "ß", "㋿"])
def test_long_expansions(expanding):
    text = "a" + expanding * 5000
    assert symbols_of(text) == [ord("a"), *map(ord, fold_character(expanding) * 5000)]


def test_threads_may_meet_new_pages_together():
    text = "".join(map(chr, range(0x3400, 0x9FFF)))
    results = []
    threads = [threading.Thread(target=lambda: results.append(fold(text).values)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, results[0]) for result in results)
    assert len(results) == 8


@given(ANY_TEXT | st.text("aeiouxyz19é"))
def test_consonants_are_the_letters_but_five(text):
    folded = fold(text, alphabet="consonants")
    pairs = oracle.fold_consonants(text)
    assert folded.values.tolist() == [symbol for symbol, _ in pairs]
    assert folded.offsets.tolist() == [offset for _, offset in pairs]
    assert folded.values.dtype == (np.uint32 if any(symbol > 255 for symbol, _ in pairs) else np.uint8)


def test_which_letters_are_consonants():
    text = "Yes: rhythm, Ægir, naïve, 7 Straße, Ωμέγα 中文 ١٢"
    assert "".join(map(chr, fold(text, alphabet="consonants").values)) == "ysrhythmægrnvstrssωμεγα中文"
