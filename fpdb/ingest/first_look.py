"""A first look at files, before they are read: at the names of many, and at the beginnings of a few texts."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from fpdb.ingest.discover import list_files
from fpdb.ingest.files import document_name
from fpdb.ingest.path_filter import PathFilter
from fpdb.ingest.record_formats import EXTENSIONS, RecordFormat
from fpdb.readers.kinds import kind_by_name

FIRST_FILES = 200
FIRST_TEXTS, BEGINNING = 10, 4096
"""Texts that are looked into, and the bytes of each."""
_CHINESE_OR_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


class RecordFile(NamedTuple):
    """A file that seems to hold records."""

    name: str
    format: RecordFormat


class FirstLook(NamedTuple):
    """A look at the first files.

    files: How many were looked at. programs: How many of them are programs by their names. chinese_or_japanese: True if
    most letters of the first texts are. records: The first file of records: JSON Lines by its name or its beginning, or
    CSV by its name, if it is itself one of the paths. Folders of programs and texts often hold tables.
    """

    files: int
    programs: int
    chinese_or_japanese: bool
    records: RecordFile | None

    @property
    def is_mostly_programs(self) -> bool:
        """True if more than half of the files are programs."""
        return 2 * self.programs > self.files


def look_at(paths: Sequence[str], path_filter: PathFilter) -> FirstLook:
    """Look at the first files at `paths`, folders included, but not archives."""
    names = list(islice(list_files(paths, path_filter), FIRST_FILES))
    programs = sum(kind_by_name(name) == "code" for name in names)
    texts = [name for name in names if kind_by_name(name) == "text"][:FIRST_TEXTS]
    unknown = [name for name in names if kind_by_name(name) is None][:FIRST_TEXTS]
    beginnings = {name: _beginning(name) for name in texts + unknown}
    chinese_or_japanese = _is_chinese_or_japanese("".join(beginnings[name] for name in texts))
    return FirstLook(len(names), programs, chinese_or_japanese, _first_records(names, paths, beginnings))


def _first_records(names: Iterable[str], paths: Iterable[str], beginnings: Mapping[str, str]) -> RecordFile | None:
    given = set(map(document_name, paths))
    for name in names:
        if name.endswith(EXTENSIONS["jsonl"]) or _are_records(beginnings.get(name, "")):
            return RecordFile(name, "jsonl")
        if name in given and name.endswith(EXTENSIONS["csv"]):
            return RecordFile(name, "csv")
    return None


def _are_records(beginning: str) -> bool:
    """Return True if the first two lines are JSON objects, the second as far as it is there."""
    lines = [line for line in beginning.split("\n") if line.strip()][:2]
    if len(lines) < 2 or not lines[1].startswith("{"):
        return False
    try:
        return isinstance(json.loads(lines[0]), dict)
    except (ValueError, RecursionError):
        return False


def _is_chinese_or_japanese(text: str) -> bool:
    return 2 * len(_CHINESE_OR_JAPANESE.findall(text)) > sum(map(str.isalpha, text))


def _beginning(path: str) -> str:
    """Return the beginning of a text in UTF-8; nothing of one that cannot be read."""
    if not os.path.isfile(path):  # not a pipe, which can be read only once
        return ""
    with suppress(OSError), open(path, "rb") as file:
        return file.read(BEGINNING).decode("utf-8", "ignore")
    return ""
