"""Take all results of an iterator at once, the first in memory, many in a file: what they come from can be closed."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Any, Final, TypeVar

import msgpack

from fpdb.errors import StorageFailure

T = TypeVar("T")

BATCH: Final = 1 << 12  # results that are held as they are, and then those that are packed together
HELD_BYTES: Final = 1 << 24  # of packed results; more go to a file that has no name


def spool(results: Iterable[T], pack: Callable[[T], Any], unpack: Callable[[Any], T]) -> Iterator[T]:
    """Take all results, and return an iterator over them. Raises StorageFailure if there is no room for them.

    pack, unpack: turn a result into plain values of msgpack, and back.
    """
    remaining = iter(results)
    first = list(islice(remaining, BATCH))
    if len(first) < BATCH:
        return iter(first)
    with ExitStack() as stack:
        file = stack.enter_context(SpooledTemporaryFile(HELD_BYTES))
        try:
            while batch := list(map(pack, islice(remaining, BATCH))):
                file.write(msgpack.packb(batch, unicode_errors="surrogateescape"))
            file.flush()
        except OSError as error:
            raise StorageFailure(
                f"results cannot wait in a temporary file: {error.strerror}; let TMPDIR be a folder with more room"
            ) from error
        stack.pop_all()
    reading = _read(first, file, unpack)
    next(reading)  # from here on, the file is closed with the iterator, even if nobody asks for a result
    return reading


def _read(first: list[T], file: SpooledTemporaryFile[bytes], unpack: Callable[[Any], T]) -> Iterator[T]:
    """Yield the first result, then all results, and close the file."""
    with file:
        yield first[0]
        yield from first
        first.clear()
        file.seek(0)
        options: dict[str, Any] = {"use_list": False, "strict_map_key": False, "unicode_errors": "surrogateescape"}
        for batch in msgpack.Unpacker(file, max_buffer_size=0, **options):
            yield from map(unpack, batch)
