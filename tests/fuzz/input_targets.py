"""Targets that read archives, files of many documents, exports and addresses."""

import io
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from fpdb.exchange.jsonl_import import JsonlImport
from fpdb.ingest.archive_walk import walk_archive
from fpdb.ingest.archives.member_lookup import find_member
from fpdb.ingest.archives.meter import ArchiveError, LimitExceeded
from fpdb.ingest.files import InputDocument, Skipped, read_content
from fpdb.ingest.jsonl import read_lines
from fpdb.ingest.redact_url import redact_url
from fpdb.limits import DEFAULT_ARCHIVE_LIMITS
from tests import crafted_archives as crafted
from tests.fuzz.target import LARGEST, Target
from tests.ingest.record_files import read_records

SMALL = replace(DEFAULT_ARCHIVE_LIMITS, free=1 << 21, unpacked=1 << 22, members=1000, held=1 << 21)
"""Limits of archives at which an input takes a moment."""


def archive(data: bytes) -> None:
    whole = InputDocument("a", source="/a", size=len(data))
    for found in walk_archive(io.BufferedReader(io.BytesIO(data)), whole, SMALL):
        if not found.name.startswith("a"):
            raise AssertionError(found.name)
        if not isinstance(found, Skipped) and found.source is not None:
            read_content(found)
    with suppress(ArchiveError, LimitExceeded):
        find_member(io.BufferedReader(io.BytesIO(data)), len(data), "a", "b.txt", SMALL)


def archives() -> list[bytes]:
    small = [content for content in crafted.archives().values() if len(content) <= LARGEST]
    good = [crafted.zipped(crafted.GOOD, ("b.txt", b"b")), crafted.tarred(crafted.GOOD, ("b.txt", b"b"))]
    shared = crafted.stored(crafted.GOOD[1])
    good.append(crafted.zip_of(("a.txt", shared), ("b.txt", crafted.stored(b"b")), ("c.txt", shared)))
    return [*good, crafted.gzips(2), *small]


def parquet(data: bytes) -> None:
    """Read the rows of a file of Parquet in the sandbox."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a").write_bytes(data)
        for found in read_records([str(Path(folder, "a"))], "parquet"):
            if not isinstance(found, Skipped):
                read_content(found)


def parquet_seeds() -> list[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    seeds = []
    for packing in ("zstd", "snappy", "none"):
        out = io.BytesIO()
        table = pa.table({"id": [*range(9)], "text": ["a b c", *["d"] * 8], "labels": [{"e": "f"}] * 9})
        pq.write_table(table, out, row_group_size=4, compression=packing)
        seeds.append(out.getvalue())
    return seeds


def json_lines(data: bytes) -> None:
    for piece in read_lines(io.BytesIO(data), "l"):
        for found in [piece] if isinstance(piece, Skipped) else piece.documents():
            if not isinstance(found, Skipped):
                read_content(found)


def line_seeds() -> list[bytes]:
    full = {
        "name": "a",
        "text": "b",
        "kind": "text",
        "source": "https://a:b@c/d?token=e",
        "contact": "f",
        "labels": {"g": "h"},
    }
    lines = [json.dumps(one).encode() for one in (full, {"name": "a", "text": "\ud800"}, [], {"name": 5})]
    digits = b'{"id": 1, "text": "a", "b": {"c": [' + b"9" * 5_000 + b"]}}"
    return [b"\n".join([*lines, digits])]


def export(data: bytes) -> None:
    """Read the lines of an export without storing them."""
    file = io.BytesIO(data)
    incoming = JsonlImport(file)
    for line in file:
        incoming._document(incoming._parse(line))


def export_seeds() -> list[bytes]:
    import tempfile

    import fpdb

    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, fpdb.open(str(Path(folder, "a"))) as db:
        db.add("a", "seven years ago our fathers brought forth" * 9, keep_text=True, labels={"a": "b"}, source="/a")
        db.add_fingerprints("b", [1, 2, 3], [4, 5, 6])
        db.export(out, texts=True)
    return [
        out.getvalue(),
        b"\n".join(line.rpartition(b',"checksum"')[0] + b"}" for line in out.getvalue().splitlines()),
    ]


def address(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    once = redact_url(text)
    if redact_url(once) != once:
        raise AssertionError(text)


TARGETS = {
    "archives": Target(archive, archives),
    "parquet": Target(parquet, parquet_seeds),
    "json lines": Target(json_lines, line_seeds),
    "export": Target(export, export_seeds),
    "addresses": Target(address, lambda: [b"https://a:b@c.org/d;jsessionid=1?token=e&id=7#x=1"]),
}
