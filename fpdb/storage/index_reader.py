"""IndexReader: the protocol of whatever can be searched.

An LMDB `Snapshot`, several snapshots as one, and a reader with look-ups made ahead implement it.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64, Bools
from fpdb.errors import Corrupt
from fpdb.storage.hits import Hits
from fpdb.storage.records import Record
from fpdb.storage.sizes import HeldSizes

if TYPE_CHECKING:
    from fpdb.storage.document_table import DocumentTable
    from fpdb.storage.runs.postings import Postings


class Occurrences(NamedTuple):
    """The positions of hashes in documents; arrays of shape (occurrences,), sorted by index, document and position.

    Attributes:
        hash_indices: The index of the hash among those looked up.
        document_ids: The document that holds it.
        positions: The position in the document, in symbols.
    """

    hash_indices: U32
    document_ids: U32
    positions: U32

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the occurrences of all parts; the ids of each part are above those of the part before."""
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)] or [np.empty(0, np.uint32)] * 3
        order = np.argsort(columns[0], kind="stable")
        return cls(*(column[order] for column in columns))


class CatalogueReader(Protocol):
    """The documents of a reader: records, names and sizes. Every method raises Corrupt."""

    def record(self, document_id: int) -> Record:
        """Return the record of a document, which must exist."""

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the id and the record of every document, boilerplate excluded, by ascending id."""

    def table(self, label_keys: Sequence[str] = ()) -> "DocumentTable":
        """Return all documents as columns, boilerplate excluded, by ascending id, with the values of these labels."""

    def names_and_kgrams(self, document_ids: U32) -> tuple[list[bytes], list[int]]:
        """Return the names and the numbers of k-grams of existing documents; ids ascending."""

    def sizes(self, document_ids: U32) -> NDArray[np.void]:
        """Return the sizes of documents; dtype file_format.SIZE, shape (n,).

        Args:
            document_ids: In any order. A document that does not exist has DEAD hashes.
        """

    def ids_by_name(self) -> Iterator[U32]:
        """Yield the ids of all documents, in parts, in byte order of their names; boilerplate may be among them."""

    def held_sizes(self) -> HeldSizes:
        """Return the numbers of hashes that documents hold, boilerplate left out."""

    def first_by_name(self, candidates: Bools, count: int) -> list[int]:
        """Return the ids of the candidates whose names come first in byte order, in any order.

        Args:
            candidates: Whether each document is one, by id; shape (ids,).
            count: The number of ids wanted.
        """


class TextReader(Protocol):
    """The kept texts of a reader."""

    def read(self, document_id: int, record: Record) -> str | bytes | None:
        """Return a document's content as it was given, or None if it is not kept.

        Raises:
            Corrupt: The stored text is damaged.
            MissingPackage: The text is kept, and zstandard is not installed.
        """


class IndexReader(Protocol):
    """The documents and postings of one or several commits. Every method raises Corrupt."""

    @property
    def document_count(self) -> int:
        """The number of documents, boilerplate excluded."""

    @property
    def posting_count(self) -> int:
        """The number of postings of live documents, boilerplate included."""

    @property
    def catalogue(self) -> CatalogueReader:
        """The documents."""

    @property
    def texts(self) -> TextReader:
        """The kept texts."""

    def file_id(self, document_id: int) -> bytes:
        """Return the random id of the file that a document is in; empty for a file of format version 1."""

    def find_by_name(self, names: Collection[bytes]) -> dict[bytes, list[int]]:
        """Return the ids of the documents of each name that exists, boilerplate excluded."""

    def boilerplate(self) -> U64:
        """Return the hashes that a live boilerplate document holds; sorted, distinct."""

    def look_up(self, hashes: U64, *, cap: int | None = None) -> Hits:
        """Find the live documents that hold the hashes, boilerplate excluded.

        Args:
            hashes: Sorted, distinct; shape (n,).
            cap: A hash in this number of documents is reported as capped, and lists no documents. No more of its
                postings are read than that takes.
        """

    def count_by_document(self, hashes: U64) -> U32 | None:
        """Count how many of the hashes each document holds, boilerplate excluded.

        Args:
            hashes: Sorted, distinct; shape (n,).

        Returns:
            The counts by id, shape (ids,); or None if few documents hold any, so that `look_up` is cheaper.
        """

    def are_common(self, hashes: U64) -> Bools:
        """Return which hashes so many documents hold that to list these takes long; hashes: sorted; shape (n,)."""

    def find_holders(self, hashes: U64, document_ids: U32) -> Bools:
        """Find which documents hold which hashes, without listing all that do.

        Args:
            hashes: Sorted, distinct; shape (n,).
            document_ids: Of live documents, boilerplate excluded; sorted, distinct; shape (m,).

        Returns:
            Whether hash i is in document j; shape (n, m).
        """

    def count_holders(self, hashes: U64) -> I64:
        """Return how many live documents hold each hash, boilerplate excluded; hashes: sorted; shape (n,)."""

    def find_occurrences(self, hashes: U64, document_ids: U32) -> Occurrences:
        """Find the positions at which live documents hold the hashes; postings without a position give none.

        Args:
            hashes: Sorted, distinct; shape (n,).
            document_ids: Sorted, distinct; boilerplate allowed; shape (m,).
        """

    def has_dead_postings(self) -> bool:
        """Return True if `scans` yields postings of removed documents."""

    def find_frequent(self, minimum: int) -> U64 | None:
        """Return all hashes that this many documents hold, and perhaps others; sorted, distinct.

        Boilerplate may be among them. Return None if they may be so many that `scans` are cheaper.
        """

    def scans(self, document_ids: U32 | None = None) -> "list[Iterator[Postings]]":
        """Return sorted sequences of all postings, those of dead documents included, boilerplate excluded.

        The ids of each sequence are above those of the sequence before.

        Args:
            document_ids: If given, ascending, sequences may be left out that have no postings of these.
        """


def find_listed(reader: IndexReader, names: Collection[bytes]) -> dict[bytes, int]:
    """Return the id of the document of each name, all of which the reader has given. Raises Corrupt."""
    ids = {name: found[0] for name, found in reader.find_by_name(names).items() if found}
    for name in names:
        if name not in ids:
            raise Corrupt(f"the document {name!r} is not found under its name; run 'fpdb check'")
    return ids
