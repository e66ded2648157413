"""A member of an archive, and its label."""

import io
import stat
from typing import Final, NamedTuple

NOT_FILES: Final = {
    stat.S_IFLNK: "a symbolic link, not followed",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Member(NamedTuple):
    """A member that is no folder. Its stream is good until the next member is asked for; reading it raises Refused and
    Exhausted."""

    label: str
    stream: io.BufferedReader | None
    """None: it is passed over."""
    reason: str = ""
    """Why it is passed over."""


class Labels:
    """Labels of the members of one archive, no two the same."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._met: dict[int, int] = {}

    def of(self, name: str) -> str:
        """The name without empty and `.` parts, and thus never absolute; `..` stays, since nothing is opened by it.

        A second `a.txt` is `a~2.txt`. A name that is too long is cut off.
        """
        name = name[: self._longest]
        label = plain = "/".join(part for part in name.split("/") if part not in ("", ".")) or "unnamed"
        stem, dot, extension = plain.rpartition(".")
        if not stem or "/" in extension:
            stem, dot, extension = plain, "", ""
        while (number := self._met.get(hash(label), 0) + 1) > 1:
            self._met[hash(label)] = number
            label = f"{label}~{number}" if label != plain else f"{stem}~{number}{dot}{extension}"
        self._met[hash(label)] = 1
        return label
