"""Makes an adoptable folder of an export, as docs/adopt-format.md and docs/export-format.md describe both."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

NO_POSITION = 2**32 - 1
COLUMNS = ("name", "kind", "symbols", "kgrams", "added", "source", "contact", "labels")


def write_adoptable(export: bytes, folder: Path) -> None:
    """Write a folder that holds the documents of an export, but not its boilerplate."""
    import pyarrow as pa

    header, *lines, _ = [json.loads(line) for line in export.splitlines()]
    recipe = header["recipe"]
    folder.mkdir()
    (folder / "recipe.json").write_text(json.dumps({**recipe, "key": int(recipe["key"])}))
    documents, postings = [], []
    for line in lines:
        if not line.get("boilerplate") and line["name"].isprintable():  # Parquet's strings are of UTF-8
            postings += _postings(line, len(documents))
            documents.append(_document(line, len(documents)))
    numbers = {"ordinal", "symbols", "kgrams", "fingerprints", "share", "added"}
    types = {name: pa.int64() if name in numbers else pa.string() for name in documents[0]}
    types |= {"digest": pa.binary(), "labels": pa.map_(pa.string(), pa.string())}
    _write(folder / "documents", documents, pa.schema(list(types.items())))
    long = [(name, pa.int64()) for name in ("hash", "document", "position")]
    _write(folder / "postings", sorted(postings, key=_order), pa.schema(long))
    (folder / "_SUCCESS").touch()


def _document(line: dict[str, Any], ordinal: int) -> dict[str, Any]:
    return {
        "ordinal": ordinal,
        **{name: line.get(name) for name in COLUMNS},
        "digest": bytes.fromhex(line["digest"]),
        "fingerprints": line["fingerprints"],
        "share": line.get("share", 2**32 - 1),
        "note": line.get("note", ""),
    }


def _postings(line: dict[str, Any], ordinal: int) -> list[dict[str, Any]]:
    hashes = np.frombuffer(base64.b64decode(line["hashes"]), "<u8") ^ np.uint64(2**63)
    positions = [NO_POSITION] * len(hashes)
    if "positions" in line:
        positions = np.frombuffer(base64.b64decode(line["positions"]), "<u4").tolist()
    return [
        {"hash": hash_, "document": ordinal, "position": None if position == NO_POSITION else position}
        for hash_, position in zip(hashes.view(np.int64).tolist(), positions, strict=True)
    ]


def _order(row: dict[str, Any]) -> tuple[int, int, int]:
    return row["hash"], row["document"], -1 if row["position"] is None else row["position"]


def _write(folder: Path, rows: list[dict[str, Any]], schema: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / "part-00000.parquet")
    (folder / "_SUCCESS").touch()
