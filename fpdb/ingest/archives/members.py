"""Members of archives, and their labels."""

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
    """A member that is no folder.

    stream: Valid until the next member is asked for; reading raises ArchiveError and LimitExceeded. None where the
        member is skipped, and `reason` says why.
    """

    label: str
    stream: io.BufferedReader | None
    reason: str = ""


class MemberLabels:
    """Gives the members of one archive labels, no two the same."""

    def __init__(self, max_length: int) -> None:
        """Begin an archive; longer names are cut off."""
        self._max_length = max_length
        self._used: dict[int, int] = {}

    def label(self, name: str) -> str:
        """Return the name without empty and `.` parts, and thus never absolute; `..` stays, as nothing is opened by it.

        A second `a.txt` is `a~2.txt`.
        """
        name = name[: self._max_length]
        label = plain = "/".join(part for part in name.split("/") if part not in ("", ".")) or "unnamed"
        stem, dot, extension = plain.rpartition(".")
        if not stem or "/" in extension:
            stem, dot, extension = plain, "", ""
        while (number := self._used.get(hash(label), 0) + 1) > 1:
            self._used[hash(label)] = number
            label = f"{label}~{number}" if label != plain else f"{stem}~{number}{dot}{extension}"
        self._used[hash(label)] = 1
        return label
