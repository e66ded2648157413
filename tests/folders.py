"""Adoptable folders, written as docs/design/adopt-format.md says by what a programmer would write in an hour."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DOCUMENTS = pa.schema(
    [
        ("ordinal", pa.int64()),
        ("name", pa.string()),
        ("kind", pa.string()),
        ("digest", pa.binary()),
        ("symbols", pa.int64()),
        ("kgrams", pa.int64()),
        ("fingerprints", pa.int64()),
        ("share", pa.int64()),
        ("note", pa.string()),
        ("added", pa.int64()),
        ("source", pa.string()),
        ("contact", pa.string()),
        ("labels", pa.map_(pa.string(), pa.string())),
    ]
)
POSTINGS = pa.schema([("hash", pa.int64()), ("document", pa.int64()), ("position", pa.int64())])
WHOLE = 2**32 - 1


def document(name, digest, *, symbols=0, kgrams=0, share=WHOLE, note="", added=0, kind="hashes", **more):
    """A row but for its ordinal and its postings."""
    return {
        "name": name,
        "kind": kind,
        "digest": digest,
        "symbols": symbols,
        "kgrams": kgrams,
        "share": share,
        "note": note,
        "added": added,
        **more,
    }


def rows(documents):
    """documents: rows, each with its postings, pairs of a hash and a position or None. Returns the rows of both."""
    listed, postings = [], set()
    for ordinal, (row, pairs) in enumerate(documents):
        pairs = set(pairs)
        listed.append({"ordinal": ordinal, "fingerprints": len(pairs), **row})
        postings |= {(hash_, ordinal, -1 if position is None else position) for hash_, position in pairs}
    return listed, [
        {"hash": hash_ - 2**63, "document": ordinal, "position": None if position < 0 else position}
        for hash_, ordinal, position in sorted(postings)
    ]


def write(folder, recipe, documents, *, files=2):
    """A folder of these documents, see `rows`; files: of each sort."""
    return write_rows(folder, recipe.to_record(), *rows(documents), files=files)


def write_rows(folder, recipe, documents, postings, *, files=2, documents_as=DOCUMENTS, postings_as=POSTINGS):
    folder = Path(folder)
    folder.mkdir()
    (folder / "recipe.json").write_text(json.dumps(recipe))
    for name, some, schema in (("documents", documents, documents_as), ("postings", postings, postings_as)):
        (folder / name).mkdir()
        for number, part in enumerate(np.array_split(np.arange(len(some)), files) if files else ()):
            table = pa.Table.from_pylist([some[row] for row in part], schema=schema)
            # Names tell nothing: the last file comes first among them.
            pq.write_table(table, folder / name / f"part-{files - number:05}.parquet", row_group_size=50)
            (folder / name / f".part-{number}.crc").write_bytes(b"1234")
        (folder / name / "_SUCCESS").touch()
    (folder / "_SUCCESS").touch()
    return folder
