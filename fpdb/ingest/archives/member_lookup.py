"""Where a member came from, as a string, and the way back: `<path of the archive>!/<label>`, once more for each archive
in between.
"""

import io
import os
from collections.abc import Iterator
from typing import Final

from fpdb.ingest.archives.limits import LIMITS, MAX_DOCUMENT_BYTES, Exhausted, Limits, Meter, Refused
from fpdb.ingest.archives.members import Member
from fpdb.ingest.archives.opening import HEAD, archive_form, content_of, open_archive
from fpdb.ingest.archives.streams import buffered

MARK: Final = "!/"


def split_source(source: str) -> Iterator[tuple[str, str]]:
    """Every reading of a source as an archive's path and what is in it; a path, too, may have the mark in it."""
    at = source.find(MARK)
    while at > 0:
        yield source[:at], source[at + len(MARK) :]
        at = source.find(MARK, at + 1)


class MemberCache:
    """What the members of one tar are, as far as there is room: it has to be read from its beginning for each of them,
    and many are asked for one after the other."""

    def __init__(self, room: int = 1 << 26) -> None:
        """room: in bytes."""
        self._room = room
        self._archive: tuple[int, ...] = ()
        self._members: dict[str, bytes] = {}

    def find(self, file: io.BufferedReader, name: str, inside: str) -> bytes | None:
        """The bytes of a member; None if they are not at hand. file: of the archive, which then is at its beginning."""
        status = os.fstat(file.fileno())
        archive = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
        if archive != self._archive:
            self._archive, self._members = archive, {}
            if archive_form(file.peek(HEAD)[:HEAD]) != "zip":
                self._fill(file, name, status.st_size)
                file.seek(0)
        return self._members.get(inside)

    def _fill(self, file: io.BufferedReader, name: str, size: int) -> None:
        left = self._room
        try:
            for member in open_archive(file, archive_form(file.peek(HEAD)[:HEAD]), name, Meter(size)).members:
                if member.stream is not None:
                    self._members[member.label] = content_of(member.stream, left, "no room")
                    left -= len(self._members[member.label])
        except (Refused, Exhausted):
            pass  # what comes after is looked for, and complained of, each by itself


def find_member(stream: io.BufferedReader, size: int, name: str, inside: str, limits: Limits = LIMITS) -> bytes:
    """The bytes of one member. stream, size, name: of the outermost archive. inside: the rest of the source.

    Refused: there is none, or it cannot be read under the limits.
    """
    try:
        return _find(stream, name, inside, Meter(size, limits), 1)
    except Exhausted as error:
        raise Refused(str(error)) from error


def _find(stream: io.BufferedReader, name: str, inside: str, meter: Meter, depth: int) -> bytes:
    form = archive_form(stream.peek(HEAD)[:HEAD])
    if depth > meter.limits.depth:
        raise Refused(f"in more than {meter.limits.depth} archives, one in another")
    for member in open_archive(stream, form, name, meter).members:
        if inside == member.label:
            return _content(member)
        if inside.startswith(member.label + MARK) and member.stream is not None:
            inner = member.stream
            if archive_form(inner.peek(HEAD)[:HEAD]) == "zip":
                inner = hold(inner, meter)
            return _find(inner, member.label, inside[len(member.label + MARK) :], meter, depth + 1)
    raise Refused("no longer in the archive")


def _content(member: Member) -> bytes:
    if member.stream is None:
        raise Refused(member.reason)
    return content_of(member.stream, MAX_DOCUMENT_BYTES, "too large")


def hold(stream: io.BufferedReader, meter: Meter) -> io.BufferedReader:
    """A zip file inside an archive, read into memory; the meter counts it as held. Refused: there is no room for it."""
    content = content_of(stream, meter.limits.held - meter.held, "too large for an archive in an archive")
    meter.held += len(content)
    return buffered(io.BytesIO(content))
