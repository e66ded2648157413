"""Reviews of pairs: what people think of them, in a file beside the database that all of its users share.

A review is a line of JSON, appended under a lock; the last one of a pair counts, and the others are its history. If a
document is renamed, a line says so, and the reviews above it are of the new name. A line that was cut off by a crash is
written over by the next one.
"""

import fcntl
import json
import os
import pwd
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal, Self, get_args

from fpdb.errors import BadArgument, BadName, Error, Locked, StorageFailure
from fpdb.storage import file_format
from fpdb.storage.environment.failures import translated
from fpdb.storage.environment.lock_files import REVIEWS, open_beside
from fpdb.storage.environment.locking import flocked, wait_for_flock

Verdict = Literal["seen", "confirmed", "dismissed"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
LONGEST_NOTE: Final = 10_000
"""Characters of a note."""
LARGEST_FILE: Final = 1 << 26
"""Bytes of all reviews."""
_HEADER: Final = b"fpdb reviews 1\n"
_SECONDS: Final = 10.0  # to wait for others who write

Names = tuple[str, str]


class ReviewedMeanwhile(Error):
    """Somebody else reviewed the pair after the page was made."""


@dataclass(frozen=True)
class Review:
    """An opinion of a pair.

    Attributes:
        a, b: The names, in the order of their bytes.
        verdict: One of VERDICTS.
        note: Any words.
        by: The user's name.
        at: When it was noted, in seconds since 1970.
        digests: Of both documents at that time, in hexadecimal.
    """

    a: str
    b: str
    verdict: Verdict
    note: str
    by: str
    at: int
    digests: tuple[str, str]

    @classmethod
    def new(cls, names: Names, verdict: str, note: str, digests: Names) -> Self:
        """Return a review by this user, now. Raises BadArgument."""
        if verdict not in VERDICTS:
            raise BadArgument(f"a verdict is one of {', '.join(VERDICTS)}")
        if len(note) > LONGEST_NOTE:
            raise BadArgument(f"a note has at most {LONGEST_NOTE:,} characters")
        return cls(*names, verdict, note, _user(), int(time.time()), digests)

    @classmethod
    def of(cls, values: object) -> Self:
        """Return the review that a line of the file holds. Raises ValueError; BadName."""
        if not isinstance(values, dict) or values.keys() != cls.__dataclass_fields__.keys():
            raise ValueError("no review")
        digests = values["digests"]
        review = cls(**{**values, "digests": tuple(digests) if isinstance(digests, list) else ()})
        texts = [review.a, review.b, review.verdict, review.note, review.by, *review.digests]
        is_sound = all(isinstance(text, str) for text in texts) and isinstance(review.at, int)
        if not is_sound or review.verdict not in VERDICTS or len(review.digests) != 2 or abs(review.at) >= 1 << 37:
            raise ValueError("no review")
        in_order(review.a, review.b)
        return review

    def renamed(self, name: str, new_name: str) -> Self:
        """Return the review as it is after a document was renamed."""
        a, b = (new_name if each == name else each for each in (self.a, self.b))
        if in_order(a, b) == (a, b):
            return replace(self, a=a, b=b)
        return replace(self, a=b, b=a, digests=self.digests[::-1])

    @property
    def moment(self) -> datetime:
        """When it was noted, in UTC."""
        return datetime.fromtimestamp(self.at, UTC)


class Reviews:
    """The reviews of a database's pairs; several threads and processes may use them."""

    def __init__(self, database: str) -> None:
        """Use the file beside a database, which is made with the first review."""
        self.path = database + REVIEWS
        self._database = database
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._identity: tuple[int, int] | None = None
        self._end = 0  # of what was read
        self._reviews: defaultdict[Names, list[Review]] = defaultdict(list)
        self.unread_lines = 0

    def latest(self) -> Mapping[Names, Review]:
        """Return the last review of each pair. Raises StorageFailure."""
        with self._lock:
            self._read()
            return {names: reviews[-1] for names, reviews in self._reviews.items()}

    def history(self, names: Names) -> list[Review]:
        """Return the reviews of a pair, the first one first. Raises StorageFailure."""
        with self._lock:
            self._read()
            return list(self._reviews.get(names, ()))

    def add(self, review: Review, seen: int) -> None:
        """Note a review, durably.

        Args:
            review: The review.
            seen: How many reviews of the pair its author has seen.

        Raises:
            Error: ReviewedMeanwhile, and nothing was noted; Locked; StorageFailure.
        """
        with self._lock, translated(self.path), self._locked() as file:
            self._read_on(file)
            if len(self._reviews.get((review.a, review.b), ())) != seen:
                raise ReviewedMeanwhile("somebody else has reviewed this pair meanwhile")
            self._append(file, asdict(review))

    def rename(self, name: str, new_name: str) -> None:
        """Note, durably, that a document has another name, to which its reviews go. Raises Locked; StorageFailure."""
        with self._lock, translated(self.path):
            self._read()
            if any(name in names for names in self._reviews):
                with self._locked() as file:
                    self._read_on(file)
                    self._append(file, {"renamed": [name, new_name], "by": _user(), "at": int(time.time())})

    @contextmanager
    def _locked(self) -> Iterator[int]:
        file = open_beside(self._database, REVIEWS, _is_own)
        if not wait_for_flock(file, fcntl.LOCK_EX, time.monotonic() + _SECONDS):
            os.close(file)
            raise Locked(f"another process writes to {self.path!r}; waited {_SECONDS:g} s")
        with flocked(file):
            yield file

    def _read(self) -> None:
        if not os.path.lexists(self.path):
            self._forget()
            return
        with translated(self.path):
            file = open_beside(self._database, REVIEWS, _is_own)
            try:
                self._read_on(file)
            finally:
                os.close(file)

    def _append(self, file: int, values: Mapping[str, object]) -> None:
        line = json.dumps(values).encode() + b"\n"
        _append(file, self._end, line if self._end else _HEADER + line)
        self._read_on(file)

    def _read_on(self, file: int) -> None:
        """Read what was appended since the last time, or all of another file."""
        status = os.fstat(file)
        if (status.st_dev, status.st_ino) != self._identity or status.st_size < self._end:
            self._forget()
            self._identity = status.st_dev, status.st_ino
        if status.st_size > LARGEST_FILE:
            raise StorageFailure(f"{self.path!r} is larger than {LARGEST_FILE:,} bytes: move it away, and try again")
        content = os.pread(file, status.st_size - self._end, self._end)
        lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
        self._end += sum(map(len, lines))
        for line in lines:
            if line != _HEADER:
                try:
                    self._note(json.loads(line))
                except (ValueError, TypeError, RecursionError, BadName):
                    self.unread_lines += 1

    def _note(self, values: object) -> None:
        """Note a review or a renaming. Raises ValueError, TypeError or BadName: the line holds neither."""
        if not isinstance(values, dict) or "renamed" not in values:
            review = Review.of(values)
            self._reviews[review.a, review.b].append(review)
            return
        name, new_name = values["renamed"]
        if not isinstance(name, str) or not isinstance(new_name, str) or name == new_name:
            raise ValueError("no renaming")
        file_format.name_bytes(new_name)
        for names in [names for names in self._reviews if name in names]:
            for review in self._reviews.pop(names):
                if new_name not in names:  # else it was of a document that had this name before, and is gone
                    moved = review.renamed(name, new_name)
                    self._reviews[moved.a, moved.b].append(moved)


def in_order(a: str, b: str) -> Names:
    """Return two names in the order of their bytes, as pairs have them. Raises BadName."""
    first, second = sorted((a, b), key=file_format.name_bytes)
    return first, second


def _append(file: int, end: int, line: bytes) -> None:
    """Write a line at the end of what is whole, all of it or nothing."""
    try:
        os.ftruncate(file, end)
        if os.pwrite(file, line, end) != len(line):
            raise OSError("the disk is full")
        os.fsync(file)
    except OSError:
        os.ftruncate(file, end)
        raise


def _is_own(start: bytes, size: int) -> bool:
    return size == 0 or start.startswith(_HEADER[:size])


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
