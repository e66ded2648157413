"""Documents of the caller's own hashes that come as columns: NumPy or Arrow arrays, or what is made of these."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, repeat
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import I64, U32, U64
from fpdb.errors import BadFingerprints, BadName
from fpdb.ingest.prepare import check_hashes, check_positions, check_texts, encode_positions
from fpdb.storage.document_columns import DocumentColumns
from fpdb.storage.file_format import WHOLE
from fpdb.storage.record_columns import RecordColumns, digest_documents
from fpdb.storage.records import NO_LABELS


class SupportsToNumpy(Protocol):
    """An array of Arrow, pandas or Polars."""

    def to_numpy(self) -> Any:
        """Return its values."""


Strings: TypeAlias = list[Any] | tuple[Any, ...] | NDArray[Any] | SupportsToNumpy
"""A column of strings, some of which may be None; not `Sequence`, which a single string is, too."""


class HashColumns(NamedTuple):
    """The documents of `WriteBatch.add_columns`, checked.

    offsets: shape (documents + 1,), of each document's first hash, and behind the last one's last.
    """

    names: Sequence[str]
    offsets: I64
    hashes: U64
    positions: U32 | None
    labels: Mapping[str, Sequence[str | None]]

    @classmethod
    def of(
        cls,
        names: Strings,
        offsets: Any,
        hashes: Any,
        positions: Any = None,
        labels: Mapping[str, Strings] | None = None,
        *,
        copy: bool = True,
    ) -> Self:
        """Check the columns; copy: Whether the caller may change them. Raises BadFingerprints, BadName."""
        texts = _texts(names, "names")
        if not set(map(type, texts)) <= {str} and not all(isinstance(name, str) for name in texts):
            raise BadName("names must be strings, one for each document")
        array = check_hashes(_array(hashes), copy=copy)
        places = check_positions(None if positions is None else _array(positions), len(array), copy=copy)
        bounds = check_hashes(_array(offsets)).astype(np.int64)
        if len(bounds) != len(texts) + 1 or bounds[0] < 0 or (np.diff(bounds) < 0).any() or bounds[-1] > len(array):
            raise BadFingerprints(
                f"offsets must ascend from 0 to the number of hashes, one more than there are names: {len(texts) + 1}"
            )
        columns = {key: _texts(values, f"labels[{key!r}]") for key, values in (labels or {}).items()}
        for key, values in columns.items():
            if len(values) != len(texts):
                raise BadFingerprints(f"labels[{key!r}] must have a value for each of {len(texts)} names, or None")
        return cls(texts, bounds, array, places, columns)

    def parts(self, postings: int) -> Iterator[Self]:
        """Yield the documents, so many postings together or one document that has more."""
        start = 0
        while start < len(self.names):
            end = int(np.searchsorted(self.offsets, self.offsets[start] + postings, "right")) - 1
            end = min(max(end, start + 1), len(self.names))
            labels = {key: values[start:end] for key, values in self.labels.items()}
            first, last = self.offsets[[start, end]].tolist()
            positions = None if self.positions is None else self.positions[first:last]
            bounds = self.offsets[start : end + 1] - first
            yield type(self)(self.names[start:end], bounds, self.hashes[first:last], positions, labels)
            start = end

    def rows(self) -> Iterator[tuple[str, U64, U32 | None, dict[str, str] | None]]:
        """Yield the name, hashes, positions and labels of each document."""
        places = self.positions
        ends = pairwise(self.offsets.tolist())
        for name, (start, end), labels in zip(self.names, ends, self._labels_of_each(), strict=True):
            yield name, self.hashes[start:end], None if places is None else places[start:end], labels

    def in_columns(self, names: list[bytes], kind: str, *, boilerplate: bool) -> DocumentColumns:
        """Return what `prepare.prepare_hashes` makes of the documents, in columns.

        Args:
            names: As they are stored.
            kind: Of all documents.
            boilerplate: Whether all are boilerplate.

        Raises:
            BadLabel: What is said of a document cannot be stored.
        """
        check_texts(kind, None, None, {})
        counts = np.diff(self.offsets).repeat(4).reshape(-1, 4)
        digests = digest_documents(self.hashes, self.positions, self.offsets)
        labels = list(self._checked_labels(kind)) if self.labels else None
        return DocumentColumns(
            RecordColumns(names, kind, int(time.time()), digests, counts, labels),
            self.hashes,
            None if self.positions is None else encode_positions(self.positions),
            self.offsets,
            np.full(len(names), WHOLE, np.uint32),
            boilerplate,
        )

    def _checked_labels(self, kind: str) -> Iterator[Mapping[str, str]]:
        for labels in self._labels_of_each():
            if labels:
                check_texts(kind, None, None, labels)
                labels = {key: value for key, value in labels.items() if value}  # "" takes away what is not there
            yield labels or NO_LABELS

    def _labels_of_each(self) -> Iterable[dict[str, str] | None]:
        if not self.labels:
            return repeat(None, len(self.names))
        rows = zip(*self.labels.values(), strict=True)
        return ({key: value for key, value in zip(self.labels, row, strict=True) if value is not None} for row in rows)


def _array(values: Any) -> Any:
    """Return the values of an array of Arrow, pandas or Polars as one of NumPy, and others as they are."""
    if isinstance(values, np.ndarray) or not hasattr(values, "to_numpy"):
        return values
    if getattr(values, "null_count", 0):
        raise BadFingerprints("hashes, positions and offsets must not be null")
    return values.to_numpy()


def _texts(values: Any, name: str) -> Sequence[Any]:
    """Return a column of strings as a list."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            values = getattr(values, method)()
    if not isinstance(values, list | tuple):
        raise BadFingerprints(f"{name} must be an array or a list, not {type(values).__name__}")
    return values
