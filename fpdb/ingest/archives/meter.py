"""Count what is read of an archive, against archives made to fill the memory or to take for ever."""

from fpdb.limits import DEFAULT_ARCHIVE_LIMITS, ArchiveLimits


class ArchiveError(Exception):
    """A member, or the rest of an archive, cannot be read; the message says why."""


class LimitExceeded(Exception):
    """The outermost archive exceeds a limit, and nothing more of it is read; the message says which.

    members_left: How many of its members that are, where it is known.
    """

    members_left: int | None = None


class ReadMeter:
    """Counts what is read of one outermost archive, with the archives in it."""

    def __init__(self, packed: int, limits: ArchiveLimits = DEFAULT_ARCHIVE_LIMITS) -> None:
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
