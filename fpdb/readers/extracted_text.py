"""Text that is taken out of a document piece by piece, with its parts, within the limits on one document."""

import io

from fpdb.errors import Unreadable
from fpdb.limits import Reading
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.symbols import Parts, Symbols

LONGEST_NAME = 200
"""Characters of the name of a part that are kept."""


class ExtractedText:
    """A text that grows. Offsets of its symbols are indices into it."""

    def __init__(self, reading: Reading, part: str = "") -> None:
        """Begin a text; part: what its parts are called, such as "slide"; "" if it has none."""
        self._reading, self._part = reading, part
        self._text = io.StringIO()
        self._ends_line = True
        self._starts: list[int] = []
        self._names: list[str] = []
        self._notes = 0

    def write(self, text: str) -> None:
        """Append a text. Raises Unreadable if all of it takes too much memory."""
        self._text.write(text)
        self._ends_line = text.endswith("\n") if text else self._ends_line
        if self.size > self._reading.limits.copied_bytes:
            raise Unreadable(f"its text takes too much memory: {self._reading.limits.memory_fault()}")

    def begin_part(self, name: str = "") -> None:
        """Begin the next part, on a line of its own; the first one has all that was written before."""
        self._reading.check_time()
        if self._starts and not self._ends_line:
            self.write("\n")
        self._append_part(self.size if self._starts else 0, name)

    def break_page(self) -> None:
        """Begin the next part where the text ends now, even within a line; the first part has all before."""
        if not self._starts:
            self.begin_part()
        self._append_part(self.size, "")

    def take_notes(self, start: int, name: str) -> None:
        """Make a part of the text from a character on, which is not counted as one; if there are parts, and text."""
        if self._starts and not self.getvalue()[start:].isspace() and start < self.size:
            self._append_part(start, name)
            self._notes += 1

    def _append_part(self, start: int, name: str) -> None:
        self._starts.append(start)
        self._names.append("")
        self.name_part(name)

    def name_part(self, name: str) -> None:
        """Extend the name of the last part."""
        if len(self._names[-1]) < LONGEST_NAME:
            self._names[-1] = " ".join(f"{self._names[-1]} {name}".split())[:LONGEST_NAME]

    @property
    def size(self) -> int:
        """Characters of the text so far."""
        return self._text.tell()

    def getvalue(self) -> str:
        """Return the text so far."""
        return self._text.getvalue()

    def fold(self, kind: str, alphabet: str, version: int = READER_VERSION) -> Symbols:
        """Return the symbols of the text of a document of a kind."""
        count = len(self._starts) - self._notes
        counted = f", {count} {self._part}{'' if count == 1 else 's'}" if self._starts else ""
        symbols = fold(self.getvalue(), f"{kind}{counted}; offsets in the text taken out", alphabet, version)
        if self._starts:
            symbols.parts = Parts(self._part, self._starts, self._names if any(self._names) else ())
        return symbols
