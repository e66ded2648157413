"""The documents of a database as lines of JSON, and back: the way from one version of fpdb, or one program, to another.

docs/design/export-format.md describes the lines and is their only authority. Memory is bounded both ways.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.arrays import U32, U64
from fpdb.errors import BadExport, BadName, BadRecipe
from fpdb.fingerprint import Recipe
from fpdb.ingest.batch import Status, WriteBatch
from fpdb.ingest.redact_url import redact_url
from fpdb.storage import file_format
from fpdb.storage.commit import PreparedDocument
from fpdb.storage.file_format import Run
from fpdb.storage.records import Record, record_fault
from fpdb.storage.runs.postings import NO_POSTINGS, Postings
from fpdb.storage.snapshot import Snapshot
from fpdb.storage.texts import pack

FORMAT: Final = "fpdb-export"
VERSION: Final = 1
LONGEST_HEADER: Final = 1 << 20
POSTINGS_AT_ONCE = 1 << 23  # of an export: each such part reads all runs of its documents
POSTINGS_A_BATCH = 4 << 20  # of an import
TEXTS_A_BATCH = 64 << 20  # bytes, packed
DOCUMENTS_A_BATCH = 50_000
_OPTIONAL: Final = ("note", "source", "contact", "labels", "rotation")


# ---------------------------------------------------------------- out


def export(view: Snapshot, recipe: Recipe, out: BinaryIO, *, texts: bool) -> int:
    """Writes all documents, in the order they came in; returns how many. Raises Corrupt, MissingPackage, OSError."""
    record = recipe.to_record()
    _write(out, {"format": FORMAT, "version": VERSION, "recipe": {**record, "key": str(record["key"])}})
    every = np.fromiter(view.catalogue.sized(), np.uint32)
    for part in parts(view, every):
        for document, hashes, numbers in transposed(view, part):
            _write(out, _members(view, document, hashes, numbers, texts=texts))
    _write(out, {"documents": len(every)})
    return len(every)


def _write(out: BinaryIO, members: Mapping[str, Any]) -> None:
    line = json.dumps(members, separators=(",", ":")).encode()[:-1]
    out.write(b'%s,"checksum":"%s"}\n' % (line, xxhash.xxh3_64_hexdigest(line).encode()))


def parts(view: Snapshot, every: U32) -> Iterator[U32]:
    """The documents, some at a time: of one sort, and with no more postings than are held in memory."""
    start, room = 0, POSTINGS_AT_ONCE
    for at, document in enumerate(every.tolist()):
        postings = view.catalogue.record(document).fingerprints
        other = at > start and document >= file_format.FIRST_BOILERPLATE > every[at - 1]
        if at > start and (postings > room or other):
            yield every[start:at]
            start, room = at, POSTINGS_AT_ONCE
        room -= postings
    if len(every):
        yield every[start:]


def transposed(view: Snapshot, documents: U32) -> Iterator[tuple[int, U64, U32]]:
    """The hashes of each document, with their positions + 1, in the order of runs."""
    found = [NO_POSTINGS]
    for run in view.state.runs:
        if run.first_id <= documents[-1] and documents[0] <= run.last_id:
            found += _of(view, run, documents)
    holders = np.concatenate([piece.document_ids for piece in found])
    order = np.argsort(holders, kind="stable")  # a document's postings are in one run
    holders = holders[order]
    hashes = np.concatenate([piece.hashes for piece in found])[order]
    numbers = np.concatenate([piece.encoded_positions for piece in found])[order]
    found.clear()
    bounds = np.searchsorted(holders, [*documents.tolist(), int(documents[-1]) + 1])
    for document, start, end in zip(documents.tolist(), bounds.tolist(), bounds.tolist()[1:], strict=False):
        yield document, hashes[start:end], numbers[start:end]


def _of(view: Snapshot, run: Run, documents: U32) -> Iterator[Postings]:
    wanted = np.zeros(run.last_id - run.first_id + 1, np.bool_)
    inside = documents[(documents >= run.first_id) & (documents <= run.last_id)]
    wanted[inside - np.uint32(run.first_id)] = True
    for piece in view.scan(run):
        which = wanted[piece.document_ids - np.uint32(run.first_id)]
        yield piece[which]


def _members(view: Snapshot, document: int, hashes: U64, numbers: U32, *, texts: bool) -> dict[str, Any]:
    """A document's line, what is as usual left out."""
    record = view.catalogue.record(document)
    members: dict[str, Any] = {
        "name": record.name.decode("utf-8", "surrogateescape"),
        "kind": record.kind,
        "digest": record.digest.hex(),
        "symbols": record.symbols,
        "kgrams": record.kgrams,
        "fingerprints": len(hashes),
        "added": record.added,
    }
    if document >= file_format.FIRST_BOILERPLATE:
        members["boilerplate"] = True
    members.update((name, value) for name in _OPTIONAL if (value := getattr(record, name)))
    share = int(view.catalogue.sizes(np.array([document], np.uint32))["share"][0])
    if share != file_format.WHOLE:
        members["share"] = share
    members["hashes"] = _packed(hashes, "<u8")
    if numbers.any():
        members["positions"] = _packed(numbers - np.uint32(1), "<u4")
    content = view.texts.read(document, record) if texts else None
    if content is not None:
        encoded = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        members["text"] = base64.b64encode(encoded).decode()
        members["text_is"] = "bytes" if isinstance(content, bytes) else "string"
    return members


