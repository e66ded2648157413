"""Readers: one module for each kind of document, and the table of kinds.

A reader turns a document into symbols of an alphabet, each with its place in the original. If it can make several
alphabets, the recipe decides: it has a rule for one of them.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from fpdb.errors import UnknownKind
from fpdb.readers import folding
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.symbols import Symbols


class DocumentReader(NamedTuple):
    """A row of the table: the function that reads a kind, its alphabets, a phrase on it, and extensions of its files.

    The module is loaded when the first document of the kind is read: few programs need them all.
    """

    module: str
    function: str
    alphabets: tuple[str, ...]
    about: str
    extensions: str = ""

    def read(
        self,
        content: bytes | str,
        alphabet: str | None = None,
        name: str | None = None,
        version: int = READER_VERSION,
        encoding: str | None = None,
    ) -> Symbols:
        """Return the symbols of a document.

        Args:
            content: The document.
            alphabet: One of the alphabets; by default the first.
            name: Name of the document's file, a hint at the language of code.
            version: Of the rules by which documents are read.
            encoding: That of the bytes, for the kinds that do not say it themselves; others take no notice.

        Raises:
            Unreadable: The content is not a document of this kind, or not in the encoding.
        """
        if encoding is not None:
            return self._read_encoded(content, alphabet, name, version, encoding)
        module = import_module(f"{__name__}.{self.module}")
        symbols: Symbols = getattr(module, self.function)(content, alphabet or self.alphabets[0], name, version)
        return symbols

    def _read_encoded(
        self, content: bytes | str, alphabet: str | None, name: str | None, version: int, encoding: str
    ) -> Symbols:
        from fpdb.readers.encodings import decode_given, note_given

        text = decode_given(content, self.module, encoding)
        symbols = self.read(text, alphabet, name, version)
        if text is not content:
            symbols.note = note_given(symbols.note, encoding)
        return symbols


_TEXT, _CODE = folding.ALPHABETS, ("tokens",)
# Text by extension, whatever the content looks like.
_TEXT_FILES = "txt text md markdown mdown rst adoc org csv tsv json jsonl yaml yml toml ini cfg log srt"
KINDS: Mapping[str, DocumentReader] = {
    "text": DocumentReader(
        "text", "read", _TEXT, "plain text: letters and digits of any script, case folded", _TEXT_FILES
    ),
    "code": DocumentReader("code", "read", _CODE, "source code: tokens, whatever names, comments and layout"),
    "html": DocumentReader(
        "html", "read", _TEXT, "web pages: the text without tags, scripts and styles", "html htm xhtml"
    ),
    "pdf": DocumentReader("pdf", "read", _TEXT, "PDF: the text of its pages", "pdf"),
    "rtf": DocumentReader("rtf", "read", _TEXT, "Rich Text Format: the text with its notes", "rtf"),
    "docx": DocumentReader(
        "office", "read_docx", _TEXT, "Word documents: the text with its notes", "docx docm dotx dotm"
    ),
    "odt": DocumentReader("office", "read_odt", _TEXT, "OpenDocument texts: the text with its notes", "odt ott"),
    "epub": DocumentReader("epub", "read", _TEXT, "books: the text of the chapters", "epub"),
    "fb2": DocumentReader("fiction_book", "read", _TEXT, "FictionBook: the text with its notes", "fb2"),
    "pptx": DocumentReader(
        "office", "read_pptx", _TEXT, "PowerPoint: the text of the slides with their notes", "pptx pptm ppsx ppsm potx"
    ),
    "odp": DocumentReader("office", "read_odp", _TEXT, "OpenDocument slides: their text with their notes", "odp otp"),
    "xlsx": DocumentReader("sheets", "read_xlsx", _TEXT, "Excel: the cells of the sheets by rows", "xlsx xlsm xltx"),
    "ods": DocumentReader("office", "read_ods", _TEXT, "OpenDocument sheets: the cells by rows", "ods ots"),
    "email": DocumentReader("mail", "read", _TEXT, "e-mail: the subject and the text", "eml"),
    "latex": DocumentReader(
        "latex", "read", _TEXT, "LaTeX: the text without commands, formulas and comments", "tex ltx latex"
    ),
    "ipynb": DocumentReader("notebook", "read", _TEXT, "Jupyter notebooks: the sources of the cells, as text", "ipynb"),
    "ipynb-code": DocumentReader("notebook", "read_code", _CODE, "the code of Jupyter notebooks: tokens, as of code"),
    "postscript": DocumentReader("postscript", "read", _TEXT, "PostScript: its text, where Ghostscript is", "ps eps"),
}


def find_reader(kind: str) -> DocumentReader:
    """Return the row of a kind; UnknownKind if there is none."""
    if kind not in KINDS:
        raise UnknownKind(f"nothing reads documents of kind {kind!r}; kinds: {', '.join(KINDS)}")
    return KINDS[kind]
