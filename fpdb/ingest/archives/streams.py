"""Streams of unpacked bytes: each call asks the decompressor for no more than the caller has room for."""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Any, Final, Protocol

from fpdb.ingest.archives.limits import Exhausted, Meter, Refused

BUFFER: Final = 1 << 16
_PACKED: Final = 1 << 14
LZMA_MEMORY: Final = 1 << 28
"""What xz may take; its own presets take up to 65 MB."""

GZIP: Final = b"\x1f\x8b\x08"
BZIP2: Final = b"BZh"
XZ: Final = b"\xfd7zXZ\x00"


class Decompressor(Protocol):
    """What `bz2` and `lzma` have."""

    @property
    def eof(self) -> bool:
        """Whether the stream has come to its end."""

    @property
    def needs_input(self) -> bool:
        """Whether there is no more to be had without more packed bytes."""

    @property
    def unused_data(self) -> bytes:
        """Bytes behind the end of the stream."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """At most so many bytes."""


class _Inflater:
    """zlib's decompressor, used as those of `bz2` and `lzma`."""

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
        found = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self._full = len(found) == max_length
        return found


def _gzip() -> Decompressor:
    return _Inflater(31)


def deflate() -> Decompressor:
    """Of members of zip files."""
    return _Inflater(-15)


def _xz() -> Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, LZMA_MEMORY)


COMPRESSIONS: Final[dict[str, tuple[bytes, Callable[[], Decompressor]]]] = {
    "gzip": (GZIP, _gzip),
    "bzip2": (BZIP2, bz2.BZ2Decompressor),
    "xz": (XZ, _xz),
}
"""How a stream begins, and what unpacks it."""


class Unpacked(io.RawIOBase):
    """What a compressed stream unpacks to. Reading raises Refused where it is damaged, cut off or out of proportion,
    and does so again from there on; and what the meter raises.
    """

    def __init__(
        self, packed: io.BufferedIOBase, make: Callable[[], Decompressor], meter: Meter, again: bytes = b""
    ) -> None:
        """again: how a further stream would begin, to be unpacked as well; what else follows is not looked at."""
        self._packed, self._make, self._meter, self._again = packed, make, meter, again
        self._decompressor = make()
        self._waiting = b""
        self._ended = False
        self._failure: str | None = None
        self._taken = self._given = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fills the buffer, except at the end."""
        room = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(room):
            try:
                piece = self._piece(len(room) - filled)
            except (Refused, Exhausted):
                if not filled:
                    raise
                break  # what came before is good; the next call raises it again
            if not piece:
                break
            room[filled : filled + len(piece)] = piece
            filled += len(piece)
        return filled

    def _piece(self, most: int) -> bytes:
        if self._failure is not None:
            raise Refused(self._failure)
        try:
            piece = self._unpack(most)
        except (Refused, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
            self._failure = str(error) if isinstance(error, Refused) else f"damaged: {error}"
            raise Refused(self._failure) from error
        self._given += len(piece)
        self._meter.unpack(len(piece))
        limits = self._meter.limits
        if self._given > limits.free and self._given > limits.ratio * self._taken:
            self._failure = f"it unpacks to more than {limits.ratio} times its size, like a zip bomb"
            raise Refused(self._failure)
        return piece

    def _unpack(self, most: int) -> bytes:
        while not self._ended:
            if self._decompressor.eof:
                self._begin_next()
                continue
            packed = self._waiting
            if not packed and self._decompressor.needs_input:
                packed = self._take()
                if not packed:
                    raise Refused("cut off: it ends too early")
            self._waiting = b""
            piece = self._decompressor.decompress(packed, most)
            if piece:
                return piece
        return b""

    def _begin_next(self) -> None:
        """Goes on to the stream that follows this one, if there is one; zero bytes between them do not count."""
        rest = self._decompressor.unused_data.lstrip(b"\0") if self._again else b""
        while self._again and len(rest) < len(self._again) and (more := self._take()):
            rest = (rest + more).lstrip(b"\0")
        if self._again and rest.startswith(self._again):
            self._decompressor, self._waiting = self._make(), rest
        else:
            self._ended = True

    def _take(self) -> bytes:
        packed = self._packed.read(_PACKED)
        self._taken += len(packed)
        return packed


class Part(io.RawIOBase):
    """So many bytes of a stream, from where it stands. Refused: it ends before them."""

    def __init__(self, whole: io.BufferedIOBase, size: int, meter: Meter | None = None) -> None:
        """meter: counts them, where they may be read many times over."""
        self._whole, self.left, self._meter = whole, size, meter

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fills the buffer, except at the end."""
        room = memoryview(buffer).cast("B")[: self.left]
        found = self._whole.readinto(room) if self.left else 0
        if self.left and not found:
            raise Refused("cut off: it ends too early")
        self.left -= found
        if self._meter is not None:
            self._meter.unpack(found)
        return found


class Checked(io.RawIOBase):
    """A stream of a known size and CRC-32. Refused, at the end: they are others."""

    def __init__(self, inner: io.RawIOBase, size: int, crc: int) -> None:
        self._inner, self._left, self._crc = inner, size, crc
        self._running = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fills the buffer, except at the end."""
        found = self._inner.readinto(buffer) or 0
        self._left -= found
        self._running = zlib.crc32(memoryview(buffer).cast("B")[:found], self._running)
        if not found and self._left:
            raise Refused("damaged: it has another size than the archive says")
        if not found and self._running != self._crc:
            raise Refused("damaged: its checksum is wrong")
        return found


def buffered(stream: io.RawIOBase | io.BytesIO) -> io.BufferedReader:
    """The stream, so that it can be peeked into."""
    return io.BufferedReader(stream, BUFFER)
