"""Find running lines: the headers and footers of pages, which repeat on most of these, whatever their numbers.

A header may stand on every second page only, as in books, and may come last in the text of its page. A line repeats if
it stands, but for numbers, at the same edge of most pages, or of most even or odd ones. A page number is one, too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

EDGE: Final = 3
"""Lines of a header or a footer."""
FEWEST: Final = 3
"""Pages that a running line stands on, at least."""

_NUMBER: Final = re.compile(r"\d+")
_ROMAN: Final = re.compile(r"[ivxlc]+")
_NUMBERS_ONLY: Final = re.compile(r"[\W#]*#[\W#]*#[\W#]*")

_Key = tuple[int, bool, str]
"""The parity of the page, True for a line at its end, and the line without its numbers."""


def drop_running_lines(pages: Sequence[str]) -> tuple[list[str], int]:
    """Return the pages without their running lines, and the number of these. A page that has no other line is kept."""
    lines = [page.split("\n") for page in pages]
    keys = [[list(_edge(page, number, at_end)) for at_end in (False, True)] for number, page in enumerate(lines)]
    standing = Counter(key for page in keys for key in {key for edge in page for _, key in edge})
    filled = Counter(number % 2 for number, page in enumerate(keys) if page[0])
    running = {key for key, count in standing.items() if 2 * count > filled[key[0]]}
    total: Counter[tuple[bool, str]] = Counter()
    for key in running:
        total[key[1:]] += standing[key]
    running = {key for key in running if total[key[1:]] >= FEWEST}
    kept, count = [], 0
    for page, edges in zip(lines, keys, strict=True):
        dropped = {index for edge in edges for index in _leading(edge, running)}
        if all(index in dropped or not line.strip() for index, line in enumerate(page)):
            dropped = set()
        count += len(dropped)
        kept.append("\n".join(line for index, line in enumerate(page) if index not in dropped))
    return kept, count


def _edge(page: Sequence[str], number: int, at_end: bool) -> Iterator[tuple[int, _Key]]:
    """Yield the index and the key of the outermost lines of a page, from the edge on."""
    indices = range(len(page) - 1, -1, -1) if at_end else range(len(page))
    found = 0
    for index in indices:
        if found < EDGE and (line := page[index].strip()):
            found += 1
            yield index, (number % 2, at_end, _without_numbers(line))


def _without_numbers(line: str) -> str:
    """Return what a line has in common with the same one of other pages; several numbers alone are not replaced."""
    replaced = _NUMBER.sub("#", " ".join(line.casefold().split()))
    if _ROMAN.fullmatch(replaced):
        return "#"
    return line if _NUMBERS_ONLY.fullmatch(replaced) else replaced


def _leading(edge: Sequence[tuple[int, _Key]], running: set[_Key]) -> Iterator[int]:
    for index, key in edge:
        if key not in running:
            return
        yield index
