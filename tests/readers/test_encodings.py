"""Bytes that are not UTF-8 are of the encoding that is declared or guessed, if that can be told; else Latin-1."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.readers.encodings import GUESS_FROM, decode, guess_utf16

RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. "
GREEK = "Η ζωή είναι ωραία και παράξενη, όπως λένε οι φίλοι μας στην Αθήνα. "
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"
GERMAN = "Größe und Übermut tun selten gut; die Straße ist naß, äußerst schön und für Füße gefährlich. "


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (GREEK, "iso8859-7"), (JAPANESE, "shift_jis"), (JAPANESE * 4, "euc_jp")],
)
def test_scripts_other_than_latin_are_guessed(text, encoding):
    decoded, note = decode(text.encode(encoding))
    assert decoded == text
    assert note.endswith(" (guessed)")
    long = (text + "\n") * (2 * GUESS_FROM // len(text))
    assert decode(long.encode(encoding))[0] == long


@pytest.mark.parametrize("text", ["café", GERMAN, GERMAN * 100, "Ж"])
def test_latin_letters_and_short_texts_are_latin_1(text):
    content = text.encode("latin-1" if text != "Ж" else "cp1251")
    assert decode(content) == (content.decode("latin-1"), "latin-1")


def test_without_the_package_it_is_latin_1(monkeypatch):
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    content = RUSSIAN.encode("cp1251")
    assert decode(content) == (content.decode("latin-1"), "latin-1")


@pytest.mark.parametrize(
    ("declared", "note"),
    [
        ("windows-1252", "cp1252 (declared)"),
        ("no-such", "latin-1"),
        ("ascii", "latin-1"),
        ("rot13", "latin-1"),
        ("unicode_escape", "latin-1"),
        ("utf-7", "latin-1"),
    ],
)
def test_what_is_declared_counts_if_it_can_be(declared, note):
    assert decode(b"caf\xe9", declared) == ("café", note)
    assert decode("café".encode(), declared) == ("café", "utf-8")


JAPANESE = "これは日本語の文章です。コンピュータで文書を比べるための例として書かれています。"


@pytest.mark.parametrize("encoding", ["euc_jp", "cp932", "iso2022_jp", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", [JAPANESE * 3, "A line in English. " * 9 + JAPANESE, "Only English, line by line. " * 9]
)
def test_encodings_without_a_mark_are_told_or_said_to_be_a_guess(encoding: str, text: str) -> None:
    decoded, note = decode(text.encode(encoding))
    if encoding.startswith("utf-16") and text.startswith("こ"):
        return  # nothing tells these
    if text.isascii() and not encoding.startswith("utf-16"):
        assert (decoded, note) == (text.encode(), "utf-8")
    else:
        assert decoded == text
        assert note.endswith("(guessed)")


@given(st.text(), st.sampled_from(["utf-8", "latin-1", "utf-32-le", "gb18030", "euc_kr"]))
def test_other_encodings_are_not_taken_for_utf16(text: str, encoding: str) -> None:
    assert "\0" in text or encoding == "utf-32-le" or guess_utf16(text.encode(encoding, "ignore")) is None


@given(st.binary())
def test_what_has_a_zero_byte_is_decoded(content: bytes) -> None:
    assert decode(content)[1]
