"""Limits on how much of an archive is read, against archives made to fill the memory or to take for ever."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits on one archive that lies in a folder, with the archives in it."""

    members: int = 250_000
    """Members, folders among them. A zip that lists more is not read at all, a tar up to there."""

    unpacked: int = 1 << 35
    """Bytes that are unpacked in all, also those that are only skipped."""

    ratio: int = 250
    """Bytes that are unpacked for each packed one, of any compressed stream and of the archive as a whole. Text rarely
    goes beyond 20; a zip bomb begins at 1000."""

    free: int = 1 << 26
    """Bytes that are unpacked whatever the ratio."""

    depth: int = 5
    """Archives one in another, the outermost among them."""

    held: int = 1 << 28
    """Bytes of zip files inside archives: their list of members comes last, so they are read into memory."""

    directory: int = 1 << 26
    """Bytes of the list of members of one zip file."""

    header: int = 1 << 16
    """Bytes of what a tar says of one member beyond its plain header, such as a long name."""

    name: int = 1 << 15
    """Characters of a member's name; longer names are cut off."""


DEFAULT_LIMITS: Final = ArchiveLimits()


class ArchiveError(Exception):
    """A member, or the rest of an archive, cannot be read; the message says why."""


class LimitExceeded(Exception):
    """The outermost archive exceeds a limit, and nothing more of it is read; the message says which.

    members_left: How many of its members that are, where it is known.
    """

    members_left: int | None = None


class ReadMeter:
    """Counts what is read of one outermost archive, with the archives in it."""

    def __init__(self, packed: int, limits: ArchiveLimits = DEFAULT_LIMITS) -> None:
        """Begin at zero. packed: bytes of the outermost archive."""
        self.limits = limits
        self.held = 0
        """Bytes of zip files that are in memory now."""
        self._members = self._unpacked = 0
        self._max_unpacked = min(limits.unpacked, max(limits.free, limits.ratio * packed))

    def members_left(self) -> int:
        """Return how many members may still come."""
        return self.limits.members - self._members

    def count_member(self) -> None:
        """Count one member. Raises LimitExceeded."""
        self._members += 1
        if self._members > self.limits.members:
            raise LimitExceeded(f"it has more than {self.limits.members:,} members")

    def count_unpacked(self, size: int) -> None:
        """Count bytes that were unpacked. Raises LimitExceeded."""
        self._unpacked += size
        if self._unpacked <= self._max_unpacked:
            return
        if self._max_unpacked == self.limits.unpacked:
            raise LimitExceeded(f"it unpacks to more than {self._max_unpacked / 1e9:.1f} GB")
        raise LimitExceeded(f"it unpacks to more than {self.limits.ratio} times its size, like a zip bomb")
