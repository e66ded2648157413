"""Read Jupyter notebooks (ipynb): the sources of all cells, of Markdown and of code, as text; outputs do not count.

Or only the cells of code, as a program in the notebook's language, without commands of IPython. Offsets are indices
into the extracted text, in which cells are two line feeds apart.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from fpdb import bounded_json
from fpdb.errors import Unreadable
from fpdb.readers import code
from fpdb.readers.encodings import as_text
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.kinds import get_extension, kind_by_name
from fpdb.readers.symbols import Parts, Symbols

BETWEEN: Final = "\n\n"
_NOTE: Final = "offsets in the cells' sources"
_PYTHON: Final = "py"
_COMMAND: Final = re.compile(r"^[ \t]*[%!?][^\n]*", re.MULTILINE)
_OTHER_LANGUAGE: Final = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")


class Cell(NamedTuple):
    """A cell: whether it has code, and its source."""

    is_code: bool
    source: str


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a notebook's cells; Unreadable if it is no notebook."""
    text, note = as_text(content)
    source, parts = join_cells(cell.source for cell in read_cells(parse(text)))
    symbols = fold(source, f"ipynb, {note}; {_NOTE}", alphabet, version)
    symbols.parts = parts
    return symbols


def read_code(
    content: bytes | str, alphabet: str = "tokens", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the tokens of a notebook's code; Unreadable if it is no notebook, MissingPackage as `code.read`."""
    text, _ = as_text(content)
    notebook = parse(text)
    extension = find_extension(notebook)
    cells = read_cells(notebook)
    source, parts = join_cells(
        (_program(cell.source) if extension == _PYTHON else cell.source) if cell.is_code else "" for cell in cells
    )
    symbols = code.read(source, alphabet, f"cells.{extension}", version)
    symbols.note = f"ipynb, {symbols.note.partition(';')[0]}; {_NOTE}"
    symbols.parts = parts
    return symbols


def parse(text: str | bytes) -> dict[str, Any]:
    """Return the JSON of a notebook; Unreadable if it is none."""
    try:
        notebook = bounded_json.parse(text)
    except ValueError as error:
        raise Unreadable(f"not a notebook: {error}") from error
    if not isinstance(notebook, dict):
        raise Unreadable("not a notebook: it has no cells")
    return notebook


def read_cells(notebook: dict[str, Any]) -> Iterator[Cell]:
    """Yield the cells of a notebook of format 3 or 4; Unreadable if it has none."""
    worksheets = notebook.get("worksheets", [notebook])
    if not isinstance(worksheets, list):
        raise Unreadable("not a notebook: it has no cells")
    for worksheet in worksheets:
        cells = worksheet.get("cells") if isinstance(worksheet, dict) else None
        if not isinstance(cells, list):
            raise Unreadable("not a notebook: it has no cells")
        yield from map(_cell, cells)


def join_cells(sources: Iterable[str]) -> tuple[str, Parts | None]:
    """Return the text of the cells that are not empty, and where each cell starts; None if there is no cell."""
    pieces: list[str] = []
    starts: list[int] = []
    end = 0
    for source in sources:
        starts.append(end)
        if source:
            pieces.append(source)
            end += len(source) + len(BETWEEN)
    return BETWEEN.join(pieces), Parts("cell", starts) if starts else None


def find_extension(notebook: dict[str, Any]) -> str:
    """Return the extension of files in the notebook's language, `py` if it names none."""
    metadata = notebook.get("metadata")
    about = metadata.get("language_info") if isinstance(metadata, dict) else None
    named = about.get("file_extension") if isinstance(about, dict) else None
    extension = get_extension(f"cells{named}") if isinstance(named, str) else ""
    return extension if kind_by_name(f"cells.{extension}") == "code" else _PYTHON


def _cell(cell: object) -> Cell:
    """Return a cell, whose source is a string or a list of lines, which code cells of format 3 call input."""
    if not isinstance(cell, dict):
        return Cell(False, "")
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    return Cell(cell.get("cell_type") == "code", "".join(line for line in lines if isinstance(line, str)))


def _program(source: str) -> str:
    """Return a cell of Python without commands of IPython; "" if it is in another language."""
    return "" if _OTHER_LANGUAGE.match(source) else _COMMAND.sub("", source)
