"""Bytes that are not UTF-8 are of the encoding that is declared or guessed, if that can be told; else Latin-1."""

import sys

import numpy as np
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
        return  # nothing tells these, which have no space or line
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


PROSE = {
    "Arabic": "في البدء خلق الله السماوات والأرض، وكانت الأرض خربة وخالية.",
    "Georgian": "ყველა ბედნიერი ოჯახი ერთმანეთს ჰგავს, ყოველი უბედური თავისებურად არის უბედური.",
    "Greek": GREEK,
    "Hebrew": "בראשית ברא אלהים את השמים ואת הארץ, והארץ היתה תהו ובהו.",
    "Japanese": f"{JAPANESE}\n{JAPANESE}",
    "Japanese and English": f"{JAPANESE} An example in English.\n{JAPANESE}",
    "Korean": "모든 행복한 가정은 서로 닮았고, 불행한 가정은 제각각의 이유로 불행하다.",
    "Russian": RUSSIAN,
    "Russian and English": f"{RUSSIAN} Anna Karenina. {RUSSIAN}",
    "Thai": "สวัสดีชาวโลก นี่คือข้อความภาษาไทย ยาวพอสมควร",
}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("script", PROSE)
def test_prose_of_one_script_tells_utf16(script: str, encoding: str) -> None:
    for text in (PROSE[script], f"{PROSE[script]}\n" * 200):
        assert decode(text.encode(encoding)) == (text, f"{encoding} (guessed)")
        assert guess_utf16(text.encode(encoding) + b"\0") is None  # half a character
        assert decode(text.encode()) == (text, "utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "Ещё раз",  # too short
        "今天天气很好，我们去公园散步。\n他说好的。" * 9,  # pairs of ASCII letters are ideographs, too
        "ab\0cd\0ef ghi\0jk\0" * 20,
        "АбВгД еЖзИк лМнО прСт " * 9,  # capitals are those of numbers
        "абв где жзи клм ноп рст " * 9,  # words of one length are records
        "Все счастливые семьи\0 похожи друг на друга",
        "Все счастливые семьи \ufffe похожи друг на друга",
        "Все счастливые ሰላም ለዓለም ሁሉ καὶ ἐγένετο семьи",
    ],
)
def test_other_words_do_not_tell_utf16(text: str) -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        assert guess_utf16(text.encode(encoding)) is None


@given(
    st.lists(st.integers(0x300, 0x3200), min_size=20, max_size=80),
    st.integers(2, 6),
    st.sampled_from([0x09, 0x0A, 0x20, 0x41]),
    st.sampled_from(["<u2", ">u2"]),
)
def test_records_of_numbers_are_not_taken_for_utf16(numbers: list[int], columns: int, first: int, order: str) -> None:
    rows = np.array(numbers[: len(numbers) // columns * columns]).reshape(-1, columns)
    records = np.column_stack([np.full(len(rows), first), rows]).astype(order)
    assert guess_utf16(records.tobytes()) is None
    near = (0x430 + rows % 32).astype(order)  # small Cyrillic letters
    assert guess_utf16(np.column_stack([np.full(len(near), first, order), near]).tobytes()) is None


@pytest.mark.parametrize("text", ["ﾃｽﾄ ﾃﾞｽ\n", "日本語のﾃｽﾄです。\n", "English, and ﾃｽﾄ\n"])
def test_halfwidth_kana_of_iso_2022_jp_are_told(text: str) -> None:
    content = text.encode("iso2022_jp_ext")
    assert b"\x1b(I" in content
    assert decode(content) == (text, "iso2022_jp_ext (guessed)")
    for other in (b"\x1b(Bplain\x1b(B", b"\x1b(I is no escape sequence of letters"):
        assert decode(other) == (other, "utf-8")
