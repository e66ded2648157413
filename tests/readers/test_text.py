"""Text is read in every encoding, with a note that names it, and exact offsets."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import KINDS
from fpdb.readers.encodings import decode

read = KINDS["text"].read
TEXT = "Größe, naïve\r\nЖизнь 中文 𝔘!"


def as_text(content):
    return content.decode("ascii") if isinstance(content, bytes) else content


@pytest.mark.parametrize(
    ("mark", "encoding", "note"),
    [
        (b"", "utf-8", "utf-8"),
        (codecs.BOM_UTF8, "utf-8", "utf-8 with BOM"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le (BOM)"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be (BOM)"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32-le (BOM)"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32-be (BOM)"),
    ],
)
@pytest.mark.parametrize("text", [TEXT, "plain", ""])
def test_unicode_encodings(mark, encoding, note, text):
    content = mark + text.encode(encoding)
    decoded, said = decode(content)
    assert (as_text(decoded), said) == (text, note)
    symbols, same = read(content), read(text)
    assert symbols.values.tolist() == same.values.tolist()
    assert symbols.offsets.tolist() == same.offsets.tolist()  # a mark is no character
    assert symbols.note == note


@pytest.mark.parametrize(
    ("content", "text", "note"),
    [
        (b"caf\xe9", "café", "latin-1"),
        ("Füße".encode("latin-1"), "Füße", "latin-1"),
        ("Größe über".encode() + b"\xff", "Größe über\ufffd", "utf-8, 1 byte replaced"),
        ("Größe übt \ufffd".encode() + b"\xe4\xb8", "Größe übt \ufffd\ufffd", "utf-8, 2 bytes replaced"),
        (codecs.BOM_UTF8 + b"\xffa", "\ufffda", "utf-8 with BOM, 1 byte replaced"),
        (codecs.BOM_UTF16_LE + b"a\x00b", "a\ufffd", "utf-16-le (BOM), 1 character replaced"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8a\x00", "\ufffda", "utf-16-le (BOM), 1 character replaced"),
        (codecs.BOM_UTF32_BE + b"\x00\x00\x00ab", "a\ufffd", "utf-32-be (BOM), 1 character replaced"),
    ],
)
def test_damaged_and_other_bytes_are_read_and_said(content, text, note):
    assert decode(content) == (text, note)


@given(st.binary())
def test_no_bytes_are_unreadable(content):
    symbols = read(content)
    text = as_text(decode(content)[0])
    assert symbols.values.tolist() == read(text).values.tolist()
    assert all(0 <= offset < len(text) for offset in symbols.offsets)


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not text.startswith("\ufeff")))
def test_a_string_and_its_bytes_agree(text):
    assert read(text).values.tolist() == read(text.encode()).values.tolist()


def test_a_lone_surrogate_in_a_string_is_no_letter():
    assert bytes(read("a\udce9b").values) == b"ab"
