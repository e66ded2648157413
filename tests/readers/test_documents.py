"""Documents in containers: one essay is one document in every format; hostile ones are refused, at once."""

import os
import stat
import sys
import time
import zipfile
from contextlib import suppress

import pytest

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint import KINDS, Recipe
from fpdb.readers import postscript, sandbox, xml
from fpdb.readers.kinds import detect_kind
from tests.fingerprint import essays

PARAGRAPHS = essays.essay()
DOCUMENTS = {name: make(PARAGRAPHS) for name, make in essays.FORMS.items()}


def fingerprint(name, content, preset="text"):
    return set(Recipe.preset(preset).fingerprint(content, detect_kind(name, content), name=name).hashes.tolist())


@pytest.mark.parametrize("preset", ["text", "koala"])
def test_an_essay_is_the_same_in_every_format(preset):
    found = {name: fingerprint(name, content, preset) for name, content in DOCUMENTS.items()}
    for first in found.values():
        assert len(first) >= 80
        for second in found.values():
            assert len(first & second) / len(first) >= 0.95


@pytest.mark.parametrize("name", DOCUMENTS)
def test_offsets_lead_to_the_text(name):
    symbols = KINDS[detect_kind(name, DOCUMENTS[name])].read(DOCUMENTS[name], "characters", name)
    other = KINDS["text"].read(symbols.text, "characters")
    assert all(0 <= start < end <= len(symbols.text) for start, end in zip(symbols.offsets, symbols.ends, strict=True))
    if detect_kind(name, b"") != "html":
        assert symbols.values.tolist() == other.values.tolist()
        assert symbols.offsets.tolist() == other.offsets.tolist()
        assert symbols.ends.tolist() == (other.offsets + 1).tolist()
    assert "gone" not in "".join(map(chr, symbols.values))


def test_a_note_says_how_it_was_read():
    notes = {
        name: KINDS[detect_kind(name, made)].read(made, "characters", name).note for name, made in DOCUMENTS.items()
    }
    assert notes == {
        "essay.txt": "latin-1",
        "essay.md": "utf-16-le (BOM)",
        "essay.html": "utf-8",
        "essay.docx": "docx; offsets in the text taken out",
        "essay.odt": "odt; offsets in the text taken out",
        "essay.pdf": "pdf, 2 pages; offsets in the text taken out",
        "essay.ipynb": "ipynb, utf-8; offsets in the cells' sources",
        "old.ipynb": "ipynb, utf-8; offsets in the cells' sources",
    }


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
LAUGHS = f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><x>&l9;</x>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
DOCX, PDF = DOCUMENTS["essay.docx"], DOCUMENTS["essay.pdf"]
UNREADABLE = {
    "empty.docx": b"",
    "text.docx": b"only text",
    "string.docx": "a string",
    "cut.docx": DOCX[: len(DOCX) // 2],
    "damaged.docx": DOCX[:60] + bytes(40) + DOCX[100:],
    "without.docx": essays.archive(other="x"),
    "laughs.docx": essays.archive(word__document_xml=LAUGHS),
    "outside.docx": essays.archive(word__document_xml=OUTSIDE),
    "broken.docx": essays.archive(word__document_xml="<a><b></a>"),
    "deep.docx": essays.archive(word__document_xml="<a>" * 100_000),
    "laughs.odt": essays.archive(content_xml=LAUGHS),
    "empty.pdf": b"",
    "text.pdf": b"%PDF-1.7\nonly text",
    "string.pdf": "a string",
    "cut.pdf": PDF[:300],
    "empty.ipynb": b"",
    "list.ipynb": b"[]",
    "deep.ipynb": b"[" * 100_000,
    "cells.ipynb": b'{"cells": 3}',
    "sheets.ipynb": b'{"worksheets": [3]}',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_damaged_or_hostile_is_refused(name):
    content = UNREADABLE[name]
    begun = time.perf_counter()
    with pytest.raises(Unreadable):
        KINDS[detect_kind(name, content)].read(content, "characters", name)
    assert time.perf_counter() - begun < 5


def test_what_would_inflate_beyond_measure_is_refused(monkeypatch):
    monkeypatch.setattr(xml, "LARGEST_PART", 1_000_000)
    bomb = bytearray(essays.archive(word__document_xml="<a>" + " " * 2_000_000))
    with pytest.raises(Unreadable, match=r"word/document.xml: inflates to 2000003 bytes; at most 1000000 are read"):
        KINDS["docx"].read(bytes(bomb), "characters")
    for header, field in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):  # it may say that it is smaller
        at = bomb.find(header) + field
        bomb[at : at + 4] = (900_000).to_bytes(4, "little")
    with pytest.raises(Unreadable):
        KINDS["docx"].read(bytes(bomb), "characters")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 9, 93, 99])
