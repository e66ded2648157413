"""Writable: how a `Database` is changed by one call, which is one commit or more."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, Unpack

from fpdb.checked_calls import checked_methods
from fpdb.fingerprint import AUTO
from fpdb.options import AddKeywords, FileKeywords, HashKeywords

if TYPE_CHECKING:
    from fpdb.ingest.batch import WriteBatch
    from fpdb.ingest.existing import Status
    from fpdb.ingest.hash_columns import Strings
    from fpdb.ingest.prepare import Integers

POSTINGS_PER_COMMIT: Final = 1 << 25
"""Of documents that come as columns."""


@checked_methods
class Writable(ABC):
    """An open database to which documents are added, and from which they are removed."""

    @property
    @abstractmethod
    def paths(self) -> Sequence[str]:
        """The file, as the only one."""

    @abstractmethod
    def batch(self) -> AbstractContextManager[WriteBatch]:
        """Collect changes, and commit them together when the block ends; an exception in the block undoes them all."""

    @abstractmethod
    def bulk(self) -> AbstractContextManager[None]:
        """Put off merging, which slows queries, until the block ends, while many batches follow each other."""

    @abstractmethod
    def remember_sources(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Remember that this user may have sources at or below these paths read, as `fpdb add` does."""

    @abstractmethod
    def __contains__(self, name: object) -> bool:
        """Return True if there is a document of this name, boilerplate included."""

    def add(self, name: str, content: str | bytes, **options: Unpack[AddKeywords]) -> Status:
        """Add a document, or replace the one of this name, durably; see `WriteBatch.add`."""
        with self.batch() as batch:
            return batch.add(name, content, **options)

    def add_fingerprints(
        self, name: str, hashes: Integers, positions: Integers | None = None, **options: Unpack[HashKeywords]
    ) -> Status:
        """Add a document of the caller's own hashes, durably; see `WriteBatch.add_fingerprints`."""
        with self.batch() as batch:
            return batch.add_fingerprints(name, hashes, positions, **options)

    def add_columns(  # noqa: PLR0913 (independent columns, of which a call names a few)
        self,
        names: Strings,
        offsets: Integers,
        hashes: Integers,
        positions: Integers | None = None,
        labels: Mapping[str, Strings] | None = None,
        *,
        kind: str | None = None,
        boilerplate: bool | None = None,
    ) -> dict[Status, int]:
        """Add many documents of the caller's own hashes, durably, see `WriteBatch.add_columns`.

        They come in by commits of some 34 million postings, each of which is written once, and which take 1.2 GB of
        memory beside the columns. If it is interrupted, the documents that are there are whole, and adding all again
        goes on from there. To commit fewer at once, call it in `bulk` with fewer.
        """
        from fpdb.ingest.hash_columns import HashColumns

        columns = HashColumns.of(names, offsets, hashes, positions, labels, copy=False)
        counts: Counter[Status] = Counter({"added": 0, "replaced": 0, "updated": 0, "unchanged": 0})
        with self.bulk():
            for part in columns.parts(POSTINGS_PER_COMMIT):
                with self.batch() as batch:
                    counts.update(batch.put_columns(part, kind, boilerplate))
        return dict(counts)

    def add_file(
        self, path: str | os.PathLike[str], *, name: str | None = None, **options: Unpack[FileKeywords]
    ) -> Status:
        """Add the document in a file, durably, as `fpdb add PATH` does; see `WriteBatch.add`.

        Args:
            path: The file. It is the document's source, and may be read again for regions, see `remember_sources`.
            name: The document's name, by default the path without empty and `.` parts.
            options: See `WriteBatch.add`; the kind is told by name and content unless it is given.

        Raises:
            Error: Unreadable: The path is not that of a document; what `WriteBatch.add` raises.
        """
        from fpdb.ingest.discover import read_one_file
        from fpdb.ingest.files import document_name

        if options.get("if_absent") is True and (document_name(os.fspath(path)) if name is None else name) in self:
            return "unchanged"
        document, content = read_one_file(
            os.fspath(path), name, options.get("kind", AUTO), self.paths, options.get("encoding")
        )
        self.remember_sources([path])
        return self.add(document.name, content, source=document.source, **options)

    def rotate(self, name: str, content: str | bytes, *, rotation: int | None = None) -> int:
        """Store another subset of a document's search fingerprints, durably; see `WriteBatch.rotate`."""
        with self.batch() as batch:
            return batch.rotate(name, content, rotation=rotation)

    def remove(self, name: str) -> None:
        """Remove a document. Raises NoSuchDocument."""
        with self.batch() as batch:
            batch.remove(name)
