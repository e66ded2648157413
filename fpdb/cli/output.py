"""How answers are written: tables for people, JSON Lines and CSV for programs.

Whatever comes from documents and names passes `printable` on its way to a terminal. Knows nothing of
databases.
"""

import csv
import io
import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from itertools import compress, islice
from typing import Any, BinaryIO, Final, Literal, NamedTuple, Protocol, TextIO, TypeVar

import click

from fpdb.errors import BadName

SOME_NAMES = 3
"""Names that one line lists."""

RICH_ROWS = 1000
"""Longer tables are written plainly: drawing them would take seconds."""

encoded: Final = json.JSONEncoder(check_circular=False, allow_nan=False).encode  # made once, for millions of lines


class Column(NamedTuple):
    """A column of a table: its title, and whether its cells line up on the right."""

    title: str
    right: bool = False


def printable(text: str) -> str:
    """The text as a terminal may have it: control, format, bidi and surrogate characters as escapes."""
    if text.isprintable():
        return text
    return "".join(char if _is_harmless(char) else _escaped(char) for char in text)


def write_json(value: Any) -> None:
    """One object on one line, in ASCII: no character of a name can break it."""
    sys.stdout.write(encoded(value) + "\n")


def write_lines(pieces: Iterable[bytes]) -> None:
    """Lines of JSON as they are, in any pieces."""
    sys.stdout.flush()
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def write_csv(header: Sequence[str] | None, rows: Iterable[Sequence[object]]) -> None:
    """A header, if any, and rows. Names that are not UTF-8 keep their bytes, except on a terminal."""
    out = _stdout("surrogateescape")
    clean = out.isatty()
    writer = csv.writer(_Lines(out), lineterminator="\r\n")
    if header is not None:
        writer.writerow(header)
    for row in rows:
        writer.writerow([printable(cell) if clean and isinstance(cell, str) else cell for cell in row])


def write_rows(form: str, columns: Mapping[str, type], rows: Iterable[Sequence[object]]) -> None:
    """Rows as CSV or Parquet. columns: names, and what they hold: str, int, float or bool; None in a row is nothing."""
    if form == "csv":
        write_csv(list(columns), rows)
        return
    from fpdb.cli.parquet import write_parquet

    write_parquet(sys.stdout.buffer, columns, rows)


class Found(Protocol):
    """Something to be printed, as plain values by name."""

    def to_dict(self) -> dict[str, Any]:
        """The values."""


F = TypeVar("F", bound=Found)


def write_found(form: str, fields: Mapping[str, type], found: Iterable[Found]) -> None:
    """All of it, as JSON, CSV or Parquet. fields: of the latter two."""
    if form == "json":
        for one in found:
            write_json(one.to_dict())
    else:
        write_rows(form, fields, ([values.get(field) for field in fields] for values in (f.to_dict() for f in found)))


def write_first(
    columns: Sequence[Column],
    found: Iterable[F],
    top: int,
    row: Callable[[int, F], Sequence[str]],
    *,
    nothing: str,
    noun: str,
    see: str = "--top",
) -> None:
    """A table of the first, by rank, and how many more there are. nothing: what to say of none; see: what shows all."""
    found = iter(found)
    shown = list(islice(found, top))
    if not shown:
        write_line(nothing)
        return
    write_table(columns, (row(rank, one) for rank, one in enumerate(shown, start=1)))
    if more := sum(1 for _ in found):
        write_line(f"{count_text(more, f'more {noun}')}; see {'it' if more == 1 else 'them'} with {see}")


def write_names(names: Iterable[str], end: str) -> None:
    """Names alone, each ended by a newline or a NUL: their bytes, but on a terminal a printable line each. Raises
    BadName where a name holds what ends names."""
    out = _stdout("surrogateescape")
    clean = out.isatty()
    for name in names:
        if end in name:
            way = "give -0, or --format json" if end == "\n" else "use --format json"
            raise BadName(f"the name {name!r} cannot stand in a list of names that end so: {way}")
        out.write(printable(name) + "\n" if clean else name + end)


