"""Jupyter notebooks (ipynb): the sources of all cells, Markdown and code alike, as text; outputs do not count.

There is no plain source: offsets count characters of the text that was taken out, cells two line feeds apart.
"""

import json

from fpdb.errors import Unreadable
from fpdb.readers.encodings import as_text
from fpdb.readers.folding import fold
from fpdb.readers.symbols import Symbols


def read(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of a notebook's cells. Unreadable: not a notebook."""
    text, note = as_text(content)
    return fold(take_text(text), f"ipynb, {note}; offsets in the cells' sources", alphabet)


def take_text(text: str | bytes) -> str:
    """The cells' sources, of a notebook of format 3 or 4."""
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not a notebook: {error}") from error
    sheets = book.get("worksheets", [book]) if isinstance(book, dict) else None
    if not isinstance(sheets, list):
        raise Unreadable("not a notebook: it has no cells")
    cells = [cell for sheet in sheets for cell in _list(sheet, "cells")]
    return "\n\n".join(source for cell in cells if (source := _source(cell)))


def _list(sheet: object, key: str) -> list[object]:
    found = sheet.get(key) if isinstance(sheet, dict) else None
    if not isinstance(found, list):
        raise Unreadable(f"not a notebook: it has no {key}")
    return found


def _source(cell: object) -> str:
    """A cell's source: a string or a list of lines, which code cells of format 3 call input."""
    if not isinstance(cell, dict):
        return ""
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))
