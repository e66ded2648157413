"""Take the text that a reader sees out of a page of a PDF, by PDFium, column by column.

`sandbox_worker` loads this file; it imports nothing of fpdb.

Text comes in the order in which it was drawn, but for columns that were drawn line by line. Segments of a line that
are apart make a row; rows that leave the same gutters free are columns, if their lines are as long as those of prose:
tables stay as they are.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean
from typing import Any, Final, NamedTuple

APART: Final = 0.9
"""Heights of a character between two columns, at least."""
NEXT_ROW: Final = 3.0
"""Heights of a character from a row to the next one of a column, at most."""
FEWEST_ROWS: Final = 3
FEWEST_LETTERS: Final = 15
"""Lines of a column, and letters of each on average: with less, it is a table."""
MOST_COLUMNS: Final = 16

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""
Gutter = tuple[float, float]


class Segment(NamedTuple):
    """Text of a line without a wide space."""

    text: str
    box: Box

    @property
    def height(self) -> float:
        """The height of its characters."""
        return self.box[3] - self.box[1]


def read_page(page: Any, text_page: Any, hidden: Sequence[Any]) -> tuple[str, int]:
    """Return the text of a page without what is hidden, and how many letters and digits that has; close the text page.

    hidden: objects of the page that are text, see `pdf_hidden`; they are removed.
    """
    text: str = text_page.get_text_bounded()
    letters = _letters(text)
    if hidden:
        text_page.close()
        for each in hidden:
            page.remove_obj(each)
        text_page = page.get_textpage()
        text = text_page.get_text_bounded()
    count = letters - _letters(text)
    text = _read_columns(text_page, page.get_bbox()) or text
    text_page.close()
    return text, count


def _read_columns(text_page: Any, page_box: Box) -> str | None:
    """Return the text of a page column by column; None if no columns were drawn line by line."""
    boxes = [text_page.get_rect(index) for index in range(text_page.count_rects())]
    if sum(_is_beside(one, other) for one, other in pairwise(boxes)) < FEWEST_ROWS - 1:
        return None
    blocks = list(_blocks(_rows(_segments(text_page, page_box))))
    if all(len(columns) == 1 for columns in blocks):
        return None
    return "\n".join("\n".join(lines) for columns in blocks for lines in columns)


def _is_beside(one: Box, other: Box) -> bool:
    """Return True if something stands right of another thing, apart from it, at about its height."""
    height = max(one[3] - one[1], other[3] - other[1])
    return other[0] - one[2] >= APART * height and abs(one[1] + one[3] - other[1] - other[3]) < 2 * height


def _segments(text_page: Any, page_box: Box) -> Iterator[Segment]:
    """Yield the segments of a page in the order in which they were drawn; what lies outside of the page is left out."""
    from pypdfium2 import raw as pdfium

    text: list[str] = []
    box: Box = (0, 0, 0, 0)
    for index in range(text_page.count_chars()):
        character = chr(pdfium.FPDFText_GetUnicode(text_page, index))
        if character in "\r\n\0":
            continue
        if character.isspace():
            text += [" "] if text else []
            continue
        left, bottom, right, top = text_page.get_charbox(index, loose=True)
        x, y = (left + right) / 2, (bottom + top) / 2
        if not (page_box[0] <= x <= page_box[2] and page_box[1] <= y <= page_box[3]):
            continue
        height = top - bottom
        if text and bottom < box[3] and top > box[1] and -height < left - box[2] < APART * height:
            box = min(box[0], left), min(box[1], bottom), max(box[2], right), max(box[3], top)
        else:
            if text:
                yield Segment("".join(text), box)
            text, box = [], (left, bottom, right, top)
        text.append(character)
    if text:
        yield Segment("".join(text), box)


def _rows(segments: Iterator[Segment]) -> Iterator[list[Segment]]:
    """Yield segments that stand beside each other together."""
    row: list[Segment] = []
    for segment in segments:
        if row and not _is_beside(row[-1].box, segment.box):
            yield row
            row = []
        row.append(segment)
    if row:
        yield row


def _blocks(rows: Iterator[list[Segment]]) -> Iterator[list[list[str]]]:
    """Yield the lines of each column of blocks of rows; a row that is in no columns is a block of one column."""
    block: list[list[Segment]] = []
    gutters: list[Gutter] = []
    for row in rows:
        left = _narrow(gutters, row) if block and _is_below(block[-1][0], row[0]) else []
        if not left and block:
            yield from _columns(block, gutters)
            block = []
        gutters = left or [(one.box[2], other.box[0]) for one, other in pairwise(row)]
        block.append(row)
        if not 0 < len(gutters) < MOST_COLUMNS:
            yield [[_line(row)]]
            block, gutters = [], []
    yield from _columns(block, gutters)


def _is_below(one: Segment, other: Segment) -> bool:
    return 0 <= one.box[1] - other.box[1] <= NEXT_ROW * one.height


def _narrow(gutters: Sequence[Gutter], row: Sequence[Segment]) -> list[Gutter]:
    """Return what a row leaves free of gutters, without those that are too narrow then."""
    narrowed = []
    for start, end in gutters:
        for segment in row:
            left, _, right, _ = segment.box
            if left <= start:
                start = max(start, right)
            else:
                end = min(end, max(left, start))
        if end - start >= APART / 2 * row[0].height:
            narrowed.append((start, end))
    return narrowed


def _columns(block: Sequence[list[Segment]], gutters: Sequence[Gutter]) -> Iterator[list[list[str]]]:
    """Yield the columns of a block together if they are prose, else each row as a block."""
    columns: list[list[str]] = [[] for _ in range(len(gutters) + 1)]
    for row in block:
        cells: list[list[Segment]] = [[] for _ in columns]
        for segment in row:
            cells[sum(end <= segment.box[0] for _, end in gutters)].append(segment)
        for column, cell in zip(columns, cells, strict=True):
            column += [_line(cell)] if cell else []
    if all(len(lines) >= FEWEST_ROWS and mean(map(_letters, lines)) >= FEWEST_LETTERS for lines in columns):
        yield columns
    else:
        yield from ([[_line(row)]] for row in block)


def _line(row: Sequence[Segment]) -> str:
    return " ".join(segment.text.rstrip() for segment in row)


def _letters(line: str) -> int:
    return sum(map(str.isalnum, line))
