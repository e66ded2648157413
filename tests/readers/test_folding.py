"""Characters: equal for all spellings of a text, whatever path the kernel takes; offsets are exact."""

import sys
import threading
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.readers import _folding
from fpdb.readers.folding import READER_VERSION, ascii_table, fold, fold_character
from tests.fingerprint import oracle

ANY_TEXT = st.text(st.characters() | st.sampled_from("aZ9 ßéﬁ각ﷺ½²Ж中\U0001d400\ud800\u0345\x00аøæʼ🅰١"))
VERSIONS = st.integers(1, READER_VERSION)


def symbols_of(text, version=READER_VERSION):
    return fold(text, version=version).values.tolist()


@given(ANY_TEXT, VERSIONS)
def test_symbols_and_offsets_equal_the_definition(text, version):
    folded = fold(text, version=version)
    pairs = oracle.fold(text, version)
    assert folded.values.tolist() == [symbol for symbol, _ in pairs]
    assert folded.offsets.tolist() == [offset for _, offset in pairs]
    assert folded.values.dtype == (np.uint32 if any(symbol > 255 for symbol, _ in pairs) else np.uint8)


@given(ANY_TEXT, VERSIONS)
def test_composed_and_decomposed_spellings_agree(text, version):
    expected = symbols_of(text, version)
    for form in ("NFC", "NFD", "NFKC", "NFKD") if version == 1 else ("NFC", "NFD"):
        assert symbols_of(unicodedata.normalize(form, text), version) == expected


@pytest.mark.parametrize("version", range(1, READER_VERSION + 1))
def test_spellings_of_every_code_point_agree(version):
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        decomposed = unicodedata.normalize("NFD", character)
        if decomposed != character:
            folded = fold_character(character, version)
            assert "".join(fold_character(part, version) for part in decomposed) == folded
            composed = unicodedata.normalize("NFC", character)
            assert "".join(fold_character(part, version) for part in composed) == folded


@pytest.mark.parametrize("version", range(1, READER_VERSION + 1))
def test_every_code_point_in_one_text(version):
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    pairs = oracle.fold(text, version)
    folded = fold(text, version=version)
    assert folded.values.tolist() == [symbol for symbol, _ in pairs]
    assert folded.offsets.tolist() == [offset for _, offset in pairs]
    by_code = {}
    for symbol, code in pairs:
        by_code.setdefault(code, []).append(symbol)
    for code, symbols in by_code.items():
        if len(symbols) > 1 and not "가" <= chr(code) <= "힣":
            alone = fold(chr(code), version=version)  # in bytes, unless one of its symbols is too wide
            assert (alone.values.tolist(), alone.offsets.tolist()) == (symbols, [0] * len(symbols))


@given(st.text(st.characters(max_codepoint=127)), VERSIONS)
def test_the_ascii_path_equals_the_general_one(text, version):
    general = fold("é" + text, version=version)  # é needs the general path, and folds to one symbol
    assert np.array_equal(_folding.fold_ascii(text.encode(), ascii_table(version)), general.values[1:])
    folded = fold(text, version=version)
    assert np.array_equal(folded.values, fold(text.encode(), version=version).values)
    assert np.array_equal(folded.offsets + 1, general.offsets[1:])


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
        ("½ ①", "12 1"),
    ],
)
@pytest.mark.parametrize("version", range(1, READER_VERSION + 1))
def test_spellings_agree(text, same, version):
    assert symbols_of(text, version) == symbols_of(same, version)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Тhе quiсk Ьrоwп fох", "the quick brow\u043f fox"),
        ("αβεικνοργτυχ", "abeikvopytux"),
        ("Αβοut Κing", "About King"),
        ("հօոցս", "hongu"),
        ("ᎪᎬᏢᎡᏚꭰ", "AEPRSd"),
        ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz"),
        ("ø đ ł ı ɑ ɡ æ œ ƒ ɱ", "o d l i a g ae oe f m"),
        ("he11o w0rId", "hello world"),
        ("🅰🅻🅻 🅐", "all a"),
        ("ta\u3164b\u115fl\u1160e\uffa0", "table"),
        ("ta\u200bb\u00adl\u2060e\ufe0f\U000e0062", "table"),
        ("donʼt ꞌtis ta\u0640ble x²", "dont tis table x"),
        ("H₂O", "H2O"),
    ],
)
def test_what_looks_alike_is_alike(text, same):
    assert symbols_of(text) == symbols_of(same)
    assert symbols_of(text, 1) != symbols_of(same, 1) or text == "H₂O" or "\u200b" in text


def test_what_differs_to_the_eye_differs():
    for text in ("abcdefghijkmnopqrstuvwxyz", "23456789", "01", "бвгджзклмнпрстуфцчшщыэюя", "αβγδεζθικλμνξπρστφχψω"):
        assert len(set(symbols_of(text))) == len(text)


def test_no_character_that_is_not_seen_counts():
    """Of Default_Ignorable_Code_Point, these are letters for Python."""
    for character in "\u115f\u1160\u3164\uffa0":
        assert fold_character(character, 1)
        assert fold_character(character) == ""


@pytest.mark.parametrize("text", ["", " \n\t", "…—“”", "\ud800", "\u0301"])
def test_texts_without_letters_have_no_symbols(text):
    assert symbols_of(text) == []
    assert fold(text).offsets.tolist() == []


@pytest.mark.parametrize("expanding", ["각", "ﷺ", "ß", "㋿"])
def test_long_expansions(expanding):
    text = "a" + expanding * 5000
    assert symbols_of(text) == [ord("a"), *map(ord, fold_character(expanding) * 5000)]


def test_room_for_a_symbol_per_character_is_needed():
    fold("é")  # from now on its page is known
    for room, expected in ((1, (0, 0, _folding.NO_ROOM)), (2, (2, 2, _folding.DONE)), (3, (2, 2, _folding.DONE))):
        assert _folding.fold("éa", READER_VERSION, 0, np.empty(room, np.uint8), 0) == expected


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


@given(ANY_TEXT | st.text("aeiouxyz19é"), VERSIONS)
def test_consonants_are_the_letters_but_five(text, version):
    folded = fold(text, alphabet="consonants", version=version)
    pairs = oracle.fold_consonants(text, version)
    assert folded.values.tolist() == [symbol for symbol, _ in pairs]
    assert folded.offsets.tolist() == [offset for _, offset in pairs]
    assert folded.values.dtype == (np.uint32 if any(symbol > 255 for symbol, _ in pairs) else np.uint8)


def test_which_letters_are_consonants():
    text = "Yes: rhythm, Ægir, naïve, 7 Straße, Ωμέγα 中文 ١٢"
    assert "".join(map(chr, fold(text, alphabet="consonants", version=1).values)) == "ysrhythmægrnvstrssωμεγα中文"
    assert "".join(map(chr, fold(text, alphabet="consonants").values)) == "ysrhythmgrnvstrssωmy中文"
