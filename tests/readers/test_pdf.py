"""PDF: damaged files are refused or read in part, and a missing package is named."""

import sys
from contextlib import suppress

import pytest

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint import KINDS
from tests.readers import essays

PDF = essays.pdf(essays.essay())


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
