"""Kept texts: the content of documents as it was given, compressed.

Works inside a transaction that it is given. A text is cut into values of a page, as blocks are, since LMDB would look
for several free pages in a row to hold a larger value. Knows nothing of what is in a text.
"""

import threading
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, groupby, starmap
from typing import Any, Final, NamedTuple

import lmdb
import xxhash

from fpdb.errors import Corrupt, MissingPackage, Unreadable
from fpdb.storage import file_format
from fpdb.storage.key_values import put_all
from fpdb.storage.records import Record

LEVEL: Final = 3  # beyond, a tenth less space takes four times as long
BYTES, CHARACTERS = b"\0", b"\1"  # first byte of the packed form: what the content was given as


class KeptText(NamedTuple):
    """A document's content, packed to be kept.

    Attributes:
        packed: BYTES or CHARACTERS, as the content was given, then a Zstandard frame.
        size: The number of bytes before compression.
        digest: The digest of these bytes.
    """

    packed: bytes
    size: int
    digest: bytes


def check_packages() -> None:
    """Raise MissingPackage if texts can be neither kept nor read."""
    try:
        import zstandard  # noqa: F401 (only whether it can be imported matters)
    except ImportError as error:
        raise MissingPackage("zstandard is needed for kept texts: pip install 'fpdb[texts]'") from error


class _Contexts(threading.local):
    """Zstandard contexts of a thread, which cost more to make than a small text to compress."""

    def __init__(self) -> None:
        check_packages()
        import zstandard

        self.compressor = zstandard.ZstdCompressor(level=LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


@cache
def _contexts() -> _Contexts:
    return _Contexts()


def pack(content: str | bytes) -> KeptText:
    """Pack a content; a string as UTF-8, surrogates included.

    Raises:
        MissingPackage: zstandard is not installed.
        Unreadable: The content is too large.
    """
    given_as, encoded = (BYTES, content) if isinstance(content, bytes) else (CHARACTERS, _encoded(content))
    if len(encoded) > file_format.LARGEST_TEXT:
        raise Unreadable(f"a text of {len(encoded)} bytes is too large to keep; {file_format.LARGEST_TEXT} is the most")
    packed = given_as + _contexts().compressor.compress(encoded)
    if len(encoded) > _largest_content(packed):
        raise Unreadable(f"a text of {len(encoded)} bytes that repeats itself so much is not kept")
    return KeptText(packed, len(encoded), xxhash.xxh3_128_digest(encoded))


def _largest_content(packed: bytes) -> int:
    """Return the most bytes that a packed text may stand for: a few bytes never take much memory to read."""
    return min(max(file_format.ANY_TEXT, file_format.LARGEST_RATIO * len(packed)), file_format.LARGEST_TEXT)


def _encoded(content: str) -> bytes:
    return content.encode("utf-8", "surrogatepass")


class Texts:
    """The kept texts of one transaction."""

    def __init__(self, txn: lmdb.Transaction, database: Any) -> None:
        """Read from, and write to, the database of texts in a transaction."""
        self._txn = txn
        self._database = database

    def read(self, document_id: int, record: Record) -> str | bytes | None:
        """Return a document's content as it was given, see `TextReader.read`."""
        text = self.kept(document_id, record)
        if text is None:
            return None
        check_packages()
        try:
            return unpack(text)
        except ValueError as error:
            raise _damaged(record, str(error)) from error

    def read_bytes(self, document_id: int, record: Record) -> bytes | None:
        """Return what `read` does as bytes, a string as UTF-8."""
        content = self.read(document_id, record)
        return _encoded(content) if isinstance(content, str) else content

    def kept(self, document_id: int, record: Record) -> KeptText | None:
        """Return a document's text, still packed, or None if it is not kept. Raises Corrupt."""
        if record.text is None:
            return None
        try:
            packed = b"".join(self._pieces(document_id))
        except Corrupt as error:
            raise _damaged(record, str(error)) from error
        return KeptText(packed, record.text, record.digest)

    def verified(self, document_id: int, record: Record) -> KeptText | None:
        """Return what `kept` does, once it was unpacked, if the package for that is there. Raises Corrupt."""
        text = self.kept(document_id, record)
        try:
            if text is not None:
                unpack(text)
        except MissingPackage:
            pass
        except ValueError as error:
            raise _damaged(record, str(error)) from error
        return text

    def _pieces(self, document_id: int) -> Iterator[memoryview]:
        cursor = self._txn.cursor(self._database)
        if cursor.set_range(file_format.text_key(document_id)):
            for expected, (key, value) in enumerate(cursor):
                key = bytes(key)
                owner, piece = file_format.parse_text_key(key)
                if owner != document_id:
                    return
                body = file_format.unseal(key, value)
                if piece != expected:
                    raise Corrupt(f"piece {expected} is missing")
                yield body

    def documents(self) -> Iterator[int]:
        """Yield the ids of all that has pieces of a text, ascending. Raises Corrupt."""
        keys = self._txn.cursor(self._database).iternext(keys=True, values=False)
        for document_id, _ in groupby(file_format.parse_text_key(bytes(key))[0] for key in keys):
            yield document_id

    def file_bytes(self) -> int:
        """Return the number of bytes that all texts take in the file."""
        sizes = self._txn.stat(self._database)
        return int(sizes["psize"] * (sizes["branch_pages"] + sizes["leaf_pages"] + sizes["overflow_pages"]))

    def put(self, texts: Iterable[tuple[int, KeptText]]) -> None:
        """Store the texts of documents that have none, by id, ascending. Raises Corrupt."""
        put_all(self._txn, self._database, chain.from_iterable(starmap(_sealed_pieces, texts)))

    def delete(self, document_id: int) -> None:
        """Delete a document's text, damaged or not."""
        cursor = self._txn.cursor(self._database)
        beginning = file_format.text_key(document_id)[:4]
        more = cursor.set_range(beginning)
        while more and bytes(cursor.key()).startswith(beginning):
            more = cursor.delete()


def _sealed_pieces(document_id: int, text: KeptText) -> Iterator[tuple[bytes, bytes]]:
    for piece, start in enumerate(range(0, len(text.packed), file_format.TEXT_PIECE)):
        key = file_format.text_key(document_id, piece)
        yield key, file_format.seal(key, text.packed[start : start + file_format.TEXT_PIECE])


def unpack(text: KeptText) -> str | bytes:
    """Return the content of a kept text.

    Raises:
        MissingPackage: zstandard is not installed.
        ValueError: The text is not what was packed.
    """
    decompressor = _contexts().decompressor
    from zstandard import ZstdError, frame_content_size

    given_as, frame = text.packed[:1], text.packed[1:]
    try:
        size = frame_content_size(frame)
        if not 0 <= size == text.size <= _largest_content(text.packed):  # before room is made for it
            raise ValueError(f"{size} bytes are announced, and the record says {text.size}")
        content = decompressor.decompress(frame, max_output_size=size, allow_extra_data=False)
    except ZstdError as error:
        raise ValueError(str(error)) from error
    if len(content) != size or xxhash.xxh3_128_digest(content) != text.digest:
        raise ValueError("it is another content than the record's digest stands for")
    if given_as not in (BYTES, CHARACTERS):
        raise ValueError(f"its form {given_as!r} is unknown")
    return content if given_as == BYTES else content.decode("utf-8", "surrogatepass")


def _damaged(record: Record, what: str) -> Corrupt:
    name = file_format.name_text(record.name)
    return Corrupt(
        f"the kept text of {name!r} is damaged ({what}); remove the document and add it again, or take a backup"
    )
