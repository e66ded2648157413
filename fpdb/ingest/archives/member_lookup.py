"""Members by the source that documents have: `<path of the archive>!/<label>`.

There is another `!/<label>` for each archive in between.
"""

import io
import os
from collections.abc import Iterator
from typing import Final

from fpdb.ingest.archives.archive import HEAD, detect_form, open_archive, read_stream
from fpdb.ingest.archives.meter import ArchiveError, LimitExceeded, ReadMeter
from fpdb.ingest.archives.streams import buffered
from fpdb.limits import DEFAULT_ARCHIVE_LIMITS, MAX_DOCUMENT_BYTES, ArchiveLimits

MARK: Final = "!/"


def split_source(source: str) -> Iterator[tuple[str, str]]:
    """Yield every reading of a source as an archive's path and the rest; a path, too, may have the mark in it."""
    mark = source.find(MARK)
    while mark > 0:
        yield source[:mark], source[mark + len(MARK) :]
        mark = source.find(MARK, mark + 1)


class MemberCache:
    """The members of one tar, as far as there is room.

    A tar has to be read from its beginning for each member, and many are wanted one after the other.
    """

    def __init__(self, room: int = 1 << 26) -> None:
        """Begin empty. room: in bytes."""
        self._room = room
        self._archive: tuple[int, ...] = ()
        self._members: dict[str, bytes] = {}

    def find(self, file: io.BufferedReader, name: str, label: str) -> bytes | None:
        """Return the bytes of a member; None if they are not at hand. The archive's file is left at its beginning."""
        status = os.fstat(file.fileno())
        archive = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
        if archive != self._archive:
            self._archive, self._members = archive, {}
            if detect_form(file.peek(HEAD)[:HEAD]) != "zip":
                self._fill(file, name, status.st_size)
                file.seek(0)
        return self._members.get(label)

    def _fill(self, file: io.BufferedReader, name: str, size: int) -> None:
        room = self._room
        try:
            form = detect_form(file.peek(HEAD)[:HEAD])
            for member in open_archive(file, form, name, ReadMeter(size)).members:
                if member.stream is not None:
                    self._members[member.label] = read_stream(member.stream, room, "no room")
                    room -= len(self._members[member.label])
        except (ArchiveError, LimitExceeded):
            pass  # later members are looked for, and complained of, one by one


def find_member(
    stream: io.BufferedReader, size: int, name: str, inside: str, limits: ArchiveLimits = DEFAULT_ARCHIVE_LIMITS
) -> bytes:
    """Return the bytes of one member. Raises ArchiveError.

    stream, size, name: Of the outermost archive. inside: The source after its path.
    """
    try:
        return _find(stream, name, inside, ReadMeter(size, limits), 1)
    except LimitExceeded as error:
        raise ArchiveError(str(error)) from error


def _find(stream: io.BufferedReader, name: str, inside: str, meter: ReadMeter, depth: int) -> bytes:
    form = detect_form(stream.peek(HEAD)[:HEAD])
    if depth > meter.limits.depth:
        raise ArchiveError(f"in more than {meter.limits.depth} archives, one in another")
    for member in open_archive(stream, form, name, meter).members:
        if inside == member.label:
            if member.stream is None:
                raise ArchiveError(member.reason)
            return read_stream(member.stream, MAX_DOCUMENT_BYTES, "too large")
        if inside.startswith(member.label + MARK) and member.stream is not None:
            inner = member.stream
            if detect_form(inner.peek(HEAD)[:HEAD]) == "zip":
                inner = hold_in_memory(inner, meter)
            return _find(inner, member.label, inside[len(member.label + MARK) :], meter, depth + 1)
    raise ArchiveError("no longer in the archive")


def hold_in_memory(stream: io.BufferedReader, meter: ReadMeter) -> io.BufferedReader:
    """Read a zip file inside an archive into memory; the meter counts it as held. Raises ArchiveError."""
    content = read_stream(stream, meter.limits.held - meter.held, "too large for an archive in an archive")
    meter.held += len(content)
    return buffered(io.BytesIO(content))
