"""Write folders that `fpdb adopt` takes over, by docs/design/adopt-format.md alone."""

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


DEFAULTS = {"kind": "hashes", "symbols": 0, "kgrams": 0, "share": WHOLE, "note": "", "added": 0}


def document(name, digest, **fields):
    """Return a row of documents without its ordinal and its number of postings; DEFAULTS for fields not given."""
    return {"name": name, "digest": digest, **DEFAULTS, **fields}


def rows(documents):
    """Return the rows of documents and those of postings.

    Args:
        documents: pairs of a row and its postings, each a hash with a position or None.
    """
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
    """Write a folder of the documents that `rows` describes, with `files` files of each table."""
    return write_rows(folder, recipe.to_record(), *rows(documents), files=files)


def write_rows(folder, recipe, documents, postings, *, files=2, schemas=(DOCUMENTS, POSTINGS)):
    folder = Path(folder)
    folder.mkdir()
    (folder / "recipe.json").write_text(json.dumps(recipe))
    for name, table_rows, schema in zip(("documents", "postings"), (documents, postings), schemas, strict=True):
        (folder / name).mkdir()
        for number, part in enumerate(np.array_split(np.arange(len(table_rows)), files) if files else ()):
            table = pa.Table.from_pylist([table_rows[row] for row in part], schema=schema)
            # The order of file names has no meaning: the last file has the first name.
            pq.write_table(table, folder / name / f"part-{files - number:05}.parquet", row_group_size=50)
            (folder / name / f".part-{number}.crc").write_bytes(b"1234")
        (folder / name / "_SUCCESS").touch()
    (folder / "_SUCCESS").touch()
    return folder
