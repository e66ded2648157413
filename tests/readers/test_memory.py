"""Documents that this process reads itself are refused before they take more memory than is allowed, or too long."""

import tracemalloc
import zipfile

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from tests.readers import essays
from tests.readers.test_sheets import workbook

W = f'xmlns:w="{essays.W}"'
UNPACKED = "[" + '{"cell_type": [], "source": []}, ' * 60_000 + "0]"


def docx(body):
    return essays.archive(word__document_xml=f"<w:document {W}>{body}</w:document>")


def entries(count):
    """Return a zip that lists a member of an office document so often."""
    content = docx("")
    start, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    size = (end - start) * count
    return (
        content[:start]
        + content[start:end] * count
        + content[end : end + 12]
        + size.to_bytes(4, "little")
        + (content[end + 16 :])
    )


GREEDY = {
    "tags": ("html", b"<b>" * 400_000),
    "attributes": ("html", b"<a b=c>x" * 300_000),
    "references": ("html", b"&lt;" * 200_000),
    "ligatures": ("text", "\ufdfa".encode() * 400_000),
    "ligatures in tags": ("html", "<b>\ufdfa".encode() * 250_000),
    "values": ("ipynb", f'{{"cells": {UNPACKED}}}'.encode()),
    "runs": ("docx", docx("<w:t>ab cd</w:t>" * 200_000)),
    "paragraphs": ("docx", docx("<w:p/>" * 200_000)),
    "one run": ("docx", docx(f"<w:t>{'ab ' * 3_000_000}</w:t>")),
    "members": ("docx", entries(20_000)),
    "commands": ("latex", b"\\a{} bc $" * 40_000),
    "strings": ("xlsx", workbook("", "<si><t>a</t></si>" * 30_000)),
    "cells": ("xlsx", workbook('<c t="s"><v>0</v></c>' * 2_500, f"<si><t>{'ab ' * 100}</t></si>")),
}
"""Kind and content of documents by what there is a lot of."""
SLACK = 4_000_000
"""Bytes of tables and the like."""


@pytest.mark.parametrize("name", GREEDY)
def test_memory_is_bounded(name, limited):
    """Whatever is allowed, a document is refused for that reason, or is read within it; with little, it is refused."""
    kind, content = GREEDY[name]
    tracemalloc.start()
    refused = 0
    for memory in (200_000_000, 80_000_000, 30_000_000, 8_000_000):
        limited(memory=memory)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        try:
            KINDS[kind].read(content)
        except Unreadable as error:
            refused += 1
            reason = str(error)
        assert tracemalloc.get_traced_memory()[1] - before < memory + SLACK
    tracemalloc.stop()
    if name == "paragraphs":  # which are but line feeds
        return
    assert refused
    assert "--max-memory" in reason or reason == "not a Word document (docx): it has more than 10,000 members"


def test_an_office_document_takes_no_longer_than_allowed(limited):
    limited(seconds=0.01)
    with pytest.raises(Unreadable, match=r"reading it took more than 0\.01 s"):
        KINDS["docx"].read(docx("<w:p/>" * 1_000_000))


def test_a_zip_is_not_listed_to_be_refused(monkeypatch):
    content = entries(10_001)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(Unreadable, match="more than 10,000 members"):
        KINDS["odt"].read(content)
