"""Lines on their way from the process that makes them to where they are printed: few in memory, many in a file."""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import NamedTuple

from fpdb.errors import StorageFailure
from fpdb.ingest.process_pool import TERMINATION_SIGNALS

PIECE_BYTES = 1 << 16
"""That are written at once, and held. (Of larger pieces, all memory that they pass through is new to the system, and a
megabyte may take five times as long.)"""


class Spooled(NamedTuple):
    """Lines in order, to be read once: those in a file, if any, and those that follow."""

    last: bytes
    path: str | None = None

    def pieces(self) -> Iterator[bytes]:
        """All of them, in pieces that may end within a line. The file is gone then. OSError: it cannot be read."""
        if self.path is not None:
            with open(self.path, "rb", buffering=0) as file:
                while piece := file.read(PIECE_BYTES):
                    yield piece
            os.unlink(self.path)
        yield self.last


@contextmanager
def spool_folder() -> Iterator[str]:
    """A new folder for `spooled`, which goes in the end, also where the process is told to end; for a main thread."""
    from tempfile import TemporaryDirectory  # not for a query alone, which needs none

    ending = [one for one in TERMINATION_SIGNALS if signal.getsignal(one) is signal.SIG_DFL]  # not: nohup
    for one in ending:
        signal.signal(one, _end)
    try:
        with TemporaryDirectory(prefix="fpdb-") as folder:
            yield folder
    finally:
        for one in ending:
            signal.signal(one, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def spooled(lines: Iterable[bytes], folder: str) -> Spooled:
    """The lines, of which no more than PIECE_BYTES and the longest line are held in memory; others are in a new file in
    the folder. Raises StorageFailure where that cannot be written."""
    from tempfile import NamedTemporaryFile

    waiting = bytearray()
    with ExitStack() as stack:
        file = None
        for line in lines:
            waiting += line
            if len(waiting) < PIECE_BYTES:
                continue
            try:
                file = file or stack.enter_context(NamedTemporaryFile(dir=folder, delete=False, buffering=0))
                left = memoryview(bytes(waiting))
                while left:
                    left = left[file.write(left) :]
            except OSError as error:
                where = os.path.dirname(folder)
                raise StorageFailure(
                    f"answers cannot wait in {where!r}: {error.strerror}; let TMPDIR be a folder with more room"
                ) from error
            waiting.clear()
    return Spooled(bytes(waiting), None if file is None else file.name)