def test_members_are_stored_or_deflated(method):
    """Nothing else is unpacked: its errors are others, and it may ask for gigabytes."""
    for kind, members in (
        ("docx", {"word__document_xml": "<a>" * 100}),
        ("odt", {"mimetype": "application/vnd.oasis.opendocument.text", "content_xml": "<a>" * 100}),
    ):
        content = bytearray(essays.archive(**members))
        for header, field in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            at = content.find(header)
            while at >= 0:
                content[at + field : at + field + 2] = method.to_bytes(2, "little")
                at = content.find(header, at + 4)
        with pytest.raises(Unreadable, match="neither stored nor deflated"):
            KINDS[kind].read(bytes(content), "characters")
        assert detect_kind(None, bytes(content)) == ("docx" if kind == "docx" else "text")


@pytest.mark.parametrize("cut", range(400, len(PDF), 701))
def test_a_pdf_cut_short_is_read_or_refused(cut):
    with suppress(Unreadable):
        assert len(KINDS["pdf"].read(PDF[:cut], "characters")) <= 10_000


def test_a_pdf_without_text_says_so():
    made = KINDS["pdf"].read(essays.pdf([]), "characters")
    assert (len(made), made.note) == (0, "pdf, 1 page; offsets in the text taken out; no text in it: scanned?")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingPackage, match=r"pypdfium2 is needed to read PDF: pip install 'fpdb\[pdf\]'"):
        KINDS["pdf"].read(PDF, "characters")


@pytest.fixture
def ghostscript(tmp_path, monkeypatch):
    """A program in Ghostscript's place that runs a line of shell."""

    def place(line):
        program = tmp_path / "gs"
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return place


def test_postscript_is_what_ghostscript_makes_of_it(ghostscript, monkeypatch):
    ghostscript('case "$*" in *-dSAFER*-sDEVICE=txtwrite*-) sed s/%!PS/Größe/ ;; esac')
    symbols = KINDS["postscript"].read(b"%!PS and more", "characters")
    assert (symbols.text, symbols.note) == ("Größe and more", "postscript; offsets in the text taken out")
    ghostscript("echo Error: no such operator >&2; exit 1")
    with pytest.raises(Unreadable, match="Ghostscript failed: 'Error: no such operator'"):
        KINDS["postscript"].read(b"%!PS", "characters")
    monkeypatch.setattr(postscript, "SECONDS", 0.2)
    ghostscript("exec sleep 9")
    with pytest.raises(Unreadable, match=r"more than 0.2 s"):
        KINDS["postscript"].read(b"%!PS", "characters")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingPackage, match="Ghostscript is needed"):
        KINDS["postscript"].read(b"%!PS", "characters")


def test_what_takes_too_long_is_given_up(monkeypatch):
    """Such garbage takes the parser time that is quadratic in its length."""
    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    with pytest.raises(Unreadable, match="reading it took more than 0 s"):
        KINDS["code"].read("*/ " * 20_000, "tokens", "a.cs")
    assert len(KINDS["code"].read("class A {}\n" * 2_000, "tokens", "a.cs")) == 8_000


def test_a_crash_is_no_crash_of_ours():
    helper = sandbox.Sandbox()
    assert helper.call("pages", PDF, size=len(PDF))
    helper._process.kill()
    helper._process.wait()
    with pytest.raises(Unreadable, match="crashed"):
        helper.call("pages", PDF, size=len(PDF))
    assert helper.call("pages", PDF, size=len(PDF))
    helper.stop()
