"""Bytes that are not UTF-8 are of the encoding that is declared or guessed, if that can be told; else Latin-1."""

import sys

import pytest

from fpdb.readers.encodings import GUESS_FROM, decode

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
