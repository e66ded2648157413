"""Write results for programs: JSON Lines, CSV, Parquet, names and contents."""

import csv
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, BinaryIO, Final, Protocol, TextIO, TypeVar

from fpdb.cli.terminal import BYTES_OR_ESCAPES, printable, standard_output
from fpdb.columns import Columns
from fpdb.errors import BadName

T = TypeVar("T")
BATCH: Final = 1 << 12
"""Lines that are written together: a call for each may take longer than making it."""
encode_json: Final = json.JSONEncoder(check_circular=False, allow_nan=False).encode  # made once, for millions of lines


class SupportsToDict(Protocol):
    """A result with plain values by name."""

    def to_dict(self) -> dict[str, Any]:
        """Return the values."""


@contextmanager
def replace_file(path: str) -> Iterator[BinaryIO]:
    """Open a file that replaces the one at `path` when the block ends without an error.

    A new file can be read by its owner alone, since it may show what is in documents; a file that is replaced keeps its
    permissions. The path "-" is standard output. Devices and pipes are written directly.
    """
    if path == "-":
        yield sys.stdout.buffer
        return
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    temporary = f"{path}.{os.urandom(8).hex()}.new"  # which nobody can guess, and so prepare
    try:
        with open(temporary, "xb", opener=open_private) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o777)
        os.replace(temporary, path)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == temporary:
            error.filename = path  # the name that the user knows
        with suppress(OSError):
            os.unlink(temporary)
        raise


def open_private(path: str, flags: int) -> int:
    """Open a file, which its owner alone can read if it is new; the `opener` of `open`."""
    return os.open(path, flags, 0o600)


def write_results(format: str, columns: Columns, results: Iterable[SupportsToDict]) -> None:
    """Write results as JSON Lines, or their columns as CSV or Parquet."""
    if format == "json":
        for result in results:
            write_json(result.to_dict())
        return
    names = [column.name for column in columns]
    rows = (map(result.to_dict().get, names) for result in results)
    write_rows(
        format, columns, ([encode_json(cell) if isinstance(cell, dict) else cell for cell in row] for row in rows)
    )


def write_rows(format: str, columns: Columns, rows: Iterable[Sequence[object]]) -> None:
    """Write rows as CSV or Parquet; None is an empty cell."""
    if format == "csv":
        write_csv([column.name for column in columns], rows)
        return
    from fpdb.cli.parquet import write_parquet

    write_parquet(sys.stdout.buffer, columns, rows)


def write_json(value: object) -> None:
    """Write one value as one line of ASCII."""
    sys.stdout.write(encode_json(value) + "\n")


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """Yield lists of up to BATCH values."""
    remaining = iter(values)
    return iter(lambda: list(islice(remaining, BATCH)), [])


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output, many at once."""
    for batch in batches(lines):
        sys.stdout.write("\n".join((*batch, "")))


def write_bytes(chunks: Iterable[bytes]) -> None:
    """Write encoded lines as they are."""
    sys.stdout.flush()
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()


def write_csv(header: Sequence[str] | None, rows: Iterable[Sequence[object]]) -> None:
    """Write a header, if any, and rows. Names that are not UTF-8 keep their bytes, except on a terminal."""
    out = standard_output(BYTES_OR_ESCAPES)
    on_terminal = out.isatty()
    writer = csv.writer(_CsvLines(out), lineterminator="\r\n")
    if header is not None:
        writer.writerow(header)
    for row in rows:
        cells = [harmless_cell(cell) if isinstance(cell, str) else cell for cell in row]
        writer.writerow([printable(cell) if on_terminal and isinstance(cell, str) else cell for cell in cells])


def harmless_cell(text: str) -> str:
    """Return a cell with an apostrophe before it, if a spreadsheet would take it for a formula and run it."""
    return "'" + text if len(text) > 1 and text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def write_names(names: Iterable[str], separator: str) -> None:
    """Write names, each followed by a newline or a NUL; on a terminal one printable line each.

    Raises:
        BadName: A name contains the separator.
    """
    out = standard_output(BYTES_OR_ESCAPES)
    on_terminal = out.isatty()
    for batch in batches(names):
        text = separator.join((*batch, ""))
        if text.count(separator) > len(batch):
            bad = next(index for index, name in enumerate(batch) if separator in name)
            out.write(separator.join((*batch[:bad], "")))
            way = "give -0, or --format json" if separator == "\n" else "use --format json"
            raise BadName(f"the name {batch[bad]!r} cannot stand in a list of names that end so: {way}")
        out.write("".join(f"{printable(name)}\n" for name in batch) if on_terminal else text)


def write_content(content: bytes) -> None:
    """Write a document byte by byte; on a terminal as printable text."""
    out = standard_output("backslashreplace")
    if not out.isatty():
        out.buffer.write(content)
        return
    parts = re.split(r"([\n\t])", content.decode("utf-8", "surrogateescape").replace("\r\n", "\n"))
    for index, part in enumerate(parts):
        out.write(part if index % 2 else printable(part))


class _CsvLines:
    """Ends rows with a newline alone. `csv` quotes both kinds of newline in a cell only if rows end with both."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, row: str) -> None:
        self._out.write(row.removesuffix("\r\n") + "\n")
