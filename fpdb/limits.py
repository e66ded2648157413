"""Every limit on what an untrusted document, archive or file of records may take; SECURITY.md tells what they do.

`set_limits` changes those of time and memory, for this process and the workers that it starts. In a run, which is a
command or a call that reads many documents, those that fail share an amount of time.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from fpdb.errors import Error, Unreadable

MAX_DOCUMENT_BYTES: Final = 1 << 29
"""Documents and lines of this many bytes or more are not read, whatever they are in."""
MAX_UPLOAD_BYTES: Final = 1 << 25
"""Bytes that `fpdb browse` takes from a browser."""
MAX_PDF_BYTES: Final = 1 << 28
MAX_PDF_PAGES: Final = 20_000
MAX_POSTSCRIPT_OUTPUT: Final = 1 << 26
"""Bytes that Ghostscript may write."""
MAX_SOURCE_CODE_BYTES: Final = 2**31 - 1
"""The parser counts bytes in 32 bits."""
SMALL_SOURCE_CODE: Final = 1 << 13
"""Bytes up to which programs are parsed in this process: that takes a few seconds at worst."""

MAX_OFFICE_MEMBERS: Final = 10_000
MAX_OFFICE_PART: Final = 1 << 28
"""Bytes that a part of an office document may inflate to: a book has a few million."""
MAX_OFFICE_DEPTH: Final = 1000
MAX_OFFICE_TOKEN: Final = 1 << 21
"""Bytes of a tag, or of anything else that the XML parser reads again until it is complete."""

MAX_MAIL_PARTS: Final = 10_000

BYTES_PER_TAG: Final = 120
"""Of memory that a tag or a reference in HTML takes beside the text, of which there are three copies."""
MAX_LETTERS_PER_CHARACTER: Final = 4
"""Letters that the characters of a text stand for on average, if these take more than `text_bytes`. Syllables of
Korean stand for three, and one ligature of Arabic for 18."""

MAX_EXPANSION: Final = 250
"""Bytes unpacked for each packed one, of whatever is compressed. Text rarely goes beyond 20; a bomb begins at 1000."""
FREE_EXPANSION: Final = 1 << 26
"""Bytes that are unpacked whatever the ratio."""
XZ_MEMORY: Final = 1 << 28
"""Bytes of memory that xz may take; its own presets take up to 65 MB."""
ZSTD_WINDOW: Final = 1 << 27
"""Bytes of memory that zstd may take: as much as its own program takes unless told otherwise."""

TEXT_SHARE: Final = 8
"""The text or tokens taken out of a document may take the memory divided by this."""
FAILING_FACTOR: Final = 10
"""Documents of a run that fail may take as many times the seconds of one, beyond what others of these kinds take."""


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits on one archive that lies in a folder, with the archives in it."""

    members: int = 250_000
    """Members, folders among them. A zip that lists more is not read at all, a tar up to there."""

    unpacked: int = 1 << 35
    """Bytes that are unpacked in all, also those that are only skipped."""

    ratio: int = MAX_EXPANSION
    """Bytes that are unpacked for each packed one, of any compressed stream and of the archive as a whole."""

    free: int = FREE_EXPANSION
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


DEFAULT_ARCHIVE_LIMITS: Final = ArchiveLimits()


class DocumentLimits(NamedTuple):
    """Limits on reading one document of a kind whose parser may need much. memory: in bytes."""

    seconds: float = 30.0
    memory: int = 1_000_000_000

    @property
    def text_bytes(self) -> int:
        """Bytes of the text or tokens that may be taken out of a document."""
        return self.memory // TEXT_SHARE

    @property
    def copied_bytes(self) -> int:
        """Bytes of a row of Parquet, or of the text of an office document, of which several copies are made."""
        return self.text_bytes // 2

    def memory_fault(self) -> str:
        """Return the reason to skip a document that needs too much memory."""
        return f"reading it takes more than {_size(self.memory)} of memory (see --max-memory)"

    def time_fault(self) -> str:
        """Return the reason to skip a document that takes too long."""
        return f"reading it took more than {self.seconds:g} s (see --max-seconds)"


_current = DocumentLimits()
_failing: Any = None
"""Its `value` is how many seconds documents that fail may still take in this run; None outside of a run."""


def current() -> DocumentLimits:
    """Return the limits on one document that hold now."""
    return _current


def set_limits(seconds: float | None = None, memory: int | None = None) -> None:
    """Change what reading one document may take, for this process and the workers that it starts from now on.

    Args:
        seconds: Time of a parser; default 30. Documents that fail in one call, such as a load, may take ten times as
            long in all, beyond the time of those that are read; then slow kinds are passed over.
        memory: Bytes of memory of a parser; default 10^9.

    Raises:
        Error: A limit is zero or below.
    """
    global _current
    given = [value for value in (seconds, memory) if value is not None]
    if not all(isinstance(value, Real) and value > 0 for value in given):
        raise Error(f"limits are more than zero, not {seconds} seconds and {memory} bytes")
    _current = DocumentLimits(
        _current.seconds if seconds is None else float(seconds), _current.memory if memory is None else int(memory)
    )


@contextmanager
def one_run() -> Iterator[None]:
    """Count the time of documents that fail until the block ends; a run in a run is the same one."""
    global _failing
    if _failing is not None:
        yield
        return
    _failing = SimpleNamespace(value=FAILING_FACTOR * _current.seconds)
    try:
        yield
    finally:
        _failing = None


def share() -> tuple[DocumentLimits, Any]:
    """Return what a worker process adopts, so that limits and the run are the same. For processes to be started."""
    global _failing
    if isinstance(_failing, SimpleNamespace):
        from multiprocessing.sharedctypes import RawValue

        _failing = RawValue("d", _failing.value)
    return _current, _failing


def adopt(shared: tuple[DocumentLimits, Any]) -> None:
    """Take over the limits and the run of the process that this one works for."""
    global _current, _failing
    _current, _failing = shared


class Reading(NamedTuple):
    """The reading of one document, which must end by the deadline, in seconds of `time.monotonic`."""

    limits: DocumentLimits
    deadline: float

    def check_time(self) -> None:
        """Raise Unreadable if the deadline has passed."""
        if time.monotonic() > self.deadline:
            raise Unreadable(self.limits.time_fault())


@contextmanager
def timed_reading() -> Iterator[Reading]:
    """Give the limits on reading one document, and count its time against the run if reading fails.

    Raises:
        Unreadable: Documents that failed took all of their time.
    """
    total = FAILING_FACTOR * _current.seconds
    if _failing is not None and _failing.value <= 0:
        raise Unreadable(f"passed over: documents that failed took more than {total:g} s already (see --max-seconds)")
    start = time.monotonic()
    try:
        yield Reading(_current, start + _current.seconds)
    except Unreadable:
        if _failing is not None:
            _failing.value -= time.monotonic() - start
        raise
    if _failing is not None:
        _failing.value = min(total, _failing.value + time.monotonic() - start)


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"
