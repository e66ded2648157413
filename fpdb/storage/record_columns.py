"""Records of documents that differ in few values, in columns: groups of them are packed without making records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self, overload

import msgpack
import numpy as np

from fpdb.arrays import I64
from fpdb.storage import _checksums, _records
from fpdb.storage.file_format import DIGEST_BYTES, RECORDS_PER_GROUP, id_key
from fpdb.storage.records import NO_LABELS, Record, compress_group

digest_documents = _checksums.digest_documents


@dataclass(frozen=True)
class RecordColumns(Sequence[Record]):
    """Records of one kind, added at one time, without note, source and contact.

    Attributes:
        names: Of the documents; shape (documents,).
        kind: Of all documents.
        added: When all came, in seconds since 1970, UTC.
        digests: One after the other.
        counts: Of symbols, k-grams, fingerprints and distinct hashes; shape (documents, 4).
        labels: Shape (documents,); None if no document has any.
    """

    names: list[bytes]
    kind: str
    added: int
    digests: bytes
    counts: I64
    labels: list[Mapping[str, str]] | None = None

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> Record: ...

    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...

    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        """Return the record of a document, or those of several."""
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        digest = self.digests[DIGEST_BYTES * index : DIGEST_BYTES * (index + 1)]
        labels = NO_LABELS if self.labels is None else self.labels[index]
        symbols, kgrams, fingerprints, hashes = self.counts[index].tolist()
        name, kind, added = self.names[index], self.kind, self.added
        return Record(name, kind, digest, symbols, kgrams, fingerprints, hashes, added, labels=labels)

    def counted(self, fingerprints: I64, hashes: I64) -> Self:
        """Return the records with these counts; shape (documents,)."""
        return replace(self, counts=np.column_stack((self.counts[:, :2], fingerprints, hashes)))

    def whole_groups(self, first_id: int) -> range:
        """Return the numbers of the groups that the documents fill; first_id: of the first document."""
        return range(-(-first_id // RECORDS_PER_GROUP), (first_id + len(self)) // RECORDS_PER_GROUP)

    def packed_groups(self, first_id: int, groups: Iterable[int]) -> Iterator[bytes]:
        """Yield whole groups before compression; first_id: of the first document."""
        kind = msgpack.packb(self.kind, unicode_errors="surrogateescape")
        shared = kind, b"".join(map(msgpack.packb, (self.added, "", None, None)))
        digests = np.frombuffer(self.digests, np.uint8).reshape(-1, DIGEST_BYTES)
        labels = [msgpack.packb(NO_LABELS)] * RECORDS_PER_GROUP
        for group in groups:
            start = group * RECORDS_PER_GROUP - first_id
            rows = slice(start, start + RECORDS_PER_GROUP)
            if self.labels is not None:
                labels = [msgpack.packb(some, unicode_errors="surrogateescape") for some in self.labels[rows]]
            yield _records.pack_group(self.names[rows], digests[rows], self.counts[rows], shared, labels)

    def group_values(self, first_id: int, groups: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield whole groups by their numbers, as they are stored; first_id: of the first document."""
        for group, packed in zip(groups, self.packed_groups(first_id, groups), strict=True):
            yield group, compress_group(id_key(group), packed, 1)
