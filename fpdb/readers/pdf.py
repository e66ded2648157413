"""PDF, by PDFium: the text of all pages.

There is no plain source: offsets count characters of the text that was taken out, a form feed between pages.
"""

from importlib.util import find_spec

from fpdb.errors import MissingPackage, Unreadable
from fpdb.readers.folding import fold
from fpdb.readers.sandbox import HELPER
from fpdb.readers.symbols import Symbols

LARGEST = 1 << 28


def read(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of a PDF's text. MissingPackage. Unreadable: not a PDF, damaged, encrypted or too large."""
    pages = take_text(content)
    note = f"pdf, {len(pages)} page{'' if len(pages) == 1 else 's'}; offsets in the text taken out"
    symbols = fold("\f".join(pages), note, alphabet)
    if not len(symbols):
        symbols.note += "; no text in it: scanned?"
    return symbols


def take_text(content: bytes | str) -> list[str]:
    """The text of each page."""
    if isinstance(content, str):
        raise Unreadable("a PDF is bytes, not a string")
    if len(content) > LARGEST:
        raise Unreadable(f"a PDF may have {LARGEST} bytes; this one has {len(content)}")
    if find_spec("pypdfium2") is None:
        raise MissingPackage("pypdfium2 is needed to read PDF: pip install 'fpdb[pdf]'")
    found: list[str] = HELPER.call("pages", content, size=len(content))
    return found
