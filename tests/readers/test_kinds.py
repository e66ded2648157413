"""The kind of a document follows from its file's name, else from its beginning."""

import posixpath
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import KINDS
from fpdb.readers import kinds, languages
from fpdb.readers.kinds import detect_kind
from tests.readers import essays

ESSAY = essays.essay(1)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("a.md", "text"),
        ("a.rst", "text"),
        ("A.PDF", "pdf"),
        ("dir/a.docx", "docx"),
        ("a.zip/b.odt", "odt"),
        ("a.htm", "html"),
        ("a.ipynb", "ipynb"),
        ("a.eps", "postscript"),
        ("a.RTF", "rtf"),
        ("a.tex", "latex"),
        ("a.epub", "epub"),
        ("a.fb2", "fb2"),
        ("a.pptx", "pptx"),
        ("a.odp", "odp"),
        ("a.xlsx", "xlsx"),
        ("a.ods", "ods"),
        ("inbox.mbox/1.eml", "email"),
        ("a.py", "code"),
        ("a.c++", "code"),
        ("a.m", "code"),
        ("a.unknown", "text"),
        ("a.py/README", "text"),
        (".py", "text"),
        ("", "text"),
        (None, "text"),
    ],
)
def test_by_name(name, kind):
    assert detect_kind(name, b"") == detect_kind(name, "") == kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\n", "pdf"),
        (b"%!PS-Adobe-3.0\n", "postscript"),
        (essays.docx(ESSAY), "docx"),
        (essays.odt(ESSAY), "odt"),
        (essays.odp(ESSAY), "odp"),
        (essays.ods(ESSAY), "ods"),
        (essays.pptx(ESSAY), "pptx"),
        (essays.xlsx(ESSAY), "xlsx"),
        (essays.epub(ESSAY), "epub"),
        (essays.fb2(ESSAY), "fb2"),
        (essays.rtf(ESSAY), "rtf"),
        (b"Received: by a\n\tfor b\nFrom: a@b.c\n\ntext", "email"),
        (b"From: me\nTo: you\nDate: today\nSubject: a memo\n\ntext", "text"),
        (essays.archive(other="x"), "text"),
        (b"PK\x03\x04 and then nothing", "text"),
        (b"\xef\xbb\xbf <!DOCTYPE HTML>\n", "html"),
        (b"<?xml version='1.0'?>\n<!-- c -->\n<html lang=en>", "html"),
        (b"<p>", "text"),
        (b"#!/usr/bin/env python\n", "code"),
        (b"#!/no/such/program\n", "text"),
        (b"It was the best of times.", "text"),
        (b"\x00\xff\xfe", "text"),
        (b"", "text"),
    ],
)
@pytest.mark.parametrize("name", [None, "submission", "a.unknown"])
def test_by_content(name, content, kind):
    assert detect_kind(name, content) == kind
    assert detect_kind("a.txt", content) == "text"


@given(st.none() | st.text(), st.binary() | st.text())
def test_every_document_is_of_some_kind(name, content):
    assert detect_kind(name, content) in KINDS


def test_the_tables_agree():
    assert set(kinds.EXTENSIONS.values()) <= set(KINDS)
    assert not set(kinds.EXTENSIONS) & (set(languages.EXTENSIONS) | languages.AMBIGUOUS)
    assert not set(languages.EXTENSIONS) & languages.AMBIGUOUS


def test_the_guide_lists_all_kinds_and_extensions():
    guide = Path(__file__).parents[2].joinpath("docs", "guide", "kinds.md").read_text()
    rows = {kind: next(line for line in guide.splitlines() if line.startswith(f"| `{kind}` |")) for kind in KINDS}
    for kind, reader in KINDS.items():
        if kind != "text":
            assert set(reader.extensions.split()) <= set(re.findall(r"\w+", rows[kind])), kind


@given(st.text("aA.ö/ ", max_size=12))
def test_extensions_are_those_of_paths(name):
    assert kinds.get_extension(name) == posixpath.splitext(name)[1][1:].lower()
