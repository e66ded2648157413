"""Fit the rows of a table into lines of a terminal.

Names lose their common folder; then bars, a resemblance that is not ranked by, and dates go; then names lose a
part that does not tell them apart.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from fpdb.cli.terminal import text_width

NAMES: Final = frozenset(("a", "b", "name", "kept", "with"))
"""The columns that hold names of documents, by the name of the column."""
BAR: Final = "bar"
SHORTEST_NAME: Final = 12  # columns, below which a table is left as it is
LEFT_SHARES: Final = (0.5, 0.8, 0.2)
"""Shares of a shortened name that its beginning may take; the first that keeps the names of a column apart is taken."""
CONTEXT: Final = 3  # characters that are left of a common beginning
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
    return names[0][: names[0].rfind("/", 0, _common_length(names)) + 1]


def _common_length(names: Collection[str]) -> int:
    """Return how many characters all names begin with."""
    first, last = min(names), max(names)
    return next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))


def _shorten_names(rows: Sequence[list[str]], names: Sequence[int], room: int) -> None:
    """Shorten names in place; a column that needs less than its share leaves the rest to others."""
    needed = {index: max(text_width(row[index]) for row in rows) for index in names}
    for place, index in enumerate(sorted(names, key=needed.__getitem__)):
        share = min(needed[index], room // (len(names) - place))
        room -= share
        short = _shorten_apart({row[index] for row in rows[1:]}, share)
        for row in rows[1:]:
            row[index] = short[row[index]]


def _shorten_apart(names: set[str], width: int) -> dict[str, str]:
    """Shorten names so that different ones stay different, as far as that can be had by leaving one part out of each.

    If it cannot, leave most of what all of them begin with out as well.
    """
    for left_share in LEFT_SHARES:
        short = {name: shorten(name, width, left_share) for name in names}
        if len(set(short.values())) == len(names):
            return short
    common = max(_common_length(names) - CONTEXT, 0)
    return {name: shorten(f"…{name[common:]}" if common else name, width, LEFT_SHARES[1]) for name in names}


def shorten(text: str, width: int, left_share: float = 0.5) -> str:
    """Return a text without its middle, for which … stands, if it is wider than so many columns.

    left_share: of the columns, how many are for the beginning.
    """
    if text_width(text) <= width:
        return text
    begin, end = 0, len(text)
    left = int((width - 1) * left_share)
    right = width - 1 - left
    while (at := text_width(text[begin])) <= left:
        begin, left = begin + 1, left - at
    while (at := text_width(text[end - 1])) <= right:
        end, right = end - 1, right - at
    return f"{text[:begin]}…{text[end:]}"
