"""Read Jupyter notebooks (ipynb): the sources of all cells, of Markdown and of code, as text; outputs do not count.

Offsets are indices into the extracted text, in which cells are two line feeds apart.
"""

from fpdb import bounded_json
from fpdb.errors import Unreadable
from fpdb.readers.encodings import as_text
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.symbols import Symbols


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a notebook's cells; Unreadable if it is no notebook."""
    text, note = as_text(content)
    return fold(extract_text(text), f"ipynb, {note}; offsets in the cells' sources", alphabet, version)


def extract_text(text: str | bytes) -> str:
    """Return the sources of the cells of a notebook of format 3 or 4."""
    try:
        notebook = bounded_json.parse(text)
    except ValueError as error:
        raise Unreadable(f"not a notebook: {error}") from error
    worksheets = notebook.get("worksheets", [notebook]) if isinstance(notebook, dict) else None
    if not isinstance(worksheets, list):
        raise Unreadable("not a notebook: it has no cells")
    cells = [cell for worksheet in worksheets for cell in _cells(worksheet)]
    return "\n\n".join(source for cell in cells if (source := _source(cell)))


def _cells(worksheet: object) -> list[object]:
    cells = worksheet.get("cells") if isinstance(worksheet, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("not a notebook: it has no cells")
    return cells


def _source(cell: object) -> str:
    """Return a cell's source, a string or a list of lines, which code cells of format 3 call input."""
    if not isinstance(cell, dict):
        return ""
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))
