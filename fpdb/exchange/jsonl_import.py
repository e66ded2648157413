"""Documents from lines of JSON that `jsonl_export` wrote, or another program; nothing in them is believed.

docs/design/export-format.md describes the lines and is their only authority.
"""

import base64
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb import bounded_json, limits
from fpdb.errors import BadExport, BadName, BadRecipe
from fpdb.exchange.jsonl_export import FORMAT, OPTIONAL_FIELDS, VERSION
from fpdb.fingerprint import Recipe
from fpdb.ingest.batch import WriteBatch
from fpdb.ingest.existing import Status
from fpdb.ingest.prepare import encode_positions
from fpdb.ingest.redact_url import redact_url
from fpdb.storage import file_format
from fpdb.storage.document_columns import PreparedDocument
from fpdb.storage.records import Record, record_fault
from fpdb.storage.texts import pack

LONGEST_HEADER: Final = 1 << 20
POSTINGS_PER_BATCH = 4 << 20
TEXT_BYTES_PER_BATCH = 64 << 20  # packed
DOCUMENTS_PER_BATCH = 50_000


class JsonlImport:
    """An export that is being read.

    Attributes:
        recipe: The recipe of the exported database.
    """

    def __init__(self, file: BinaryIO) -> None:
        """Read the first line. Raises BadExport, OSError."""
        self._file = file
        self._line_number = 0
        header = self._parse(file.readline(LONGEST_HEADER))
        if header.get("format") != FORMAT:
            raise self._error("this is no export of fpdb; records of texts are added by fpdb add --jsonl")
        if header.get("version") != VERSION:
            raise self._error(
                f"the export has version {header.get('version')!r}; this fpdb reads {VERSION}: upgrade fpdb"
            )
        try:
            recipe = header["recipe"]
            self.recipe = Recipe.from_record({**recipe, "key": int(recipe["key"])})
        except (BadRecipe, KeyError, TypeError, ValueError) as error:
            raise self._error(f"the recipe makes no sense: {error}") from error

    def add_to(self, batch: Callable[[], AbstractContextManager[WriteBatch]]) -> dict[Status, int]:
        """Add all documents, in batches of bounded size.

        Args:
            batch: Opens a batch, see `Database.batch`.

        Returns:
            The number of documents of each status.

        Raises:
            BadExport: A line is wrong. Documents before it are in the database, and unchanged by another import.
        """
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
        """Add some documents; return True at the end of the export."""
        for _ in range(DOCUMENTS_PER_BATCH):
            members = self._parse(self._file.readline(limits.current().memory))
            if "documents" in members:
                documents = sum(counts.values())
                if members["documents"] != documents:
                    raise self._error(f"{documents} documents came, of {members['documents']!r}")
                return True
            document, content = self._document(members)
            text = None if content is None else pack(content)
            counts[changes.put(document._replace(text=text), as_is=True)] += 1
            if changes.postings >= POSTINGS_PER_BATCH or changes.text_bytes >= TEXT_BYTES_PER_BATCH:
                break
        return False

    def _error(self, what: str) -> BadExport:
        return BadExport(f"line {self._line_number}: {what}")

    def _parse(self, line: bytes) -> dict[str, Any]:
        """Return the members of a line without the checksum, which is compared."""
        self._line_number += 1
        if not line:
            raise self._error("the export ends before its last line; what came before is in the database")
        try:
            members = bounded_json.parse(line)
        except ValueError as error:
            raise self._error(f"it is not JSON: {error}") from error
        if not isinstance(members, dict):
            raise self._error("it is not an object")
        checksum = members.pop("checksum", None)
        if checksum is not None and checksum != xxhash.xxh3_64_hexdigest(line.rpartition(b',"checksum"')[0]):
            raise self._error("it does not match its checksum")
        return members

    def _document(self, members: dict[str, Any]) -> tuple[PreparedDocument, str | bytes | None]:
        """Make a document of a line's members. Raises BadExport."""
        try:
            return self._read(members)
        except KeyError as error:
            raise self._error(f"it has no {error.args[0]!r}") from error
        except (AttributeError, BadName, TypeError, ValueError) as error:
            raise self._error(str(error)) from error

    def _read(self, members: dict[str, Any]) -> tuple[PreparedDocument, str | bytes | None]:
        hashes = _array(members["hashes"], "<u8").astype(np.uint64)
        encoded = members.get("positions")
        positions = np.full(len(hashes), file_format.DEAD, np.uint32) if encoded is None else _array(encoded, "<u4")
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
            **{name: members[name] for name in OPTIONAL_FIELDS if name in members},
        )
        fault = record_fault(record)
        if fault is not None:
            raise ValueError(f"{fault} cannot be")
        if record.source is not None:
            record = record._replace(source=redact_url(record.source))
        share, boilerplate = members.get("share", file_format.WHOLE), members.get("boilerplate", False)
        if type(share) is not int or not 0 <= share <= file_format.WHOLE or not isinstance(boilerplate, bool):
            raise ValueError("share is a number of 32 bits, and boilerplate true or false")
        encoded_positions = encode_positions(positions.astype(np.uint32))
        return PreparedDocument(record, hashes, encoded_positions, boilerplate, share), _text(members, record)


def _text(members: dict[str, Any], record: Record) -> str | bytes | None:
    if "text" not in members:
        return None
    content = base64.b64decode(members["text"], validate=True)
    if xxhash.xxh3_128_digest(content) != record.digest:
        raise ValueError("its text is not the content that its digest stands for")
    return content if members.get("text_is") == "bytes" else content.decode("utf-8", "surrogatepass")


def _array(encoded: str, dtype: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(encoded, validate=True), dtype)
