"""HTML: the text is what the standard's tokeniser leaves, read a character at a time; offsets lead to the source."""

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import KINDS
from fpdb.readers.folding import fold_character

read = KINDS["html"].read
SPACE = "\t\n\f\r "
RAW = ("script", "style", "xmp", "iframe", "noembed", "noframes")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def skip_tag(text, at):  # noqa: C901 (the definition in one piece)
    """From behind a tag's name: before, in and after attributes' names and values, to behind the tag."""
    state = "before"
    while at < len(text):
        character = text[at]
        at += 1
        if state in ("double", "single"):
            if character == {"double": '"', "single": "'"}[state]:
                state = "before"
        elif character == ">":
            return at
        elif state == "unquoted":
            state = "before" if character in SPACE else state
        elif state == "value":
            if character not in SPACE:
                state = {'"': "double", "'": "single"}.get(character, "unquoted")
        elif character == "/":
            state = "before"
        elif character in SPACE:
            state = "after" if state in ("name", "after") else "before"
        elif character == "=" and state in ("name", "after"):
            state = "value"
        else:
            state = "name"
    return at


def name_at(text, at):
    end = at
    while end < len(text) and text[end] not in SPACE + "/>":
        end += 1
    return text[at:end].lower(), end


def skip_raw(text, at, name):
    """To behind the end tag of an element whose content is not text."""
    while at < len(text):
        if text[at : at + 2 + len(name)].lower() == "</" + name and text[at + 2 + len(name) : at + 3 + len(name)] in (
            *SPACE,
            "/",
            ">",
        ):
            return skip_tag(text, at + 2 + len(name))
        at += 1
    return at


def skip_comment(text, at):
    for short in (">", "->"):
        if text.startswith(short, at):
            return at + len(short)
    ends = [found + len(end) for end in ("-->", "--!>") if (found := text.find(end, at)) >= 0]
    return min(ends, default=len(text))


def skip_markup(text, at):
    """To behind the markup that begins with `<` here; None if that is text."""
    following = text[at + 1 : at + 2]
    if text.startswith("<!--", at):
        return skip_comment(text, at + 4)
    closing = following == "/"
    if text[at + 1 + closing : at + 2 + closing] in (*LETTERS,):
        name, end = name_at(text, at + 1 + closing)
        end = skip_tag(text, end)
        return skip_raw(text, end, name) if name in RAW and not closing else end
    if following in ("!", "?") or (closing and at + 2 < len(text)):
        end = text.find(">", at + 2)
        return len(text) if end < 0 else end + 1
    return None


def plain(text):
    """[(character, where it comes from)] of the text, entities not decoded."""
    found, at = [], 0
    while at < len(text):
        end = skip_markup(text, at) if text[at] == "<" else None
        if end is None:
            found.append((text[at], at))
            at += 1
        else:
            at = end
    return found


def rows(symbols):
    return list(zip(symbols.values.tolist(), symbols.offsets.tolist(), symbols.ends.tolist(), strict=True))


SOUP = st.lists(
    st.sampled_from(
        [
            "<",
            "</",
            ">",
            "a",
            "B ",
            '"',
            "'",
            "=",
            "/",
            " ",
            "\n",
            "<!--",
            "-->",
            "--!>",
            "<!",
            "<?",
            "-",
            "<p>",
            "</p>",
            "<script>",
            "</script",
            "<STYLE x>",
            "</style >",
            "<a b='>",
            '<i c="',
            "<xmp/",
            "é",
            "𝔘",
            "1",
            "<styled>",
        ]
    )
).map("".join)


@given(SOUP)
def test_text_is_what_the_standard_leaves(source):
    expected = [(ord(folded), at, at + 1) for one, at in plain(source) for folded in fold_character(one)]
    assert rows(read(source, "characters")) == expected


@given(
    st.lists(
        st.sampled_from(
            ["&amp;", "&eacute;", "&eacute", "&#233;", "&#xE9", "&notit;", "&nosuch;", "&", "x", "é", ";", " "]
        )
    )
)
def test_entities_are_decoded_in_place(parts):
    source = "".join(parts)
    symbols = read(source, "characters")
    assert bytes_of(symbols) == bytes_of(KINDS["text"].read(unescape(source), "characters"))
    for value, start, end in rows(symbols):
        assert chr(value) in fold_text(unescape(source[start:end]))
        assert source[start] == "&" or end == start + 1


def bytes_of(symbols):
    return symbols.values.tolist()


def fold_text(text):
    return "".join(map(fold_character, text))


PAGE = """<!DOCTYPE html>\r
<html><head><meta charset="{}"><title>Größe</title><style>p {{ color: red }}</style></head>\r
<body>\t<p class="x>y">Some <b>wo</b>rds &amp; &eacute;t&#xe9; 𝔘<br/>\f<!-- not <p> this -->and more</p>
<script>if (a < b) "no";</script></body></html>"""


def test_a_page():
    source = PAGE.format("utf-8")
    for content in (source, source.encode()):
        symbols = read(content, "characters")
        assert "".join(map(chr, symbols.values)) == "grosse" + "somewords" + "ete" + "u" + "andmore"
        assert symbols.text == source
        slices = [source[start:end] for _, start, end in rows(symbols)]
        assert slices == [*"Größ", "ß", "e", *"Somewords", "&eacute;", "t", "&#xe9;", "𝔘", *"andmore"]
    assert "".join(map(chr, read(source, "consonants").values)) == "grsssmwrdstndmr"


def test_a_page_may_declare_its_encoding():
    source = PAGE.format("iso-8859-2").replace("𝔘", "ł")
    symbols = read(source.encode("iso-8859-2"), "characters")
    assert (symbols.text, symbols.note) == (source, "iso8859-2 (declared)")
    assert read(source.encode(), "characters").note == "utf-8"
    wrong = PAGE.format("no-such").replace("𝔘", "u").encode("latin-1")
    assert read(wrong, "characters").note == "latin-1"


@pytest.mark.parametrize(
    "content",
    [
        "<" * 100_000,
        "<a " * 50_000,
        "<a b=" * 50_000,
        "<!--" * 50_000,
        "<script>" * 20_000,
        "&" * 100_000,
        "<a '" * 30_000,
        "<p " + "a=b " * 50_000,
        "&a" * 50_000,
        "</script" * 20_000,
        "<div>" * 100_000,
        "<script></" * 20_000,
    ],
)
def test_no_page_takes_long(content):
    assert len(read(content, "characters").offsets) <= len(content)
