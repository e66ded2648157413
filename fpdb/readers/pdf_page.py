"""Take the text that a reader sees out of a page of a PDF, by PDFium, column by column.

`sandbox_worker` loads this file; it imports nothing of fpdb.

Hidden text is left out: invisible text without an image under it (the text of a scan lies over its image), text without
opacity, white text on nothing darker, and text of at most one point. PDFium leaves out what lies outside the page.

Text comes in the order in which it was drawn, but for columns that were drawn line by line. Segments of a line that
are apart make a row; rows that leave the same gutters free are columns, if their lines are as long as those of prose:
tables stay as they are.
"""

from collections.abc import Iterator, Sequence
from ctypes import byref, c_float, c_int, c_uint
from itertools import pairwise
from statistics import mean
from typing import Any, Final, NamedTuple

BARELY_SEEN: Final = 1.0
"""Points up to which a font is not read."""
WHITE: Final = 250
"""Red, green and blue from which on a colour is not told from white paper."""
LARGEST_SHAPES: Final = 1000
"""Images and filled shapes of a page that may lie under text."""
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


class _Shape(NamedTuple):
    """An image or a filled shape: when it is drawn, whether it is an image, and where."""

    order: int
    image: bool
    box: Box


def read_page(page: Any, text_page: Any) -> tuple[str, int]:
    """Return the text of a page that is seen, and the number of letters and digits left out; close the text page."""
    text: str = text_page.get_text_bounded()
    letters = _letters(text)
    if hidden := list(_find_hidden(page)):
        text_page.close()
        for each in hidden:
            page.remove_obj(each)
        text_page = page.get_textpage()
        text = text_page.get_text_bounded()
    count = letters - _letters(text)
    text = _read_columns(text_page, page.get_bbox()) or text
    text_page.close()
    return text, count


def _find_hidden(page: Any) -> Iterator[Any]:
    """Yield the objects of a page that are text which is not seen."""
    from pypdfium2 import raw as pdfium

    looks = []
    for order, text in enumerate(page.get_objects()):
        if text.type == pdfium.FPDF_PAGEOBJ_TEXT and (look := _look(text, pdfium)):
            looks.append((order, text, look))
    shapes = _largest_shapes(page, pdfium) if any(look != "hidden" for _, _, look in looks) else []
    for order, text, look in looks:
        if look != "hidden":
            left, bottom, right, top = _place(text)
            x, y = (left + right) / 2, (bottom + top) / 2
            under = (shape for shape in shapes if (shape.image if look == "invisible" else shape.order < order))
            if any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for _, _, box in under):
                continue
        yield text


def _look(text: Any, pdfium: Any) -> str:
    """Return "hidden", "invisible" or "white" for text that is, or may be, not seen; else ""."""
    mode = pdfium.FPDFTextObj_GetTextRenderMode(text)
    if mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
        return "invisible"
    size = c_float()
    if pdfium.FPDFTextObj_GetFontSize(text, byref(size)) and size.value * _scale(text) <= BARELY_SEEN:
        return "hidden"
    if mode != pdfium.FPDF_TEXTRENDERMODE_FILL or (color := _fill_color(text, pdfium)) is None:
        return ""
    return "hidden" if color[3] == 0 else "white" if _is_white(color) else ""


def _fill_color(shape: Any, pdfium: Any) -> tuple[int, ...] | None:
    color = [c_uint() for _ in "rgba"]
    return tuple(part.value for part in color) if pdfium.FPDFPageObj_GetFillColor(shape, *map(byref, color)) else None


def _is_white(color: tuple[int, ...] | None) -> bool:
    return color is not None and min(color[:3]) >= WHITE


def _scale(text: Any) -> float:
    """Return the height of text of size 1, in points."""
    scale, each = 1.0, text
    while each is not None:
        matrix = each.get_matrix()
        scale *= float((matrix.c**2 + matrix.d**2) ** 0.5)
        each = each.container
    return scale


def _place(shape: Any) -> Box:
    """Return the box of something on the page, also if it is part of another thing."""
    box, container = shape.get_bounds(), shape.container
    while container is not None:
        box, container = container.get_matrix().on_rect(*box), container.container
    left, bottom, right, top = box
    return left, bottom, right, top


def _largest_shapes(page: Any, pdfium: Any) -> list[_Shape]:
    """Return the largest images and shapes that white text is seen on."""
    shapes = []
    for order, shape in enumerate(page.get_objects()):
        image = shape.type == pdfium.FPDF_PAGEOBJ_IMAGE
        if image or shape.type == pdfium.FPDF_PAGEOBJ_SHADING or _is_dark(shape, pdfium):
            shapes.append(_Shape(order, image, _place(shape)))
    shapes.sort(key=lambda shape: (shape.box[0] - shape.box[2]) * (shape.box[3] - shape.box[1]))
    return shapes[:LARGEST_SHAPES]


def _is_dark(shape: Any, pdfium: Any) -> bool:
    fill, stroke = c_int(), c_int()
    if shape.type != pdfium.FPDF_PAGEOBJ_PATH or not pdfium.FPDFPath_GetDrawMode(shape, byref(fill), byref(stroke)):
        return False
    return fill.value != pdfium.FPDF_FILLMODE_NONE and not _is_white(_fill_color(shape, pdfium))


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
