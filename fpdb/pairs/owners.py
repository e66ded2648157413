"""The rules that tell the owner of a document."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

from fpdb.errors import BadQuery
from fpdb.pairs import name_pattern
from fpdb.storage.records import Record

Owners = list[bytes | None]

DEFAULT: Final = "label:owner"
ATTEMPT: Final = r"_attempt_[0-9]{4}(?:-[0-9]{2}){5}"
PRESETS: Final = {
    # Full Name_123456_assignsubmission_file_/Main.java, and without the slash if all files are in one folder.
    "moodle": re.compile(r"(?:^|/)([^/]*_[0-9]+)_assignsubmission_[a-z]+"),
    # namefirstname_LATE_123_4567_main.c, and namefirstname_123_text.html for a text that was typed in.
    "canvas": re.compile(
        r"(?:^|/)(?:(?:LATE_)?(anon_[0-9A-Za-z]+)|([^/]+?)_(?:LATE_)?([0-9]+))_(?:[0-9]+_|(?:text|link)\.html)"
    ),
    # Assignment Name_username_attempt_2024-01-31-12-30-00_main.c, and .txt for the attempt itself.
    "blackboard": re.compile(rf"(?:^|/)[^/]*_([^/_]+){ATTEMPT}"),
}
"""The names that learning platforms export; the groups that match, joined, are the owner."""


@dataclass(frozen=True)
class OwnerRule:
    """A rule that tells owners by a label or by names.

    Attributes:
        text: The rule as it was given.
        matches: Words for a document that has an owner by this rule, after "document".
        label: The label of which the value is the owner, if by_name is None.
        by_name: Return the owners of documents of these names, None for those that have none.
    """

    text: str
    matches: str
    label: str | None = None
    by_name: Callable[[Sequence[bytes]], Owners] | None = None

    @classmethod
    def parse(cls, rule: str) -> Self:
        """Return the rule of a text, see `PairOptions.owners`. Raises BadQuery; MissingPackage for a pattern."""
        kind, _, value = rule.partition(":")
        if rule in PRESETS:
            return cls(rule, f"has a name as {rule.title()} exports it", by_name=partial(_preset_owners, rule))
        if kind == "label" and value:
            return cls(rule, f"has the label {value!r}", label=value)
        if kind == "pattern" and value:
            name_pattern.check(value)
            return cls(rule, f"has a name that matches {value!r}", by_name=partial(name_pattern.find_owners, value))
        if kind == "path" and re.fullmatch(r"-?0*[1-9][0-9]{0,8}", value):
            parts = int(value)
            matches = f"has a name of more than {-parts} parts" if parts < 0 else "has a name"
            return cls(rule, matches, by_name=partial(_path_owners, parts))
        presets = ", ".join(PRESETS)
        raise BadQuery(f"owners are told by path:N, path:-N, label:KEY, pattern:REGEX or {presets}, not {rule!r}")

    def owners(self, names: Sequence[bytes], values: Sequence[str | None]) -> Owners:
        """Return the owners of documents, None for those that have none. values: of the label; not used by names."""
        if self.by_name is not None:
            return self.by_name(names)
        return [None if value is None else value.encode("utf-8", "surrogateescape") for value in values]

    def owner(self, record: Record) -> bytes | None:
        """Return the owner of a document, or None if it has none."""
        return self.owners([record.name], [record.labels.get(self.label or "")])[0]


def _path_owners(parts: int, names: Sequence[bytes]) -> Owners:
    """Return the first parts of each name; or all but the last ones, None if there are no more."""
    owners = (b"/".join(name_parts(name)[:parts]) for name in names)
    return [owner if owner or parts > 0 else None for owner in owners]


def name_parts(name: bytes) -> list[bytes]:
    """Return the folders of a name and its last part."""
    return [part for part in name.split(b"/") if part not in (b"", b".")]


def _preset_owners(preset: str, names: Sequence[bytes]) -> Owners:
    matches = (PRESETS[preset].search(name.decode("utf-8", "surrogateescape")) for name in names)
    return [
        "_".join(group for group in match.groups() if group is not None).encode("utf-8", "surrogateescape")
        if match
        else None
        for match in matches
    ]
