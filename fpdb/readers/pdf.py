"""Read PDF by PDFium: the text of all pages, from version 2 of the readers on as it is seen, see `pdf_page`.

Offsets are indices into the extracted text, in which pages are a form feed apart.
"""

from importlib.util import find_spec

from fpdb.errors import MissingPackage, Unreadable
from fpdb.limits import MAX_PDF_BYTES, MAX_PDF_PAGES, timed_reading
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.sandbox import SANDBOX
from fpdb.readers.symbols import Symbols


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a PDF's text; MissingPackage, or Unreadable if it is none, damaged or too large."""
    pages, hidden = extract_pages(content, version)
    note = f"pdf, {len(pages)} page{'' if len(pages) == 1 else 's'}; offsets in the text taken out"
    if hidden:
        note += f", {hidden} hidden character{'' if hidden == 1 else 's'} left out"
    symbols = fold("\f".join(pages), note, alphabet, version)
    symbols.hidden = hidden
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
