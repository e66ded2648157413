"""Find the parts of a web page that a browser does not show, by what its elements say of themselves.

Style sheets and scripts are not read. Elements that are only kept from screen readers (`aria-hidden`) are shown.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

_WITHOUT_CONTENT = "area base br col embed hr img input link meta source track wbr"
_WHOLE = "script style xmp iframe noembed noframes"  # their markup is all of them, with the end tag
NO_TEXT = frozenset(f"{_WITHOUT_CONTENT} {_WHOLE}".split())
"""Elements without text of their own."""
CLOSED_BY_NEXT = frozenset(["p", "li", "dt", "dd", "tr", "td", "th", "option"])
"""Elements whose end tag may be left out before the next one of their name."""
BARELY_SEEN = 1.0
"""Pixels up to which a font is not read."""
OFF_SCREEN = -999.0
"""Pixels beyond which text stands outside the window."""

_TAG = re.compile(r"<(/?)([a-z][^\t\n\f\r />]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""[\t\n\f\r /] ([^\t\n\f\r />="']+)
    (?: [\t\n\f\r ]*+ = [\t\n\f\r ]*+ ("[^"]*" | '[^']*' | [^\t\n\f\r >]++) )?
    (?= [\t\n\f\r />] )""",
    re.VERBOSE,
)
_BACKGROUND = re.compile(r"background|bgcolor|stylesheet", re.IGNORECASE)
_LENGTH = re.compile(r"(-?[0-9]*\.?[0-9]+)(px|pt|em|rem|%)?")
_PIXELS = {None: 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "%": 0.16}
_WHITE = frozenset({"white", "#fff", "#ffffff", "rgb(255,255,255)"})


def find_hidden(source: str, markup: list[str]) -> list[int]:
    """Return the indices of the markup, ascending, behind each of which the text up to the next is not shown."""
    tags = [item for item in set(markup) if item[0] == "<" and ("=" in item or "hidden" in item.lower())]
    if not tags:
        return []
    has_background = cache(lambda: _BACKGROUND.search(source) is not None)
    opened = {item: name for item in tags if (name := _opens_hidden(item, has_background))}
    return list(_walk(markup, opened)) if opened else []


def _walk(markup: list[str], opened: dict[str, str]) -> Iterator[int]:
    """Yield the indices; opened: names of hidden elements by the tags that open them."""
    name, depth = "", 0
    for index, item in enumerate(markup):
        if depth:
            depth = _next_depth(name, depth, item)
        if not depth and item in opened:
            name, depth = opened[item], 1
        if depth:
            yield index


def _next_depth(name: str, depth: int, item: str) -> int:
    """Return how deep inside elements of a name the text behind a tag is."""
    tag = _TAG.match(item)
    if tag is None or tag[2].lower() != name:
        return depth
    if tag[1]:
        return depth - 1
    return 0 if name in CLOSED_BY_NEXT else depth + 1


def _opens_hidden(item: str, has_background: Callable[[], bool]) -> str:
    """Return the name of the hidden element that a tag opens; "" if it opens none."""
    tag = _TAG.match(item)
    if tag is None or tag[1] or tag[2].lower() in NO_TEXT:
        return ""
    attributes = {
        attribute[1].lower(): (attribute[2] or "").strip("\"'").lower() for attribute in _ATTRIBUTE.finditer(item)
    }
    style = _declarations(attributes.get("style", ""))
    name = tag[2].lower()
    if name == "font" and "color" in attributes:
        style.setdefault("color", attributes["color"])
    return name if "hidden" in attributes or is_hidden(style, has_background) else ""


def _declarations(style: str) -> dict[str, str]:
    pairs = (declaration.partition(":") for declaration in style.split(";"))
    return {name.strip(): value.replace("!important", "").replace(" ", "") for name, _, value in pairs}


def is_hidden(style: dict[str, str], has_background: Callable[[], bool]) -> bool:
    """Return True if a style hides text; has_background: tells if the page may have others than a white one."""
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    if _number(style.get("opacity"), 1) <= 0 or _number(style.get("font-size"), 16) <= BARELY_SEEN:
        return True
    moved = [_number(style.get(name), 0) for name in ("text-indent", "left", "top", "margin-left", "margin-top")]
    if min(moved) <= OFF_SCREEN:
        return True
    color, background = style.get("color"), style.get("background-color", style.get("background"))
    if background is None:
        return color in _WHITE and not has_background()
    return color is not None and (color == background or (color in _WHITE and background in _WHITE))


def _number(value: str | None, default: float) -> float:
    """Return a number, or a length in pixels."""
    match = _LENGTH.fullmatch(value) if value else None
    return float(match[1]) * _PIXELS[match[2]] if match else default
