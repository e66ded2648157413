"""How much of an archive is read: limits against archives made to fill the memory or to take for ever."""

from dataclasses import dataclass
from typing import Final

MAX_DOCUMENT_BYTES: Final = 1 << 29
"""Documents from this many bytes on are not read, in an archive or not: one is held in memory many times over, see
SECURITY.md."""


@dataclass(frozen=True)
class Limits:
    """What is read of one archive that lies in a folder, with the archives in it."""

    members: int = 250_000
    """Members, folders among them. A zip that lists more is not read at all, a tar up to there."""

    unpacked: int = 1 << 35
    """Bytes that are unpacked in all, those that are only passed over among them."""

    ratio: int = 250
    """Bytes that are unpacked for each packed one, of any compressed stream and of the archive as a whole. Text rarely
    goes beyond 20; a zip bomb begins at 1000."""

    free: int = 1 << 26
    """So many bytes are unpacked whatever the ratio."""

    depth: int = 5
    """Archives one in another, the outermost among them."""

    held: int = 1 << 28
    """Bytes of zip files inside archives: their list of members comes last, so they are read into memory."""

    directory: int = 1 << 26
    """Bytes of the list of members of one zip file."""

    header: int = 1 << 16
    """Bytes of what a tar says of one member beyond its plain header, such as a long name."""

    name: int = 1 << 15
    """Characters of a member's name; what is longer is cut off."""


LIMITS: Final = Limits()


class Refused(Exception):
    """A member, or the rest of an archive, cannot be read; the message says why."""


class Exhausted(Exception):
    """The outermost archive has gone over a limit, and nothing more of it is read; the message says which.

    left: how many of its members that are, where that is known.
    """

    left: int | None = None


class Meter:
    """Counts what was read of one outermost archive, all that is in it included."""

    def __init__(self, packed: int, limits: Limits = LIMITS) -> None:
        """packed: bytes of the outermost archive."""
        self.limits = limits
        self.held = 0
        """Bytes of zip files that are in memory now."""
        self._members = self._unpacked = 0
        self._most = min(limits.unpacked, max(limits.free, limits.ratio * packed))

    def members_left(self) -> int:
        """How many members may still come."""
        return self.limits.members - self._members

    def member(self) -> None:
        """Counts one member. Exhausted: it is one too many."""
        self._members += 1
        if self._members > self.limits.members:
            raise Exhausted(f"it has more than {self.limits.members:,} members")

    def unpack(self, size: int) -> None:
        """Counts bytes that were unpacked. Exhausted: they are too many."""
        self._unpacked += size
        if self._unpacked <= self._most:
            return
        if self._most == self.limits.unpacked:
            raise Exhausted(f"it unpacks to more than {self._most / 1e9:.1f} GB")
        raise Exhausted(f"it unpacks to more than {self.limits.ratio} times its size, like a zip bomb")