def _packed(array: NDArray[Any], form: str) -> str:
    return base64.b64encode(array.astype(form).tobytes()).decode()


# ---------------------------------------------------------------- in


class Incoming:
    """An export that is being read. recipe: of the database that it is of."""

    def __init__(self, file: BinaryIO) -> None:
        """Reads the first line. Raises BadExport, OSError."""
        self._file = file
        self._number = 0
        header = self._checked(file.readline(LONGEST_HEADER))
        if header.get("format") != FORMAT:
            raise self._bad("this is no export of fpdb")
        if header.get("version") != VERSION:
            raise self._bad(
                f"the export has version {header.get('version')!r}; this fpdb reads {VERSION}: upgrade fpdb"
            )
        try:
            recipe = header["recipe"]
            self.recipe = Recipe.from_record({**recipe, "key": int(recipe["key"])})
        except (BadRecipe, KeyError, TypeError, ValueError) as error:
            raise self._bad(f"the recipe makes no sense: {error}") from error

    def add_to(self, batch: Callable[[], AbstractContextManager[WriteBatch]]) -> dict[Status, int]:
        """Adds all documents, in batches; returns how many became what. Raises BadExport, which names the line: what
        came before it is in the database then, and meets itself when the import is repeated."""
        counts: dict[Status, int] = {"added": 0, "replaced": 0, "updated": 0, "unchanged": 0}
        done, failed = False, None
        while not done:
            with batch() as changes:
                try:
                    done = self._fill(changes, counts)
                except BadExport as error:
                    done, failed = True, error
        if failed is not None:
            raise failed
        return counts

    def _fill(self, changes: WriteBatch, counts: dict[Status, int]) -> bool:
        """Adds some documents; whether the export is at its end."""
        for _ in range(DOCUMENTS_A_BATCH):
            members = self._checked(self._file.readline())
            if "documents" in members:
                found = sum(counts.values())
                if members["documents"] != found:
                    raise self._bad(f"{found} documents came, of {members['documents']!r}")
                return True
            document, content = self._document(members)
            text = None if content is None else pack(content)
            counts[changes.put(document._replace(text=text), same_rotation=True)] += 1
            if changes.postings >= POSTINGS_A_BATCH or changes.text_bytes >= TEXTS_A_BATCH:
                break
        return False

    def _bad(self, what: str) -> BadExport:
        return BadExport(f"line {self._number}: {what}")

    def _checked(self, line: bytes) -> dict[str, Any]:
        """A line's members, without the checksum."""
        self._number += 1
        if not line:
            raise self._bad("the export ends before its last line; what came before is in the database")
        try:
            members = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._bad(f"it is not JSON: {error}") from error
        if not isinstance(members, dict):
            raise self._bad("it is not an object")
        checksum = members.pop("checksum", None)
        if checksum is not None and checksum != xxhash.xxh3_64_hexdigest(line.rpartition(b',"checksum"')[0]):
            raise self._bad("it does not match its checksum")
        return members

    def _document(self, members: dict[str, Any]) -> tuple[PreparedDocument, str | bytes | None]:
        """Raises BadExport."""
        try:
            return self._read(members)
        except KeyError as error:
            raise self._bad(f"it has no {error.args[0]!r}") from error
        except (AttributeError, BadName, TypeError, ValueError) as error:
            raise self._bad(str(error)) from error

    def _read(self, members: dict[str, Any]) -> tuple[PreparedDocument, str | bytes | None]:
        hashes = _unpacked(members["hashes"], "<u8").astype(np.uint64)
        packed = members.get("positions")
        positions = np.full(len(hashes), file_format.DEAD, np.uint32) if packed is None else _unpacked(packed, "<u4")
        if len(positions) != len(hashes) or members.get("fingerprints", len(hashes)) != len(hashes):
            raise ValueError(f"{len(hashes)} hashes came, {len(positions)} positions, and another count than these")
        record = Record(
            file_format.name_bytes(members["name"]),
            members["kind"],
            bytes.fromhex(members["digest"]),
            members["symbols"],
            members["kgrams"],
            len(hashes),
            len(np.unique(hashes)),
            members["added"],
            **{name: members[name] for name in _OPTIONAL if name in members},
        )
        wrong = record_fault(record)
        if wrong is not None:
            raise ValueError(f"{wrong} cannot be")
        if record.source is not None:
            record = record._replace(source=redact_url(record.source))
        share, boilerplate = members.get("share", file_format.WHOLE), members.get("boilerplate", False)
        if type(share) is not int or not 0 <= share <= file_format.WHOLE or not isinstance(boilerplate, bool):
            raise ValueError("share is a number of 32 bits, and boilerplate true or false")
        numbers = positions.astype(np.uint32) + np.uint32(1)  # no position becomes 0
        return PreparedDocument(record, hashes, numbers, boilerplate, share), self._text(members, record)

    def _text(self, members: dict[str, Any], record: Record) -> str | bytes | None:
        if "text" not in members:
            return None
        content = base64.b64decode(members["text"], validate=True)
        if xxhash.xxh3_128_digest(content) != record.digest:
            raise ValueError("its text is not the content that its digest stands for")
        return content if members.get("text_is") == "bytes" else content.decode("utf-8", "surrogatepass")


def _unpacked(packed: str, form: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(packed, validate=True), form)
