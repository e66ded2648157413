"""Messages of a mailbox (mbox, RFC 4155), one after the other; each begins behind a line `From SENDER DATE`."""

import io
import re
from collections.abc import Iterator
from typing import Final

from fpdb.ingest.archives.members import Member
from fpdb.ingest.archives.meter import ReadMeter
from fpdb.ingest.archives.streams import BUFFER, buffered
from fpdb.limits import MAX_DOCUMENT_BYTES

_SEPARATOR: Final = re.compile(rb"From \S[^\n]*\b(?:19|20)\d\d\b[^\n]*\n")
_BEGINNING: Final = re.compile(_SEPARATOR.pattern + rb"[A-Za-z][A-Za-z0-9-]*:")
_BLANK: Final = (b"\n", b"\r\n")


def is_mbox(head: bytes) -> bool:
    """Return True if a file begins with such a line, and a field of a message."""
    return _BEGINNING.match(head) is not None


def mbox_members(file: io.BufferedReader, meter: ReadMeter) -> Iterator[Member]:
    """Yield the messages, named `1.eml` and so on. Raises ArchiveError where the rest cannot be read, LimitExceeded."""
    number = 0
    line = file.readline(BUFFER)
    while line:
        meter.count_member()
        number += 1
        message = io.BytesIO()
        follows_blank = False
        while (line := file.readline(BUFFER)) and not (follows_blank and _SEPARATOR.match(line)):
            follows_blank = line in _BLANK
            if message.tell() < MAX_DOCUMENT_BYTES:
                message.write(line)
        message.seek(0)
        yield Member(f"{number}.eml", buffered(message))
