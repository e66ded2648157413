"""Find the text of a page of a PDF that a reader does not see, by PDFium.

`sandbox_worker` loads this file; it imports nothing of fpdb.

Hidden is invisible text without an image under it (the text of a scan lies over its image), text without opacity, white
text on nothing darker, text of at most one point, and text that an image covers, unless the image is a whole page, as
of a scan that lies over its text. PDFium leaves out what lies outside the page.
"""

from collections.abc import Iterator
from ctypes import byref, c_float, c_int, c_uint
from typing import Any, Final, NamedTuple

BARELY_SEEN: Final = 1.0
"""Points up to which a font is not read."""
WHITE: Final = 250
"""Red, green and blue from which on a colour is not told from white paper."""
WHOLLY: Final = 255
"""Alpha of what nothing is seen through."""
LARGEST_SHAPES: Final = 1000
"""Images and filled shapes of a page that may lie under text."""
PAGE_SHARE: Final = 0.5
"""Share of a page from which on an image is taken for the scan of it."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


class _Shape(NamedTuple):
    """An image or a filled shape: when it is drawn, whether it is an image, and where."""

    order: int
    image: bool
    box: Box


def find_hidden(page: Any) -> Iterator[Any]:
    """Yield the objects of a page that are text which is not seen."""
    from pypdfium2 import raw as pdfium

    texts = []
    images: list[tuple[int, Any]] = []
    for order, each in enumerate(page.get_objects()):
        if each.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            images.append((order, each))
        elif each.type == pdfium.FPDF_PAGEOBJ_TEXT:
            texts.append((order, each, _look(each, pdfium)))
    yield from _find_covered([(order, text) for order, text, look in texts if not look], images, page)
    looks = [(order, text, look) for order, text, look in texts if look]
    shapes = _largest_shapes(page, pdfium) if any(look != "hidden" for _, _, look in looks) else []
    for order, text, look in looks:
        if look != "hidden":
            left, bottom, right, top = _place(text)
            x, y = (left + right) / 2, (bottom + top) / 2
            under = (shape for shape in shapes if (shape.image if look == "invisible" else shape.order < order))
            if any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for _, _, box in under):
                continue
        yield text


def _find_covered(texts: list[tuple[int, Any]], images: list[tuple[int, Any]], page: Any) -> Iterator[Any]:
    """Yield the texts that an opaque image was drawn over; texts and images come with their order."""
    if not texts or not images or texts[0][0] > images[-1][0]:
        return
    width, height = page.get_size()
    boxes = [(order, image, _place(image)) for order, image in images]
    covers = [
        (order, image, box)
        for order, image, box in boxes
        if (box[2] - box[0]) * (box[3] - box[1]) < PAGE_SHARE * width * height and _is_upright(image)
    ]
    opaque: dict[int, bool] = {}
    for order, text in texts:
        left, bottom, right, top = _place(text)
        for image_order, image, box in covers[-LARGEST_SHAPES:]:
            inside = box[0] <= left and box[1] <= bottom and right <= box[2] and top <= box[3]
            if inside and image_order > order and _is_opaque(image_order, image, opaque):
                yield text
                break


def _is_upright(image: Any) -> bool:
    """Return True if an image fills its box."""
    matrix = image.get_matrix()
    return image.container is None and bool(abs(matrix.b) + abs(matrix.c) < 1e-3 * (abs(matrix.a) + abs(matrix.d)))


def _is_opaque(order: int, image: Any, known: dict[int, bool]) -> bool:
    """Return True if nothing is seen through an image; known: answers by its order."""
    from pypdfium2 import raw as pdfium

    if order not in known:
        known[order] = False
        if not pdfium.FPDFPageObj_HasTransparency(image):
            bitmap = image.get_bitmap(render=True)
            known[order] = bitmap.format != pdfium.FPDFBitmap_BGRA or min(bytes(bitmap.buffer)[3::4]) == WHOLLY
    return known[order]


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
