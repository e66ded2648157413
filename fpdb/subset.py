"""Subset: some of the documents, by their labels and names, to which a question is limited."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import translate
from functools import cache
from typing import Any, NamedTuple, Self

from fpdb.errors import BadQuery


class Subset(NamedTuple):
    """The documents that have all of these labels, and a name that one of some shell patterns matches, and no other.

    Without labels, or without patterns of names, these leave no document out.
    """

    labels: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    exclude_names: tuple[str, ...] = ()

    @classmethod
    def of(cls, labels: Any, names: Any, exclude_names: Any) -> Self:
        """Return the subset of options as calls take them: a dict, a pattern or several. Raises BadQuery."""
        pairs = tuple(labels.items()) if isinstance(labels, Mapping) else labels or ()
        if not isinstance(pairs, tuple) or not all(isinstance(text, str) for pair in pairs for text in pair):
            raise BadQuery(f"labels must be a dict of strings, not {labels!r}")
        return cls(pairs, _patterns(names, "names"), _patterns(exclude_names, "exclude_names"))

    @property
    def is_all(self) -> bool:
        """True if no document is left out."""
        return not any(self)

    def has(self, name: bytes, labels: Mapping[str, str]) -> bool:
        """Return True if a document of this name and these labels is one of them."""
        if any(labels.get(key) != value for key, value in self.labels):
            return False
        if not (self.names or self.exclude_names):
            return True
        text = name.decode("utf-8", "surrogateescape")
        return (not self.names or _matches(self.names)(text)) and not _matches(self.exclude_names)(text)


@cache
def _matches(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Return the test whether one of the patterns matches a name."""
    if not patterns:
        return lambda _: False
    match = re.compile("|".join(map(translate, patterns))).match
    return lambda name: match(name) is not None


def _patterns(given: Any, name: str) -> tuple[str, ...]:
    patterns = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else given or ()
    if not isinstance(patterns, tuple) or not all(isinstance(pattern, str) for pattern in patterns):
        raise BadQuery(f"{name} must be a shell pattern or several, such as 'essays/*', not {given!r}")
    return patterns
