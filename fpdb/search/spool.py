"""Keep lines between the process that makes them and the output: few in memory, many in a file."""

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
"""That are written at once, and held. (Memory that larger pieces pass through is new to the system each time, and a
megabyte may take five times as long.)"""


class SpooledLines(NamedTuple):
    """Lines in order, to be read once: those in a file, if there is one, and those that follow."""

    last: bytes
    path: str | None = None

    def pieces(self) -> Iterator[bytes]:
        """Yield the lines in pieces that may end within a line, and delete the file. Raises OSError."""
        if self.path is not None:
            with open(self.path, "rb", buffering=0) as file:
                while piece := file.read(PIECE_BYTES):
                    yield piece
            os.unlink(self.path)
        yield self.last


@contextmanager
def spool_folder() -> Iterator[str]:
    """Make a folder for `spool_lines`, and delete it even if a signal ends the process; for the main thread."""
    from tempfile import TemporaryDirectory  # a query alone needs none

    endings = [each for each in TERMINATION_SIGNALS if signal.getsignal(each) is signal.SIG_DFL]  # not with nohup
    for each in endings:
        signal.signal(each, _end)
    try:
        with TemporaryDirectory(prefix="fpdb-") as folder:
            yield folder
    finally:
        for each in endings:
            signal.signal(each, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def spool_lines(lines: Iterable[bytes], folder: str) -> SpooledLines:
    """Keep lines: no more than PIECE_BYTES and the longest line in memory, the others in a new file in the folder.

    Raises StorageFailure.
    """
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
    return SpooledLines(bytes(waiting), None if file is None else file.name)
