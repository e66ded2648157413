"""Front-ends: one module a kind of document, and the table of kinds.

A front-end turns a document into symbols of an alphabet, with the way back to the original. Nothing else
knows about kinds. Where it can make several alphabets, the recipe says which: it has a rule for one of them.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from fpdb.errors import UnknownKind
from fpdb.readers import folding, tokens
from fpdb.readers.symbols import Symbols


class FrontEnd(NamedTuple):
    """A row of the table: what reads a kind, and the alphabets it can be read in.

    Its module is loaded when the first document of the kind is read: few programs need them all.
    """

    module: str
    function: str
    alphabets: tuple[str, ...]
    about: str

    def read(self, content: bytes | str, alphabet: str | None = None, name: str | None = None) -> Symbols:
        """Content in, symbols of one of the alphabets out, of the first unless told. name: of its file, as a hint."""
        module = import_module(f"{__name__}.{self.module}")
        symbols: Symbols = getattr(module, self.function)(content, alphabet or self.alphabets[0], name)
        return symbols


KINDS: Mapping[str, FrontEnd] = {
    "text": FrontEnd("text", "read", folding.ALPHABETS, "plain text: letters and digits of any script, case folded"),
    "code": FrontEnd("code", "read", (tokens.ALPHABET,), "source code: tokens, whatever names, comments and layout"),
    "html": FrontEnd("html", "read", folding.ALPHABETS, "web pages: the text without tags, scripts and styles"),
    "pdf": FrontEnd("pdf", "read", folding.ALPHABETS, "PDF: the text of its pages"),
    "docx": FrontEnd("office", "read_docx", folding.ALPHABETS, "Word documents: the text with its notes"),
    "odt": FrontEnd("office", "read_odt", folding.ALPHABETS, "OpenDocument texts: the text with its notes"),
    "ipynb": FrontEnd("notebook", "read", folding.ALPHABETS, "Jupyter notebooks: the sources of the cells, as text"),
    "postscript": FrontEnd("postscript", "read", folding.ALPHABETS, "PostScript: its text, where Ghostscript is"),
}


def find_kind(name: str) -> FrontEnd:
    """The row of that name; UnknownKind if there is none."""
    if name not in KINDS:
        raise UnknownKind(f"no front-end reads documents of kind {name!r}; kinds: {', '.join(KINDS)}")
    return KINDS[name]
