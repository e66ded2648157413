"""The page: HTML from a report's contents, all in one file, with nothing in it that a browser would fetch or obey.

Names and texts come from anyone: they are escaped, and characters that hide or turn text are spelled out.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

import numpy as np

from fpdb.errors import MissingPackage
from fpdb.report.contents import Contents, Limits, PageSource
from fpdb.report.drawing import clusters, histogram

# Not only what would end the script element, but whatever an editor or a browser may act on.
_RISKY: Final = re.compile(
    "[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)


def check_packages() -> None:
    """Raise MissingPackage if pages cannot be made."""
    try:
        import_module("jinja2")
    except ImportError as error:
        raise MissingPackage("Jinja2 is needed to write a report: pip install 'fpdb[report]'") from error


def render(contents: Contents, limits: Limits) -> str:
    """Return the page. Raises MissingPackage."""
    check_packages()
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"pieces": pieces, "counted": counted}
    style, script = _read_file("page.css"), _read_file("page.js")
    page = environment.from_string(_read_file("page.html")).render(
        contents=contents,
        limits=limits,
        style=style,
        script=script,
        policy=_policy(style, script),
        data=escaped_json(_script_data(contents)),
        texts=[(index, escaped_json(source.text)) for index, source in enumerate(contents.sources) if source.text],
        omitted=sum(source.state == "omitted" for source in contents.sources),
        histogram=histogram([row.score for row in contents.whole()]),
        clusters=clusters(contents),
    )
    return str(page)


def escaped_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, and that an editor shows as what it is."""
    return _RISKY.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False, allow_nan=False))


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the text in pieces: (False, text), and (True, name of a character that would not show as itself)."""
    for part in re.split(r"([^ -~])", text):
        if len(part) == 1 and not part.isprintable():
            yield True, _spelled(ord(part))
        elif part:
            yield False, part


def counted(count: int, noun: str) -> str:
    """Return `1 pair`, `1,234 pairs`."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def _spelled(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, in a file's name
        return f"\\x{code - 0xDC00:02x}"
    return f"U+{code:04X}"


def _read_file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: the page's own style and script, and nothing else."""
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(block: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()


def _script_data(contents: Contents) -> dict[str, Any]:
    """Return what the page's script needs beside the texts; regions in UTF-16 code units, or symbols."""
    units = [_code_units(source.text or "") for source in contents.sources]
    rows = []
    for row in contents.rows:
        symbols = row.in_symbols()
        a, b = (tuple if kept else units[source] for kept, source in zip(symbols, (row.a, row.b), strict=True))
        regions = [[*a(region.a.interval), *b(region.b.interval), region.shared] for region in row.regions or ()]
        rows.append({"a": row.a, "b": row.b, "symbols": symbols, "regions": regions, "score": round(row.score, 6)})
    sources = [_source_data(source, units[index]) for index, source in enumerate(contents.sources)]
    return {"sides": contents.sides, "sources": sources, "rows": rows}


def _source_data(source: PageSource, units: Callable[[tuple[int, int]], tuple[int, int]]) -> dict[str, Any]:
    """Return what the script needs of a source; parts only if it has some, by their starts in UTF-16 code units."""
    data: dict[str, Any] = {"name": source.name, "state": source.state}
    if source.parts:
        data["parts"] = [[units((start, start))[0], label] for start, label in source.parts]
    return data


def _code_units(text: str) -> Callable[[tuple[int, int]], tuple[int, int]]:
    """Return a function from indices of code points to those of UTF-16 code units, which JavaScript counts."""
    if text.isascii() or max(text) <= "\uffff":
        return lambda interval: interval
    astral = np.flatnonzero(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") > 0xFFFF)

    def convert(interval: tuple[int, int]) -> tuple[int, int]:
        start, end = interval
        return start + int(np.searchsorted(astral, start)), end + int(np.searchsorted(astral, end))

    return convert
