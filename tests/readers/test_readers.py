"""Documents in containers: one essay is one document in every format; hostile ones are refused, at once."""

import time

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS, Recipe
from fpdb.readers.kinds import detect_kind
from tests.readers import essays

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
    if detect_kind(name, b"") not in ("html", "latex"):
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
        "essay.rtf": "rtf; offsets in the text taken out",
        "essay.odp": "odp, 12 slides; offsets in the text taken out",
        "essay.ods": "ods, 12 sheets; offsets in the text taken out",
        "essay.pptx": "pptx, 12 slides; offsets in the text taken out",
        "essay.xlsx": "xlsx, 12 sheets; offsets in the text taken out",
        "essay.epub": "epub, 12 chapters; offsets in the text taken out",
        "essay.fb2": "fb2, 12 chapters; offsets in the text taken out",
        "essay.eml": "e-mail; offsets in the text taken out",
        "essay.tex": "latex; utf-8",
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
    "laughs.odp": essays.archive(content_xml=LAUGHS),
    "empty.xlsx": b"",
    "without.xlsx": essays.archive(other="x"),
    "laughs.xlsx": essays.archive(xl__workbook_xml=LAUGHS),
    "cut.pptx": DOCUMENTS["essay.pptx"][:900],
    "without.pptx": DOCX,
    "outside.epub": essays.zipped({"META-INF/container.xml": OUTSIDE}),
    "outside.fb2": OUTSIDE.encode(),
    "deep.fb2": b"<a>" * 100_000,
    "empty.rtf": b"",
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
