"""The kept texts: the content of documents as it was given, compressed.

Works inside a transaction that it is given. A text is cut into values of a page, as blocks are: LMDB would look for
several free pages in a row to put a larger one in. Knows nothing of what is in a text.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any, Final, NamedTuple

import lmdb
import xxhash

from fpdb.errors import Corrupt, MissingPackage, Unreadable
from fpdb.storage import file_format
from fpdb.storage.records import Record

LEVEL: Final = 3  # beyond, a tenth less space takes four times as long
BYTES, CHARACTERS = b"\0", b"\1"  # first byte of the packed form: what the content was given as


class KeptText(NamedTuple):
    """A document's content, packed to be kept: how it was given, then a Zstandard frame; its size and digest are those
    of its bytes."""

    packed: bytes
    size: int
    digest: bytes


def check_packages() -> None:
    """Raises MissingPackage where texts can be neither kept nor read."""
    try:
        import zstandard  # noqa: F401
    except ImportError as error:
        raise MissingPackage("zstandard is needed for kept texts: pip install 'fpdb[texts]'") from error


class _Contexts(threading.local):
    """Zstandard's contexts, which cost more to make than a small text to compress, and serve one thread each."""

    def __init__(self) -> None:
        check_packages()
        import zstandard

        self.compressor = zstandard.ZstdCompressor(level=LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


@cache
def _contexts() -> _Contexts:
    return _Contexts()


def pack(content: str | bytes) -> KeptText:
    """The content as it is kept; a string as its UTF-8, surrogates passed. Raises MissingPackage, Unreadable."""
    form, encoded = (BYTES, content) if isinstance(content, bytes) else (CHARACTERS, _encoded(content))
    if len(encoded) > file_format.LARGEST_TEXT:
        raise Unreadable(f"a text of {len(encoded)} bytes is too large to keep; {file_format.LARGEST_TEXT} is the most")
    frame = _contexts().compressor.compress(encoded)
    return KeptText(form + frame, len(encoded), xxhash.xxh3_128_digest(encoded))


def _encoded(content: str) -> bytes:
    return content.encode("utf-8", "surrogatepass")


class Texts:
    """The kept texts of one transaction."""

    def __init__(self, txn: lmdb.Transaction, database: Any) -> None:
        self._txn = txn
        self._database = database

    def read(self, document: int, record: Record) -> str | bytes | None:
        """A document's content as it was given; None where it is not kept. Raises Corrupt, MissingPackage."""
        text = self.kept(document, record)
        if text is None:
            return None
        check_packages()
        try:
            return unpack(text)
        except ValueError as error:
            raise _damaged(record, str(error)) from error

    def read_bytes(self, document: int, record: Record) -> bytes | None:
        """The same as bytes, a string as its UTF-8."""
        content = self.read(document, record)
        return _encoded(content) if isinstance(content, str) else content

    def kept(self, document: int, record: Record) -> KeptText | None:
        """A document's text as it is stored, its pieces put together and not yet unpacked. Raises Corrupt."""
        if record.text is None:
            return None
        try:
            packed = b"".join(self._pieces(document))
        except Corrupt as error:
            raise _damaged(record, str(error)) from error
        return KeptText(packed, record.text, record.digest)

    def _pieces(self, document: int) -> Iterator[memoryview]:
        for expected, (piece, body) in enumerate(self._values(document)):
            if piece != expected:
                raise Corrupt(f"piece {expected} is missing")
            yield body

    def _values(self, document: int) -> Iterator[tuple[int, memoryview]]:
        cursor = self._txn.cursor(self._database)
        if cursor.set_range(file_format.text_key(document)):
            for key, value in cursor:
                key = bytes(key)
                owner, piece = file_format.parse_text_key(key)
                if owner != document:
                    return
                yield piece, file_format.unseal(key, value)

    def documents(self) -> Iterator[int]:
        """Whatever has pieces of a text here, ascending. Raises Corrupt."""
        keys = self._txn.cursor(self._database).iternext(keys=True, values=False)
        for document, _ in groupby(file_format.parse_text_key(bytes(key))[0] for key in keys):
            yield document

    def file_bytes(self) -> int:
        """What all texts take in the file."""
        sizes = self._txn.stat(self._database)
        return int(sizes["psize"] * (sizes["branch_pages"] + sizes["leaf_pages"] + sizes["overflow_pages"]))

    def put(self, document: int, text: KeptText, *, append: bool = False) -> None:
        """Stores the text of a document that has none. append: it follows all that are there."""
        for piece, start in enumerate(range(0, len(text.packed), file_format.TEXT_PIECE)):
            key = file_format.text_key(document, piece)
            value = file_format.seal(key, text.packed[start : start + file_format.TEXT_PIECE])
            if not self._txn.put(key, value, db=self._database, append=append):
                raise Corrupt(f"the text {key!r} came out of order; run 'fpdb check'")

    def delete(self, document: int) -> None:
        """Drops a document's text, damaged or not."""
        cursor = self._txn.cursor(self._database)
        beginning = file_format.text_key(document)[:4]
        found = cursor.set_range(beginning)
        while found and bytes(cursor.key()).startswith(beginning):
            found = cursor.delete()


def unpack(text: KeptText) -> str | bytes:
    """The content. Raises MissingPackage; ValueError: it is not what was packed."""
    decompressor = _contexts().decompressor
    from zstandard import ZstdError, frame_content_size

    form, frame = text.packed[:1], text.packed[1:]
    try:
        size = frame_content_size(frame)
        if not 0 <= size == text.size <= file_format.LARGEST_TEXT:  # before room is made for it
            raise ValueError(f"{size} bytes are announced, and the record says {text.size}")
        content = decompressor.decompress(frame, max_output_size=size, allow_extra_data=False)
    except ZstdError as error:
        raise ValueError(str(error)) from error
    if len(content) != size or xxhash.xxh3_128_digest(content) != text.digest:
        raise ValueError("it is another content than the record's digest stands for")
    if form not in (BYTES, CHARACTERS):
        raise ValueError(f"its form {form!r} is unknown")
    return content if form == BYTES else content.decode("utf-8", "surrogatepass")


def _damaged(record: Record, what: str) -> Corrupt:
    name = record.name.decode("utf-8", "surrogateescape")
    return Corrupt(
        f"the kept text of {name!r} is damaged ({what}); remove the document and add it again, or take a backup"
    )
