"""Streams of unpacked bytes: each call asks the decompressor for no more than the caller has room for."""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Any, Final, Protocol

from fpdb.ingest.archives.meter import ArchiveError, LimitExceeded, ReadMeter
from fpdb.limits import XZ_MEMORY

BUFFER: Final = 1 << 16
_PACKED_READ: Final = 1 << 14

GZIP: Final = b"\x1f\x8b\x08"
BZIP2: Final = b"BZh"
XZ: Final = b"\xfd7zXZ\x00"


class Decompressor(Protocol):
    """The interface of the decompressors of `bz2` and `lzma`."""

    @property
    def eof(self) -> bool:
        """True at the end of the stream."""

    @property
    def needs_input(self) -> bool:
        """True if there is nothing more to return without more packed bytes."""

    @property
    def unused_data(self) -> bytes:
        """Bytes behind the end of the stream."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Return at most so many bytes."""


class _Inflater:
    """zlib's decompressor with the interface of `bz2`'s."""

    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)
        self._full = False
        """The last answer was as long as it might be, so that there may be more."""

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail and not self._full

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        unpacked = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self._full = len(unpacked) == max_length
        return unpacked


def _gzip() -> Decompressor:
    return _Inflater(31)


def deflate() -> Decompressor:
    """Make a decompressor of raw deflate, for members of zip files."""
    return _Inflater(-15)


def _xz() -> Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, XZ_MEMORY)


COMPRESSIONS: Final[dict[str, tuple[bytes, Callable[[], Decompressor]]]] = {
    "gzip": (GZIP, _gzip),
    "bzip2": (BZIP2, bz2.BZ2Decompressor),
    "xz": (XZ, _xz),
}
"""First bytes of a compressed stream, and the function that makes its decompressor."""


class _ReadableStream(io.RawIOBase):
    def readable(self) -> bool:
        return True


class UnpackedStream(_ReadableStream):
    """The unpacked bytes of a compressed stream.

    Reading raises ArchiveError where the stream is damaged, cut off or out of proportion, and again from there on; and
    LimitExceeded.
    """

    def __init__(
        self,
        packed: io.BufferedIOBase,
        make_decompressor: Callable[[], Decompressor],
        meter: ReadMeter,
        next_mark: bytes = b"",
    ) -> None:
        """Begin where `packed` stands.

        next_mark: How a further stream would begin, to be unpacked as well; anything else that follows is ignored.
        """
        self._packed, self._make_decompressor, self._meter = packed, make_decompressor, meter
        self._next_mark = next_mark
        self._decompressor = make_decompressor()
        self._waiting = b""
        self._ended = False
        self._failure: str | None = None
        self._packed_bytes = self._unpacked_bytes = 0

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer, except at the end."""
        room = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(room):
            try:
                part = self._next_part(len(room) - filled)
            except (ArchiveError, LimitExceeded):
                if not filled:
                    raise
                break  # what came before is good; the next call raises it again
            if not part:
                break
            room[filled : filled + len(part)] = part
            filled += len(part)
        return filled

    def _next_part(self, limit: int) -> bytes:
        if self._failure is not None:
            raise ArchiveError(self._failure)
        try:
            part = self._unpack(limit)
        except (ArchiveError, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
            self._failure = str(error) if isinstance(error, ArchiveError) else f"damaged: {error}"
            raise ArchiveError(self._failure) from error
        self._unpacked_bytes += len(part)
        self._meter.count_unpacked(len(part))
        limits = self._meter.limits
        if self._unpacked_bytes > limits.free and self._unpacked_bytes > limits.ratio * self._packed_bytes:
            self._failure = f"it unpacks to more than {limits.ratio} times its size, like a zip bomb"
            raise ArchiveError(self._failure)
        return part

    def _unpack(self, limit: int) -> bytes:
        while not self._ended:
            if self._decompressor.eof:
                self._begin_next()
                continue
            packed = self._waiting
            if not packed and self._decompressor.needs_input:
                packed = self._read_packed()
                if not packed:
                    raise ArchiveError("cut off: it ends too early")
            self._waiting = b""
            part = self._decompressor.decompress(packed, limit)
            if part:
                return part
        return b""

    def _begin_next(self) -> None:
        """Go on to the stream that follows, if there is one; zero bytes between them do not count."""
        mark = self._next_mark
        rest = self._decompressor.unused_data.lstrip(b"\0") if mark else b""
        while mark and len(rest) < len(mark) and (more := self._read_packed()):
            rest = (rest + more).lstrip(b"\0")
        if mark and rest.startswith(mark):
            self._decompressor, self._waiting = self._make_decompressor(), rest
        else:
            self._ended = True

    def _read_packed(self) -> bytes:
        packed = self._packed.read(_PACKED_READ)
        self._packed_bytes += len(packed)
        return packed


class BoundedStream(_ReadableStream):
    """So many bytes of a stream, from where it stands. Reading raises ArchiveError if the stream ends before them."""

    def __init__(self, whole: io.BufferedIOBase, size: int, meter: ReadMeter | None = None) -> None:
        """Begin where `whole` stands. meter: counts the bytes, where they may be read many times over."""
        self._whole, self.left, self._meter = whole, size, meter

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer, except at the end."""
        room = memoryview(buffer).cast("B")[: self.left]
        count = self._whole.readinto(room) if self.left else 0
        if self.left and not count:
            raise ArchiveError("cut off: it ends too early")
        self.left -= count
        if self._meter is not None:
            self._meter.count_unpacked(count)
        return count


class ChecksummedStream(_ReadableStream):
    """A stream of a known size and CRC-32. Reading raises ArchiveError at the end if they are others."""

    def __init__(self, inner: io.RawIOBase, size: int, crc: int) -> None:
        """Begin where `inner` stands."""
        self._inner, self._left, self._crc = inner, size, crc
        self._running_crc = 0

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer, except at the end."""
        count = self._inner.readinto(buffer) or 0
        self._left -= count
        self._running_crc = zlib.crc32(memoryview(buffer).cast("B")[:count], self._running_crc)
        if not count and self._left:
            raise ArchiveError("damaged: it has another size than the archive says")
        if not count and self._running_crc != self._crc:
            raise ArchiveError("damaged: its checksum is wrong")
        return count


def buffered(stream: io.RawIOBase | io.BytesIO) -> io.BufferedReader:
    """Return the stream as one that can be peeked into."""
    return io.BufferedReader(stream, BUFFER)
