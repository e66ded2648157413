"""The files of folders and archives that are documents: not what tools leave behind, nor what patterns leave out.

fpdb is one of these tools: it leaves files beside each database.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from fpdb.errors import BadArgument
from fpdb.storage.environment.files import BESIDE

_LEFT_BY_TOOLS = (
    ".git .hg .svn .bzr CVS node_modules __pycache__ .venv .tox .nox .idea .vscode .gradle .mypy_cache .pytest_cache "
    ".ruff_cache .ipynb_checkpoints __MACOSX .DS_Store ._.DS_Store .Trashes .Spotlight-V100 Thumbs.db desktop.ini"
)
PASSED_OVER = frozenset(_LEFT_BY_TOOLS.split())
"""Names of folders and files that version control, package managers, editors and operating systems leave behind."""

_BESIDE_DATABASES = tuple(f".fpdb{suffix}" for suffix in BESIDE)

_BY_EXCLUDE, _BY_INCLUDE = "--exclude", "--include"


class PathFilter:
    """Patterns as in .gitignore, for paths relative to the folder or archive that was named.

    Attributes:
        passed_over: How many files and folders were passed over, by name, or by the option whose pattern did it.
    """

    def __init__(self, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
        """Take only files that `include` matches, if it is given, and none that `exclude` matches.

        `exclude` follows the names of `PASSED_OVER`, and of the files beside databases: "!.git" takes what is in .git.
        Raises BadArgument.
        """
        self._include, self._exclude = tuple(include), tuple(exclude)
        self.passed_over: Counter[str] = Counter()
        if self._include or self._exclude:
            _ = self._included, self._excluded  # wrong patterns are told at once

    @cached_property
    def _excluded(self) -> Any:
        return _compile((*sorted(PASSED_OVER), *(f"*{ending}" for ending in _BESIDE_DATABASES), *self._exclude))

    @cached_property
    def _included(self) -> Any:
        return _compile(self._include)

    def takes_folder(self, path: str) -> bool:
        """Return True if the folder at a relative path is looked into."""
        return self._is_not_excluded(path, path + "/")

    def takes_container(self, path: str) -> bool:
        """Return True if the file at a relative path is looked into, in case it is an archive."""
        return self._is_not_excluded(path, path)

    def takes_file(self, path: str) -> bool:
        """Return True if the document at a relative path is read, as far as `include` says."""
        if not self._include or self._included.match_file(path):
            return True
        self.passed_over[_BY_INCLUDE] += 1
        return False

    def _is_not_excluded(self, path: str, pattern_path: str) -> bool:
        name = next(filter(None, map(_passed_over, path.split("/"))), None)
        is_excluded = self._excluded.match_file(pattern_path) if self._exclude else name is not None
        if is_excluded:
            self.passed_over[name or _BY_EXCLUDE] += 1
        return not is_excluded


def _passed_over(name: str) -> str | None:
    """Return as what a file or folder of this name is passed over; None if it is not."""
    if name in PASSED_OVER:
        return name
    return f"*{name[name.rindex('.') :]}" if name.endswith(_BESIDE_DATABASES) else None


def _compile(patterns: tuple[str, ...]) -> Any:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise BadArgument(f"a pattern is not one of .gitignore: {error}") from error
