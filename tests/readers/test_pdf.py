"""PDF: damaged files are refused or read in part, and a missing package is named."""

import sys
from contextlib import suppress

import pytest
from fpdf import FPDF

from fpdb.errors import MissingPackage, Unreadable
from fpdb.fingerprint import KINDS
from fpdb.readers.folding import fold
from fpdb.regions.line_index import LineIndex
from tests.readers import essays

PDF = essays.pdf(essays.essay())


@pytest.mark.parametrize("cut", range(400, len(PDF), 701))
def test_a_pdf_cut_short_is_read_or_refused(cut):
    with suppress(Unreadable):
        assert len(KINDS["pdf"].read(PDF[:cut], "characters")) <= 10_000


def test_a_pdf_without_text_says_so():
    made = KINDS["pdf"].read(essays.pdf([]), "characters")
    assert (len(made), made.note) == (0, "pdf, 1 page; offsets in the text taken out; no text in it: scanned?")


def book(pages, *, opened_by=None):
    """Return a PDF with a header and a footer; pages: of lines."""
    pdf = FPDF(unit="pt", format=(600, 800))
    pdf.set_font("helvetica", size=9)
    if opened_by is not None:
        pdf.set_encryption("owner", opened_by)
    for number, lines in enumerate(pages, 1):
        pdf.add_page()
        for row, line in enumerate(["A Book of Words", *lines, f"page {number}"]):
            pdf.text(40, 40 + 12 * row, line)
    return bytes(pdf.output())


@pytest.mark.parametrize("version", [1, 2])
def test_the_page_of_a_passage_is_right(version):
    """Of 100 passages in a book of 200 pages, half of them across the break of two pages."""
    words = " ".join(essays.essay(180, seed=3)).encode("ascii", "ignore").decode().split()
    pages = [[" ".join(words[80 * page + 8 * row :][:8]) for row in range(10)] for page in range(200)]
    symbols = KINDS["pdf"].read(book(pages), "characters", None, version)
    index = LineIndex(symbols)
    letters = "".join(map(chr, symbols.values))
    left_out = ", 400 lines of headers and footers left out" if version > 1 else ""
    assert symbols.note == "pdf, 200 pages; offsets in the text taken out" + left_out
    for page in range(1, 200, 2):
        first, last = (
            fold("".join(lines), "", "characters", version).values.tobytes().decode()
            for lines in (pages[page - 1][-2:], pages[page][:2])
        )
        start, end = letters.index(first), letters.index(last) + len(last)
        before, behind = index.locate(start, start + len(first)), index.locate(end - len(last), end)
        line = 9 + (version == 1)  # below the header
        assert (before.first_part, before.last_part) == (("page", page, "", line), ("page", page, "", line + 1))
        assert (behind.first_part.number, behind.last_part.number) == (page + 1, page + 1)
        across = index.locate(start, end)
        assert (across.first_part.number, across.last_part.number) == (page, page + 1)


def test_hyphens_at_the_end_of_lines_do_not_part_words():
    symbols = KINDS["pdf"].read(book([["a word of its cate-", "gory and well-known"]]), "characters")
    assert "cate-\ngory and well-known" in symbols.text
    assert "category" in "".join(map(chr, symbols.values))


def test_an_encrypted_pdf_is_called_so():
    with pytest.raises(Unreadable, match=r"encrypted with a password: save the PDF without one \(qpdf --decrypt\)"):
        KINDS["pdf"].read(book([["secret"]], opened_by="word"), "characters")
    assert "secret" in KINDS["pdf"].read(book([["secret"]], opened_by=""), "characters").text


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingPackage, match=r"pypdfium2 is needed to read PDF: pip install 'fpdb\[pdf\]'"):
        KINDS["pdf"].read(PDF, "characters")
