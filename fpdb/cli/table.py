"""Tables for people."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from typing import Literal

from fpdb.cli.output import batches, write_lines
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
    rows = ((str(rank), *row) for rank, row in enumerate(cells_of(columns, results), start=1))
    write_table((RANK, *columns), rows)


def cells_of(columns: Columns, results: Iterable[object]) -> Iterator[tuple[str, ...]]:
    """Yield the texts of the cells of each result."""
    for batch in batches(results):
        yield from zip(*(column.cells(batch) for column in columns), strict=True)


def write_table(columns: Sequence[ResultColumn], rows: Iterable[Sequence[str]]) -> None:
    """Write a table, drawn on a terminal and plain elsewhere, without columns that are empty."""
    headings = tuple(printable(column.heading or "") for column in columns)
    widths = [0] * len(columns)  # of the cells

    def measure() -> Iterator[tuple[str, ...]]:
        for batch in batches(rows):
            cells = [_printable_cells(column) for column in zip(*batch, strict=True)]
            widths[:] = map(max, widths, map(_width, cells))
            yield from zip(*cells, strict=True)

    measured = measure()
    first = list(islice(measured, DRAWN_ROWS + 1))
    more: Iterator[tuple[str, ...]] = iter(())
    if len(first) > DRAWN_ROWS:
        from fpdb.spool import spool

        more = spool(measured, tuple, tuple)  # widths are known when all are there, and these may be a million
    used = [bool(heading) or width > 0 for heading, width in zip(headings, widths, strict=True)]
    right = [column.is_number for column in columns]
    out = standard_output("backslashreplace")
    if out.isatty() and len(first) <= DRAWN_ROWS:
        lines = [list(compress(row, used)) for row in (headings, *first)]
        _draw([column.name for column in compress(columns, used)], list(compress(right, used)), lines)
        return
    widths = list(map(max, widths, map(text_width, headings)))
    template = _template(widths, right, used)

    def line(row: tuple[str, ...]) -> str:
        is_ascii = "".join(row).isascii()
        fitting = template if is_ascii else _template(map(_length, row, widths), right, used)
        return (fitting % row).rstrip()

    write_lines(map(line, chain([headings], first, more)))


def _printable_cells(cells: Sequence[str]) -> Sequence[str]:
    return cells if "".join(cells).isprintable() else list(map(printable, cells))


def _width(cells: Sequence[str]) -> int:
    return max(map(len if "".join(cells).isascii() else text_width, cells))


def _length(cell: str, width: int) -> int:
    """Return how many characters a cell and its padding have that fill so many columns of a terminal."""
    return width - text_width(cell) + len(cell)


def _template(lengths: Iterable[int], right: Iterable[bool], used: Iterable[bool]) -> str:
    """Return a line of cells that are padded to these lengths, for `%`; nothing is printed of unused columns."""
    cells = (
        f"  %{'' if number else '-'}{length}s" if is_used else "%.0s"
        for length, number, is_used in zip(lengths, right, used, strict=True)
    )
    return "".join(cells).replace("  ", "", 1)


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
