"""Rich Text Format: code pages, characters by number, notes, and groups that are no text."""

import sys

import pytest

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint import KINDS, Recipe

RUSSIAN = "Сторож моста считал бочки до самой зимы, и никто не спорил с ним о реке, камнях и старой гавани. "


def read(body, head=r"\ansi\ansicpg1252\deff0"):
    return KINDS["rtf"].read(f"{{\\rtf1{head} {body}}}".encode(), "characters").text


def escaped(text, encoding):
    return "".join(chr(byte) if byte < 128 else f"\\'{byte:02x}" for byte in text.encode(encoding))


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (r"\ansi\ansicpg1251\deff0", escaped(RUSSIAN, "cp1251")),
        (r"\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset204 Arial;}}\f0", escaped(RUSSIAN, "cp1251")),
        (r"\ansi\ansicpg1252\uc1", "".join(f"\\u{ord(character)}?" for character in RUSSIAN)),
        (r"\ansi\ansicpg1252\uc2", "".join(f"\\u{ord(character)}\\'3f?" for character in RUSSIAN)),
    ],
    ids=["code page", "font", "numbers", "numbers with two letters instead"],
)
def test_russian_text_is_that_of_its_plain_text(head, body):
    text = RUSSIAN * 3
    document = f"{{\\rtf1{head} {(body + chr(10)) * 3}\\par}}".encode()
    plain, rich = (set(Recipe.preset().fingerprint(each).hashes.tolist()) for each in (text, document))
    assert plain
    assert len(plain & rich) / len(plain) >= 0.95
    assert read(body * 3, head).strip() == text.strip()


def test_groups_that_are_no_text_are_left_out():
    groups = r"{\fonttbl{\f0 gone;}}{\colortbl;\red0;}{\info{\title gone}}{\pict\wmetafile8 0102}{\*\unknown gone}"
    assert read(groups + r"seen {\b bold}{\pict{\*\blipuid gone}\bin4 {{{{}\par next{\footnote a note}") == (
        "seen bold\nnext\n a note"
    )
    assert read(r"\u-10179?\u-8704?") == "\U0001f600"


def test_what_is_none_is_refused():
    for content in (b"", b"text", b"{\\rt"):
        with pytest.raises(Unreadable, match="not Rich Text Format"):
            KINDS["rtf"].read(content)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "striprtf", None)
    with pytest.raises(MissingPackage, match=r"striprtf is needed to read RTF: pip install 'fpdb\[rtf\]'"):
        read("text")
