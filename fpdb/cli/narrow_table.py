"""Fit the rows of a table into lines of a terminal.

Names lose their common folder; then bars, a resemblance that is not ranked by, and dates go; then names lose their
middles.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from fpdb.cli.terminal import text_width

NAMES: Final = frozenset(("a", "b", "name", "kept", "with"))
"""The columns that hold names of documents, by the name of the column."""
BAR: Final = "bar"
SHORTEST_NAME: Final = 12  # columns, below which a table is left as it is
GAP: Final = 2  # columns between two cells


class FittedTable(NamedTuple):
    """The rows of a table, the headings first; which of its columns are left; and what is to be said of the names."""

    rows: list[list[str]]
    kept: list[int]
    notes: list[str]


def fit_table(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> FittedTable:
    """Return a table that is no wider than a terminal, if that can be had.

    Args:
        columns: The names of the columns.
        rows: The headings, then the other rows.
        width: The columns of the terminal.
    """
    fitted, kept, notes = [list(row) for row in rows], list(range(len(columns))), []
    names = [index for index, column in enumerate(columns) if column in NAMES]
    if _width(fitted, kept) > width and (folder := _common_folder([row[index] for row in rows[1:] for index in names])):
        notes.append(f"all in {folder}")
        for row in fitted[1:]:
            for index in names:
                row[index] = row[index].removeprefix(folder)
    done = []
    for index in _least_wanted(columns):
        if _width(fitted, kept) > width:
            kept.remove(index)
            done += [] if columns[index] == BAR else [f"{rows[0][index]} is left out"]
    room = width - _width(fitted, [index for index in kept if index not in names]) - GAP * len(names)
    if _width(fitted, kept) > width and names and room >= SHORTEST_NAME * len(names):
        done.append("names are shortened")
        _shorten_names(fitted, names, room)
    if done:
        notes.append(f"{' and '.join(done)}; a wider terminal, or --format, shows all")
    return FittedTable(fitted, kept, notes)


def _least_wanted(columns: Sequence[str]) -> list[int]:
    """Return the indices of the bar, of a resemblance before the measure that is ranked by, and of a date."""
    bars, resemblances, dates = (
        [index for index, column in enumerate(columns) if column == name] for name in (BAR, "resemblance", "added")
    )
    return bars + [index for index in resemblances if bars and index + 1 < bars[0]] + dates


def _width(rows: Sequence[Sequence[str]], kept: Sequence[int]) -> int:
    return sum(max(text_width(row[index]) for row in rows) + GAP for index in kept) - GAP


def _common_folder(names: Sequence[str]) -> str:
    """Return the longest beginning, up to a slash, of all names."""
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    end = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[: first.rfind("/", 0, end) + 1]


def _shorten_names(rows: Sequence[list[str]], names: Sequence[int], room: int) -> None:
    """Shorten names in place; a column that needs less than its share leaves the rest to others."""
    needed = {index: max(text_width(row[index]) for row in rows) for index in names}
    for place, index in enumerate(sorted(names, key=needed.__getitem__)):
        share = min(needed[index], room // (len(names) - place))
        room -= share
        for row in rows[1:]:
            row[index] = shorten(row[index], share)


def shorten(text: str, width: int) -> str:
    """Return a text without its middle, for which … stands, if it is wider than so many columns."""
    if text_width(text) <= width:
        return text
    begin, end = 0, len(text)
    left, right = (width - 1) // 2, width - 1 - (width - 1) // 2
    while (at := text_width(text[begin])) <= left:
        begin, left = begin + 1, left - at
    while (at := text_width(text[end - 1])) <= right:
        end, right = end - 1, right - at
    return f"{text[:begin]}…{text[end:]}"
