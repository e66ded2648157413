"""A first look at the names of files, before any is read."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from fpdb.ingest.discover import list_files
from fpdb.ingest.input_files import EXTENSIONS
from fpdb.ingest.path_filter import PathFilter
from fpdb.readers.kinds import kind_by_name

FIRST_FILES = 200


class FirstLook(NamedTuple):
    """A look at the names of the first files.

    files: How many were looked at. programs: How many of them are programs. records: The first one that is named as
    JSON Lines are.
    """

    files: int
    programs: int
    records: str | None

    @property
    def is_mostly_programs(self) -> bool:
        """True if more than half of the files are programs."""
        return 2 * self.programs > self.files


def look_at(paths: Iterable[str], path_filter: PathFilter) -> FirstLook:
    """Look at the names of the first files at `paths`, folders included, but not archives."""
    names = list(islice(list_files(paths, path_filter), FIRST_FILES))
    programs = sum(kind_by_name(name) == "code" for name in names)
    return FirstLook(len(names), programs, next((name for name in names if name.endswith(EXTENSIONS["jsonl"])), None))