def write_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table: drawn by rich on a terminal, else in plain columns, nothing cut off; no column that is all empty."""
    cells = [[printable(cell) for cell in row] for row in rows]
    columns = [column._replace(title=printable(column.title)) for column in columns]
    used = [bool(column.title) or any(row[at] for row in cells) for at, column in enumerate(columns)]
    columns, cells = list(compress(columns, used)), [list(compress(row, used)) for row in cells]
    out = _stdout("backslashreplace")
    if out.isatty() and len(cells) <= RICH_ROWS:
        _draw(columns, cells)
        return
    widths = [max(map(len, column)) for column in zip([c.title for c in columns], *cells, strict=True)]
    for row in [[column.title for column in columns], *cells]:
        padded = (
            cell.rjust(width) if column.right else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        )
        out.write("  ".join(padded).rstrip() + "\n")


def write_details(details: Iterable[tuple[str, str]]) -> None:
    """Names and values, one a line."""
    lines = [(title, printable(value)) for title, value in details]
    width = max(len(title) for title, _ in lines)
    out = _stdout("backslashreplace")
    for title, value in lines:
        out.write(f"{title.ljust(width)}  {value}".rstrip() + "\n")


def write_content(content: bytes) -> None:
    """A document, byte by byte; on a terminal as text that is harmless to it."""
    out = _stdout("backslashreplace")
    if not out.isatty():
        out.buffer.write(content)
        return
    pieces = re.split(r"([\n\t])", content.decode("utf-8", "surrogateescape").replace("\r\n", "\n"))
    for index, piece in enumerate(pieces):
        out.write(piece if index % 2 else printable(piece))


def write_line(text: str = "") -> None:
    """One line on standard output."""
    _stdout("backslashreplace").write(printable(text) + "\n")


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of one that is there once all of it is written and on disk; an error in
    the block leaves what was there. "-" is standard output; a device or a pipe is written to as it is."""
    if path == "-":
        yield sys.stdout.buffer
        return
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    temporary = f"{path}.{os.getpid()}.new"
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o777)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


@contextmanager
def output_to(path: str, form: str) -> Iterator[None]:
    """What the block prints goes to the file, see `whole_file`. Raises click's UsageError where Parquet would go to a
    terminal; MissingPackage before any work is done."""
    if form == "parquet":
        from fpdb.cli.parquet import check_packages

        if path == "-" and sys.stdout.isatty():
            raise click.UsageError("Parquet is not for a terminal: give --output FILE")
        check_packages()
    if path == "-":
        yield
        return
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, "utf-8", write_through=True)
        with redirect_stdout(text):
            yield
        text.detach()


def say(message: str) -> None:
    """One line for the person, on standard error."""
    click.echo(printable(message), err=True)


def bar(share: float, width: int = 10) -> str:
    """A share of 1 as a bar of so many cells."""
    if "utf" not in (sys.stdout.encoding or "").lower():
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def size_text(size: float) -> str:
    """Bytes for people: `12 bytes`, `3.4 MB`."""
    for unit in ("GB", "MB", "kB"):
        scale = {"GB": 1e9, "MB": 1e6, "kB": 1e3}[unit]
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} bytes"


def time_text(seconds: float) -> str:
    """Seconds for people: `0:05`, `1:02:03`."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def count_text(count: int, noun: str, plural: str | None = None) -> str:
    """`1 document`, `1,234 documents`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def names_text(names: Sequence[str], count: int | None = None) -> str:
    """`a, b, c and 1,234 more`. count: of all, where these are but the first."""
    count = count or len(names)
    more = f" and {count - SOME_NAMES:,} more" if count > SOME_NAMES else ""
    return ", ".join(names[:SOME_NAMES]) + more


class _Lines:
    """Ends rows with a newline alone; `csv` quotes a cell's newlines of either sort only if rows end with both."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, row: str) -> None:
        self._out.write(row.removesuffix("\r\n") + "\n")


def _is_harmless(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, in a file's name
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _stdout(errors: str) -> TextIO:
    """Standard output, set to write what its encoding has not in this way rather than fail."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=errors)
    return sys.stdout


def _draw(columns: Sequence[Column], cells: Iterable[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.right else "left"
        table.add_column(Text(column.title), justify=justify, overflow="fold", no_wrap=column.right)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout).print(table)
