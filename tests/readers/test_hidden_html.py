"""Hidden text of web pages: a page reads as it does without the elements that a browser does not show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import KINDS

HIDDEN = [
    '<div style="display:none">{}</div>',
    "<div style='color:red; DISPLAY : none !important'>{}</div>",
    "<span style=visibility:hidden>{}</span>",
    "<p hidden>{}</p>",
    '<P HIDDEN="">{}</P>',
    '<i style="opacity:0">{}</i>',
    '<i style="font-size:0">{}</i>',
    '<i style="font-size:1px">{}</i>',
    '<i style="font-size: 0.5pt;">{}</i>',
    '<b style="text-indent:-9999px">{}</b>',
    '<b style="position:absolute;left:-9999px">{}</b>',
    '<b style="color:#FFF">{}</b>',
    '<font color="white">{}</font>',
    '<b style="color:#00f;background:#00f">{}</b>',
    "<div hidden><div>{}</div><p>{}<br></div>",
    '<ul><li style="display:none">{}<li></ul>',
]
SHOWN = [
    '<div aria-hidden="true">{}</div>',
    '<div style="display:block">{}</div>',
    '<div class="hidden">{}</div>',
    '<i style="opacity:0.5;font-size:8px">{}</i>',
    '<i style="font-size:90%">{}</i>',
    '<i style="font-size:0.8em">{}</i>',
    '<b style="text-indent:-2em;margin-left:-10px">{}</b>',
    '<b style="color:#fff;background:#000">{}</b>',
    '<div style="background:navy"><b style="color:white">{}</b></div>',
    '<link rel="stylesheet" href="x"><b style="color:white">{}</b>',
    '<input type="hidden" value="x"><p>{}</p>',
    "<p title='hidden'>{}</p>",
    "<!-- hidden --><p>{}</p>",
    "</p hidden>{}",
    "<script>let hidden = '<p hidden>';</script><style>p[hidden ] { display: none }</style>{}",
    '<p data_x1="is hidden here" @click="a hidden = 1 ">{}</p>',
    '<p title="display:none" data-style="display:none">{}</p>',
]


def read(source, version=2):
    symbols = KINDS["html"].read(source, "characters", version=version)
    rows = zip(symbols.values.tolist(), symbols.offsets.tolist(), symbols.ends.tolist(), strict=True)
    return symbols, list(rows)


@pytest.mark.parametrize("element", HIDDEN)
def test_what_is_not_shown_is_left_out(element):
    before, after = "<p>Seen &amp; read</p>", "<p>gr&ouml;&szlig;er</p>"
    secret = element.replace("{}", "secret &eacute;")
    symbols, rows = read(before + secret + after)
    _, expected = read(before + " " * len(secret) + after)
    assert rows == expected
    assert symbols.note == f"string, {7 * element.count('{}')} hidden characters left out"
    earlier, _ = read(before + secret + after, version=1)
    assert len(earlier) == len(symbols) + 7 * element.count("{}")


@pytest.mark.parametrize("element", SHOWN)
def test_what_is_shown_counts(element):
    source = element.replace("{}", "seen &eacute;") + "more"
    symbols, rows = read(source)
    assert rows == read(source, version=1)[1]
    assert symbols.note == "string"
    assert "".join(map(chr, symbols.values)) == "seenemore"


@given(st.lists(st.sampled_from(["<p hidden>", "</p>", "<p>", "<b style=display:none>", "</b>", "x", "&lt;y", "<br>"])))
def test_what_is_left_is_a_part_of_the_page(parts):
    source = "".join(parts)
    _, rows = read(source)
    everything = read(source, version=1)[1]
    assert [row for row in everything if row in rows] == rows
    if "hidden" not in source and "display" not in source:
        assert rows == everything


@pytest.mark.parametrize(
    "content",
    [
        "<div hidden>" * 50_000,
        "<div hidden>" + "</p><div>" * 50_000,
        "<p hidden " + "a=b " * 50_000,
        "<p hidden " + "a=\"b' " * 50_000,
        "<p hidden " + "a" * 200_000,
        "<p style='" + "display:" * 50_000,
    ],
)
def test_no_page_takes_long(content):
    assert len(KINDS["html"].read(content, "characters").offsets) <= len(content)
