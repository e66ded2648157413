"""Take all results of an iterator at once, few in memory, many in a file: what they come from can be closed."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from mmap import ACCESS_READ, mmap
from tempfile import SpooledTemporaryFile
from typing import Any, Final, TypeVar, cast

import msgpack

from fpdb.errors import StorageFailure

T = TypeVar("T")

BATCH: Final = 1 << 12  # results that are held as they are, and then those that are packed together
HELD_BYTES: Final = 1 << 24  # of packed results, or of pieces; more go to a file that has no name


class Pieces(Sequence[bytes]):
    """Pieces of bytes, in memory or in a file."""

    def __init__(self, file: SpooledTemporaryFile[bytes], pieces: Iterable[bytes]) -> None:
        """Write the pieces to an empty file. Raises OSError."""
        self._ends = array("Q", [0])
        for piece in pieces:
            file.write(piece)
            self._ends.append(self._ends[-1] + len(piece))
        file.flush()
        file.seek(0)
        in_file = self._ends[-1] > HELD_BYTES
        self._bytes = mmap(file.fileno(), 0, access=ACCESS_READ) if in_file else file.read()

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self._ends) - 1

    def __getitem__(self, index: Any) -> Any:
        """Return the piece of a number. Raises IndexError."""
        return self._bytes[self._ends[index] : self._ends[index + 1]]


def spool_pieces(pieces: Iterable[bytes], read: Callable[[Pieces], Iterator[T]]) -> Iterator[T]:
    """Take all pieces, and return what is read from them. Raises StorageFailure if there is no room for them."""
    with ExitStack() as stack:
        file = stack.enter_context(SpooledTemporaryFile(HELD_BYTES))
        try:
            kept = Pieces(file, pieces)
        except OSError as error:
            raise StorageFailure(
                f"results cannot wait in a temporary file: {error.strerror}; let TMPDIR be a folder with more room"
            ) from error
        stack.pop_all()
    reading = _close_after(file, read(kept))
    next(reading)  # from here on, the file is closed with the iterator, even if nobody asks for a result
    return cast(Iterator[T], reading)


def _close_after(file: SpooledTemporaryFile[bytes], results: Iterator[T]) -> Iterator[T | None]:
    """Yield None, then the results, and close the file."""
    with file:
        yield None
        yield from results


def spool(results: Iterable[T], pack: Callable[[T], Any], unpack: Callable[[Any], T]) -> Iterator[T]:
    """Take all results, and return an iterator over them. Raises StorageFailure if there is no room for them.

    pack, unpack: turn a result into plain values of msgpack, and back.
    """
    remaining = iter(results)
    first = list(islice(remaining, BATCH))
    if len(first) < BATCH:
        return iter(first)
    batches = iter(lambda: list(map(pack, islice(remaining, BATCH))), [])
    return spool_pieces(
        (msgpack.packb(batch, unicode_errors="surrogateescape") for batch in batches),
        lambda pieces: _read(first, pieces, unpack),
    )


def _read(first: list[T], pieces: Pieces, unpack: Callable[[Any], T]) -> Iterator[T]:
    yield from first
    first.clear()
    options: dict[str, Any] = {"use_list": False, "strict_map_key": False, "unicode_errors": "surrogateescape"}
    for piece in pieces:
        yield from map(unpack, msgpack.unpackb(piece, **options))
