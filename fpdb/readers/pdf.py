"""Read PDF by PDFium: the text of all pages, from version 2 of the readers on as a reader sees it, see `pdf_hidden`.

Version 2 leaves out headers and footers, see `running_lines`. Offsets are indices into the extracted text, in which a
form feed and a line feed stand between pages.
"""

import re
from collections.abc import Sequence
from importlib.util import find_spec

from fpdb.errors import MissingPackage, Unreadable
from fpdb.limits import MAX_PDF_BYTES, MAX_PDF_PAGES, timed_reading
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.running_lines import drop_running_lines
from fpdb.readers.sandbox import SANDBOX
from fpdb.readers.symbols import Parts, Symbols

END_OF_PAGE = "\f\n"
_HYPHEN = re.compile("[\x02\ufffe]\n?")
"""PDFium's mark of a hyphen at the end of a line, inside a word; it leaves out the end of the line."""


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a PDF's text; MissingPackage, or Unreadable if it is none, damaged or too large."""
    pages, hidden = extract_pages(content, version)
    pages = [_HYPHEN.sub("-\n", page) for page in pages]
    pages, repeated = drop_running_lines(pages) if version > 1 else (pages, 0)
    note = f"pdf, {len(pages)} page{'' if len(pages) == 1 else 's'}; offsets in the text taken out"
    if hidden:
        note += f", {hidden} hidden character{'' if hidden == 1 else 's'} left out"
    if repeated:
        note += f", {repeated} line{'' if repeated == 1 else 's'} of headers and footers left out"
    symbols = fold(END_OF_PAGE.join(pages), note, alphabet, version)
    symbols.hidden = hidden
    if pages:
        symbols.parts = Parts("page", _starts(pages))
    if not len(symbols):
        symbols.note += "; no text in it: scanned?"
    return symbols


def extract_pages(content: bytes | str, version: int = READER_VERSION) -> tuple[list[str], int]:
    """Return the text of each page, and the number of letters and digits left out as hidden."""
    if isinstance(content, str):
        raise Unreadable("a PDF is bytes, not a string")
    if len(content) > MAX_PDF_BYTES:
        raise Unreadable(f"a PDF may have {MAX_PDF_BYTES} bytes; this one has {len(content)}")
    if find_spec("pypdfium2") is None:
        raise MissingPackage("pypdfium2 is needed to read PDF: pip install 'fpdb[pdf]'")
    with timed_reading() as reading:
        arguments = content, MAX_PDF_PAGES, reading.limits.text_bytes, version > 1
        pages, hidden = SANDBOX.call("pages", *arguments, reading=reading)
    return pages, hidden


def _starts(pages: Sequence[str]) -> list[int]:
    starts, start = [], 0
    for page in pages:
        starts.append(start)
        start += len(page) + len(END_OF_PAGE)
    return starts
