"""The page: HTML from a report's contents, everything in one file, nothing in it that a browser would fetch or obey.

Names and texts are whatever people wrote: they are escaped, and characters that hide or turn text are spelled out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

import numpy as np

from fpdb.errors import MissingPackage
from fpdb.report.contents import Contents, Limits, Region, Row
from fpdb.report.drawing import clusters, histogram

# Not only what would end the script element, but whatever an editor or a browser may act on.
_RISKY: Final = re.compile(
    "[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)


def check_packages() -> None:
    """Raises MissingPackage where pages cannot be made."""
    try:
        import_module("jinja2")
    except ImportError as error:
        raise MissingPackage("Jinja2 is needed to write a report: pip install 'fpdb[report]'") from error


def render(contents: Contents, limits: Limits) -> str:
    """The page. Raises MissingPackage."""
    check_packages()
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"pieces": pieces, "counted": counted}
    style, script = _part("page.css"), _part("page.js")
    page = environment.from_string(_part("page.html")).render(
        contents=contents,
        limits=limits,
        style=style,
        script=script,
        policy=_policy(style, script),
        data=escaped_json(_data(contents)),
        texts=[(index, escaped_json(source.text)) for index, source in enumerate(contents.sources) if source.text],
        omitted=sum(source.state == "omitted" for source in contents.sources),
        histogram=histogram([row.score for row in contents.whole()]),
        clusters=clusters(contents),
    )
    return str(page)


def escaped_json(value: Any) -> str:
    """JSON that is safe inside a script element, and shows in an editor as what it is."""
    return _RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False, allow_nan=False))


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces: (False, as it is) and (True, the name of a character that would not show as itself)."""
    for part in re.split(r"([^ -~])", text):
        if len(part) == 1 and not part.isprintable():
            yield True, _spelled(ord(part))
        elif part:
            yield False, part


def counted(count: int, noun: str) -> str:
    """`1 pair`, `1,234 pairs`."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def _spelled(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, in a file's name
        return f"\\x{code - 0xDC00:02x}"
    return f"U+{code:04X}"


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """The content security policy: the page's own style and script, and nothing else."""
    sources = {"style-src": _hash(style), "script-src": _hash(script)}
    named = "; ".join(f"{directive} '{source}'" for directive, source in sources.items())
    return f"default-src 'none'; {named}; base-uri 'none'; form-action 'none'"


def _hash(block: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()


# ---------------------------------------------------------------- characters as a browser counts them


def _data(contents: Contents) -> dict[str, Any]:
    units = [None if source.text is None else _Units(source.text) for source in contents.sources]
    data = contents.data()
    for row, entry in zip(contents.rows, data["rows"], strict=True):
        entry["regions"] = [_in_units(row, region, units[row.a], units[row.b]) for region in row.regions or ()]
    return data


def _in_units(row: Row, region: Region, a: _Units | None, b: _Units | None) -> list[int]:
    one, other = [region.a_start, region.a_end], [region.b_start, region.b_end]
    if a is not None and not row.symbols[0]:
        one = a.of(one)
    if b is not None and not row.symbols[1]:
        other = b.of(other)
    return [*one, *other, region.shared]


class _Units:
    """From indices of code points to those of UTF-16 code units, which JavaScript counts."""

    def __init__(self, text: str) -> None:
        self._astral = None
        if not text.isascii() and max(text) > "\uffff":
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
            self._astral = np.flatnonzero(codes > 0xFFFF)

    def of(self, indices: list[int]) -> list[int]:
        """Code points, as code units."""
        if self._astral is None:
            return indices
        return [index + int(np.searchsorted(self._astral, index)) for index in indices]
