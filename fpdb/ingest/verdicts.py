"""Verdicts on input documents: which stay, which go, and what is cut out of them, as a comparison of a database says.

A document is known by its name and its content: of one that is not stored just so, nothing is dropped or cut.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from fpdb.fingerprint import content_digest
from fpdb.ingest.existing import name_key
from fpdb.ingest.record_fields import Cuts
from fpdb.readers.encodings import BYTE_ORDER_MARK, MARKS, as_text, given_encoding
from fpdb.storage import file_format
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot

Reason = Literal["", "again", "copy", "similar", "connected", "missing", "changed", "uncut"]
"""The reason for which a document is dropped - the same was there before; a copy of the kept one; a pair with it;
connected with it by others - or nothing is known of it: its name is missing in the database, its content is another
one, or it has no characters that could be cut."""
DROPPED: Final[Sequence[Reason]] = ("copy", "similar", "connected", "again")
_CUT_KINDS: Final = ("text", "html", "code")
"""Kinds whose characters are those of the file."""
_LOOKED_UP: Final = 10_000
"""Names that are looked up at once."""


class Verdict(NamedTuple):
    """The fate of a document.

    content: What stays of it; None if it is dropped. cuts: What was cut out of it. reason: "" for one that stays.
    """

    content: str | bytes | None
    cuts: Cuts = ()
    reason: Reason = ""


class Verdicts:
    """Verdicts by the documents that a snapshot has; documents that nothing is said of stay."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Begin with documents that all stay. The snapshot must stay open."""
        self._catalogue = snapshot.catalogue
        self._fates = bytearray(snapshot.state.next_document)
        """By id, 0 or one more than the index in DROPPED."""
        self._drops = False
        self._cuts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)

    def drop(self, reasons: Mapping[str, Reason]) -> None:
        """Drop the documents of these names, as far as they are stored, for these reasons; and those that come again.

        Raises Corrupt.
        """
        self._drops = True
        by_key = {file_format.name_bytes(name): DROPPED.index(reason) + 1 for name, reason in reasons.items()}
        for key, document_id in self._find(by_key.keys()).items():
            self._fates[document_id] = by_key[key]

    def cut(self, spans: Iterable[tuple[str, int, int]]) -> None:
        """Cut characters [start, end) out of the documents of these names, those of each in order. Raises Corrupt."""
        by_key: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
        for name, start, end in spans:
            by_key[file_format.name_bytes(name)].append((start, end))
        for key, document_id in self._find(by_key.keys()).items():
            self._cuts[document_id] = by_key[key]

    def judge(self, documents: Sequence[tuple[str, str | bytes]]) -> list[Verdict]:
        """Return the verdicts on documents, by name and content, in this order. Raises Corrupt."""
        keys = [name_key(name) for name, _ in documents]
        ids = self._find({key for key in keys if key is not None})
        return [
            self._judge(None if key is None else ids.get(key), content)
            for key, (_, content) in zip(keys, documents, strict=True)
        ]

    def _find(self, keys: Collection[bytes]) -> dict[bytes, int]:
        """Return the ids of the documents of these names that are not boilerplate."""
        ordered = list(keys)
        ids: dict[bytes, int] = {}
        for start in range(0, len(ordered), _LOOKED_UP):
            ids.update(self._catalogue.find_all(ordered[start : start + _LOOKED_UP]))
        return {key: document_id for key, document_id in ids.items() if document_id < file_format.FIRST_BOILERPLATE}

    def _judge(self, document_id: int | None, content: str | bytes) -> Verdict:
        if document_id is None:
            return Verdict(content, reason="missing")
        record = self._catalogue.record(document_id)
        if content_digest(content) != record.digest:
            return Verdict(content, reason="changed")
        if self._fates[document_id]:
            return Verdict(None, reason=DROPPED[self._fates[document_id] - 1])
        if self._drops:
            self._fates[document_id] = len(DROPPED)  # the same once more
        cuts = self._cuts.get(document_id, ())
        left = cut_content(content, cuts, record) if cuts else content
        return Verdict(content, reason="uncut") if left is None else Verdict(left, cuts)


def cut_content(content: str | bytes, cuts: Cuts, record: Record) -> str | bytes | None:
    """Return a document's content without some characters; None if these are not characters of the content itself.

    Bytes stay in their encoding, unless some of them are invalid.
    """
    if record.kind not in _CUT_KINDS:
        return None
    if isinstance(content, str):
        return _without(content, cuts)
    if (given := given_encoding(record.note)) is not None:
        return _cut_given(content, cuts, given)
    text, note = as_text(content, record.note.split()[0] if "(declared)" in record.note else None)
    if not record.note.startswith(note) or "replaced" in note:
        return None
    if isinstance(text, bytes):
        return _without(text.decode("ascii"), cuts).encode()
    mark = next((mark for mark, _ in MARKS if content.startswith(mark)), b"")
    return mark + _without(text, cuts).encode(note.split()[0])


def _cut_given(content: bytes, cuts: Cuts, encoding: str) -> bytes | None:
    """Do what `cut_content` does, in an encoding that was given; None if another text has the same characters."""
    text = content.decode(encoding).removeprefix(BYTE_ORDER_MARK)
    encoded = text.encode(encoding)
    if not content.endswith(encoded):
        return None
    return content[: len(content) - len(encoded)] + _without(text, cuts).encode(encoding)


def _without(text: str, cuts: Cuts) -> str:
    parts, done = [], 0
    for start, end in cuts:
        parts.append(text[done:start])
        done = end
    return "".join((*parts, text[done:]))
