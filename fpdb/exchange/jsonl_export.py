"""The documents of a database as lines of JSON: the way to another version of fpdb, or another program.

docs/design/export-format.md describes the lines and is their only authority. `jsonl_import` reads them.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from fpdb.arrays import U32, U64
from fpdb.fingerprint import Recipe
from fpdb.storage import file_format
from fpdb.storage.posting_scan import scan_documents, split_by_postings
from fpdb.storage.snapshot import Snapshot

FORMAT: Final = "fpdb-export"
VERSION: Final = 1
OPTIONAL_FIELDS: Final = ("note", "source", "contact", "labels", "rotation")
"""Fields of a record that a line leaves out if they are empty."""
_encode_json: Final = json.JSONEncoder(separators=(",", ":")).encode  # made once, for millions of lines
POSTINGS_PER_PART = 1 << 23  # each part reads all runs of its documents


def export(snapshot: Snapshot, recipe: Recipe, out: BinaryIO, *, texts: bool) -> int:
    """Write all documents, in the order of their ids, in bounded memory.

    Args:
        snapshot: The documents.
        recipe: Their recipe, with its key.
        out: The file.
        texts: Write kept texts, too.

    Returns:
        The number of documents.

    Raises:
        Corrupt: The database is damaged.
        MissingPackage: There are kept texts, and zstandard is not installed.
        OSError: The file cannot be written.
    """
    record = recipe.to_record()
    _write(out, {"format": FORMAT, "version": VERSION, "recipe": {**record, "key": str(record["key"])}})
    document_ids = snapshot.catalogue.live_ids()
    for part in split_by_postings(snapshot, document_ids, POSTINGS_PER_PART):
        shares = snapshot.catalogue.sizes(part)["share"].tolist()
        for share, postings in zip(shares, scan_documents(snapshot, part), strict=True):
            _write(out, _line_of(snapshot, share, postings, texts=texts))
    _write(out, {"documents": len(document_ids)})
    return len(document_ids)


def _write(out: BinaryIO, members: Mapping[str, Any]) -> None:
    line = _encode_json(members).encode()[:-1]
    out.write(b'%s,"checksum":"%s"}\n' % (line, xxhash.xxh3_64_hexdigest(line).encode()))


def _line_of(snapshot: Snapshot, share: int, postings: tuple[int, U64, U32], *, texts: bool) -> dict[str, Any]:
    """Return the members of a document's line.

    Args:
        snapshot: The documents.
        share: Which share of the document's hashes is stored.
        postings: Its id, hashes and encoded positions.
        texts: Also its text.
    """
    document_id, hashes, encoded_positions = postings
    record = snapshot.catalogue.record(document_id)
    members: dict[str, Any] = {
        "name": file_format.name_text(record.name),
        "kind": record.kind,
        "digest": record.digest.hex(),
        "symbols": record.symbols,
        "kgrams": record.kgrams,
        "fingerprints": len(hashes),
        "added": record.added,
    }
    if document_id >= file_format.FIRST_BOILERPLATE:
        members["boilerplate"] = True
    members.update((name, value) for name in OPTIONAL_FIELDS if (value := getattr(record, name)))
    if share != file_format.WHOLE:
        members["share"] = share
    members["hashes"] = _base64(hashes, "<u8")
    if encoded_positions.any():
        members["positions"] = _base64(encoded_positions - np.uint32(1), "<u4")
    content = snapshot.texts.read(document_id, record) if texts else None
    if content is not None:
        encoded = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        members["text"] = base64.b64encode(encoded).decode()
        members["text_is"] = "bytes" if isinstance(content, bytes) else "string"
    return members


def _base64(array: NDArray[Any], dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype).data).decode()
