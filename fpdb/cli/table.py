"""Tables for people."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from typing import Literal

from fpdb.cli.terminal import count_text, printable, standard_output, text_width, write_line
from fpdb.columns import RANK, Columns, ResultColumn

DRAWN_ROWS = 1000
"""Longer tables are written as plain text: drawing them would take seconds."""

MARGIN = 2
"""Columns of a terminal beside a table."""

DEFAULT_TOP = 20
"""Rows of a table without --top."""


def write_top(
    columns: Columns,
    results: Iterable[object],
    top: int | None,
    *,
    empty: Callable[[], str],
    noun: str,
    option: str = "--top",
) -> None:
    """Write a table of the first results, and how many more there are.

    Args:
        columns: The columns, without the rank.
        results: All results, in their order.
        top: How many to show; None for DEFAULT_TOP.
        empty: Returns what to say if there is no result.
        noun: The name of a result.
        option: The option that shows all.
    """
    results = iter(results)
    first = list(islice(results, top or DEFAULT_TOP))
    if not first:
        write_line(empty())
        return
    write_ranked(columns, first)
    if more := sum(1 for _ in results):
        write_line(f"{count_text(more, f'more {noun}')}; see {'it' if more == 1 else 'them'} with {option}")


def write_ranked(columns: Columns, results: Iterable[object]) -> None:
    """Write a table of results with their ranks."""
    rows = ([str(rank), *(column.cell(result) for column in columns)] for rank, result in enumerate(results, start=1))
    write_table((RANK, *columns), rows)


def write_table(columns: Sequence[ResultColumn], rows: Iterable[Sequence[str]]) -> None:
    """Write a table, drawn on a terminal and plain elsewhere, without columns that are empty."""
    headings = [printable(column.heading or "") for column in columns]
    widths = [0] * len(columns)  # of the cells

    def measure() -> Iterator[list[str]]:
        for row in rows:
            cells = list(map(printable, row))
            widths[:] = map(max, widths, map(text_width, cells))
            yield cells

    measured = measure()
    first = list(islice(measured, DRAWN_ROWS + 1))
    more: Iterator[list[str]] = iter(())
    if len(first) > DRAWN_ROWS:
        from fpdb.spool import spool

        more = spool(measured, list, list)  # widths are known when all are there, and these may be a million
    used = [bool(heading) or width > 0 for heading, width in zip(headings, widths, strict=True)]
    right = [column.is_number for column in compress(columns, used)]
    lines = (list(compress(row, used)) for row in chain([headings], first, more))
    out = standard_output("backslashreplace")
    if out.isatty() and len(first) <= DRAWN_ROWS:
        _draw([column.name for column in compress(columns, used)], right, list(lines))
        return
    widths = list(compress(map(max, widths, map(text_width, headings)), used))
    for row in lines:
        padded = (
            " " * (width - text_width(cell)) + cell if number else cell + " " * (width - text_width(cell))
            for cell, width, number in zip(row, widths, right, strict=True)
        )
        out.write("  ".join(padded).rstrip() + "\n")


def _draw(names: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]) -> None:
    """Draw a table; rows: the headings, then the others."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fpdb.cli.narrow_table import fit_table

    console = Console(file=sys.stdout)
    (headings, *cells), kept, notes = fit_table(names, rows, console.width - MARGIN)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for index in kept:
        justify: Literal["left", "right"] = "right" if right[index] else "left"
        table.add_column(Text(headings[index]), justify=justify, overflow="fold", no_wrap=right[index])
    for row in cells:
        table.add_row(*(Text(row[index]) for index in kept))
    console.print(table)
    for note in notes:
        write_line(note)
