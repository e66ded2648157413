"""Formats of files of records, and the names that tell them."""

from typing import Literal

RecordFormat = Literal["jsonl", "csv", "parquet"]

_COMPRESSED = ("", ".gz", ".bz2", ".xz", ".zst")
EXTENSIONS: dict[RecordFormat, tuple[str, ...]] = {
    # A plain .json is seldom one of lines.
    "jsonl": (*(kind + packed for kind in (".jsonl", ".ndjson") for packed in _COMPRESSED), ".json.gz", ".json.zst"),
    "csv": tuple(kind + packed for kind in (".csv", ".tsv") for packed in _COMPRESSED),
    "parquet": (".parquet",),
}
"""Of the files that are read in a folder."""
