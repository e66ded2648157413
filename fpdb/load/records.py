"""Documents from JSON Lines: `{"name", "text"}` a line and, if wanted, `kind`, `source`, `contact`, `labels`.

A broken line is named by file and line and passed over; the rest goes on. Knows nothing of fingerprints.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from fpdb.archives import LARGEST
from fpdb.load.sources import Own, Skipped, Source, name_of, reason_of, too_large

_PIECE = 1 << 20
_OPTIONAL_STRINGS = ("kind", "source", "contact")


def records(paths: Iterable[str], *, kind: str = "text", own: Own | None = None) -> Iterator[Source | Skipped]:
    """The documents in JSON Lines files; `-` is standard input.

    kind: of lines that do not say theirs. own: the database's files, which are passed over.
    """
    for path in paths:
        if path == "-":
            yield from lines(sys.stdin.buffer, "standard input", kind=kind)
            continue
        try:
            if own is not None and own.holds(path, os.stat(path)):
                yield Skipped(name_of(path), "the database itself", asked=True)
                continue
            with open(path, "rb") as file:
                yield from lines(file, name_of(path), kind=kind)
        except (OSError, ValueError) as error:
            yield Skipped(name_of(path), reason_of(error), asked=True)


def lines(file: BinaryIO, origin: str, *, kind: str = "text") -> Iterator[Source | Skipped]:
    """The documents in one open file. origin: what to call it where a line is broken."""
    for number, line in enumerate(iter(lambda: file.readline(LARGEST), b""), start=1):
        if (wrong := too_large(len(line))) is not None:
            while line and not line.endswith(b"\n"):
                line = file.readline(_PIECE)
            yield Skipped(f"{origin}:{number}", wrong)
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.isspace():
            continue
        try:
            yield _record(line, kind)
        except ValueError as error:
            yield Skipped(f"{origin}:{number}", str(error))


def _record(line: bytes, kind: str) -> Source:
    """One line as a document. ValueError: what is wrong with it."""
    try:
        record: Any = json.loads(line)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("not an object")
    for field in ("name", "text"):
        if field not in record:
            raise ValueError(f'no "{field}"')
        if not isinstance(record[field], str):
            raise ValueError(f'"{field}" is not a string')
    for field in _OPTIONAL_STRINGS:
        if not isinstance(record.get(field), str | None):
            raise ValueError(f'"{field}" is not a string')
    labels = record.get("labels")
    if labels is not None and not _is_labels(labels):
        raise ValueError('"labels" is not an object of strings')
    return Source(
        record["name"],
        content=record["text"],
        size=len(line),
        kind=record.get("kind") or kind,
        source=record.get("source"),
        contact=record.get("contact"),
        labels=labels,
    )


def _is_labels(labels: Any) -> bool:
    return isinstance(labels, dict) and all(isinstance(value, str) for value in labels.values())
