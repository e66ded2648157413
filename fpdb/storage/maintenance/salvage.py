"""Read runs, documents, names and texts out of the sound values of a damaged file."""

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.file_format import RECORDS_PER_GROUP, SIZES_PER_CHUNK
from fpdb.storage.maintenance.sound_values import SoundValues
from fpdb.storage.name_table import unpack_names
from fpdb.storage.records import Record, unpack_records


class SalvageReader:
    """The sound content of a file. changes_lost, recipe, state: see `SoundValues`."""

    def __init__(self, path: str) -> None:
        """Find what is sound. Raises what `SoundValues` raises."""
        self._sound = SoundValues(path)
        self._values = self._sound.values
        self.changes_lost = self._sound.changes_lost
        self.recipe = self._sound.recipe
        self.state = self._sound.state

    def close(self) -> None:
        """Close the file."""
        self._sound.close()

    def posting_blocks(self) -> dict[int, set[int]]:
        """Return the indices of the posting blocks of each run that has any."""
        indices: dict[int, set[int]] = {}
        values = self._values[file_format.BLOCKS]
        for key in {**values.places, **values.old}:
            run, column, index = file_format.parse_block_key(key)
            if column == file_format.POSTINGS:
                indices.setdefault(run, set()).add(index)
        return indices

    def block(self, run: int, column: int, index: int) -> bytes | None:
        """Return a block, if it is sound."""
        return self._newest(file_format.BLOCKS, file_format.block_key(file_format.block_number(run, column, index)))

    def _newest(self, database: bytes, key: bytes) -> bytes | None:
        place = self._values[database].newest(key)
        return None if place is None else self._sound.read(place)

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the documents that are there, by id."""
        values = self._values[file_format.DOCUMENTS]
        for key in sorted({**values.places, **values.old}):
            if key in values.places:
                yield from self._group(key, values.places[key]).items()
            else:
                yield from self._old_records(key, values.old[key])

    def _old_records(self, key: bytes, places: list[tuple[int, int]]) -> Iterator[tuple[int, Record]]:
        """Yield the documents of a group whose newest value may be lost."""
        first = file_format.parse_id_key(key) * RECORDS_PER_GROUP
        records: dict[int, Record] = {}
        removed: set[int] = set()
        for place in places:
            group = self._group(key, place)
            records.update(group)
            # Ids ascend: what is missing below one that is there had been there, and was removed.
            removed.update(set(range(first, max(group, default=first))) - set(group))
        for document_id in sorted(set(records) - removed):
            if self._may_live(document_id):
                yield document_id, records[document_id]

    def _group(self, key: bytes, place: tuple[int, int]) -> dict[int, Record]:
        first = file_format.parse_id_key(key) * RECORDS_PER_GROUP
        with suppress(Corrupt):
            group = enumerate(unpack_records(key, self._sound.read(place)), first)
            last = file_format.LAST_BOILERPLATE
            return {document_id: record for document_id, record in group if record is not None and document_id <= last}
        return {}

    def _chunk(self, document_id: int, *, old: bool) -> Iterator[NDArray[np.void]]:
        key = file_format.id_key(document_id // SIZES_PER_CHUNK)
        values = self._values[file_format.SIZES]
        places = [values.places[key]] if key in values.places else []
        for place in places or (values.old.get(key, []) if old else []):
            with suppress(Corrupt):
                yield np.frombuffer(file_format.unseal_sizes(key, self._sound.read(place)), file_format.SIZE)

    def _may_live(self, document_id: int) -> bool:
        """Return True if sizes that are surely the newest know a document; where they are lost, it may be removed."""
        for chunk in self._chunk(document_id, old=False):
            return int(chunk["hashes"][document_id % SIZES_PER_CHUNK]) != file_format.DEAD
        self.changes_lost = True
        return True

    def share(self, document_id: int) -> int | None:
        """Return of how much a document's hashes are a sample, which never changes; None where that is lost."""
        for chunk in self._chunk(document_id, old=True):
            size = chunk[document_id % SIZES_PER_CHUNK]
            if int(size["hashes"]) != file_format.DEAD:
                return int(size["share"])
        return None

    def sized(self) -> Iterator[int]:
        """Yield the ids of documents that the newest sizes know."""
        for key in sorted(self._values[file_format.SIZES].places):
            first = file_format.parse_id_key(key) * SIZES_PER_CHUNK
            for chunk in self._chunk(first, old=False):
                yield from (first + np.flatnonzero(chunk["hashes"] != file_format.DEAD)).tolist()

    def names(self) -> dict[int, bytes]:
        """Return names by id, as far as the newest say; of a long name its key."""
        names: dict[int, bytes] = {}
        for key, place in self._values[file_format.NAMES].places.items():
            with suppress(Corrupt):
                keys, ids = unpack_names(key, self._sound.read(place))
                names.update(zip(ids.tolist(), keys, strict=True))
        return names

    def text(self, document_id: int) -> bytes | None:
        """Return a kept text, packed, as far as its pieces follow each other; None where there is no first one."""
        pieces: list[bytes] = []
        while True:
            key = file_format.text_key(document_id, len(pieces))
            value = self._newest(file_format.TEXTS, key)
            if value is None:
                return b"".join(pieces) if pieces else None
            pieces.append(bytes(file_format.unseal(key, value)))
