"""Chunks: several documents that are read, fingerprinted and sent between processes together."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from fpdb.fingerprint import Recipe
from fpdb.ingest.files import InputDocument, Skipped

CHUNK_BYTES = 1 << 20
CHUNK_DOCUMENTS = 200
WORK = {"text": 1, "html": 1}
"""Bytes of text that take as long as one byte of a kind."""
WORK_OF_OTHERS = 8


class Chunk(Protocol):
    """Several documents; it can be sent to another process, which then reads them."""

    @property
    def content_bytes(self) -> int:
        """Bytes of content that the chunk itself holds."""

    @property
    def input_bytes(self) -> int:
        """Bytes of input that the chunk covers, for progress."""

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """Yield the documents in order, and what is skipped; the same each time."""


class ListChunk(NamedTuple):
    """A chunk that is a list of documents."""

    items: list[InputDocument | Skipped]
    content_bytes: int = 0
    input_bytes: int = 0

    def documents(self) -> Iterator[InputDocument | Skipped]:
        """Yield the items."""
        return iter(self.items)


def chunked(inputs: Iterable[InputDocument | Skipped | Chunk], limit: int | None = None) -> Iterator[Chunk]:
    """Put single documents together into chunks of at most `limit` documents; pass chunks on as they are."""
    limit = limit or CHUNK_DOCUMENTS
    items: list[InputDocument | Skipped] = []
    input_bytes = content_bytes = 0
    for item in inputs:
        chunk = None
        if isinstance(item, InputDocument):
            items.append(item)
            input_bytes += item.size
            content_bytes += item.size if item.content is not None else 0
        elif isinstance(item, Skipped):
            items.append(item)
        else:
            chunk = item
        if items and (chunk is not None or input_bytes >= CHUNK_BYTES or len(items) >= limit):
            yield ListChunk(items, content_bytes, input_bytes)
            items, input_bytes, content_bytes = [], 0, 0
        if chunk is not None:
            yield chunk
    if items:
        yield ListChunk(items, content_bytes, input_bytes)


def estimate_work(chunk: Chunk, recipe: Recipe) -> int:
    """Return the bytes of text that take as long to fingerprint as the chunk."""
    if not isinstance(chunk, ListChunk):
        return chunk.content_bytes
    return sum(
        item.size * WORK.get(recipe.resolve_kind(item.kind, b"", item.name), WORK_OF_OTHERS)
        for item in chunk.items
        if isinstance(item, InputDocument)
    )
