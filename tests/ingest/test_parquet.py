"""Parquet that cannot be read is named, and what unpacks beyond measure is read in bounds."""

import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.records import record_chunks
from tests.ingest.record_files import read_records, text, written


def test_parquet_that_is_no_parquet_or_lacks_a_column(tmp_path: Path) -> None:
    path = written(tmp_path, [{"id": "a", "body": "x"}], ".parquet")
    (skipped,) = read_records([path], "parquet")
    assert skipped == Skipped(path.lstrip(), 'no column "text" (there is: id, body)', requested=True)
    (source,) = read_records([path], "parquet", fields=Fields(text="body"))
    assert isinstance(source, InputDocument)
    (tmp_path / "bad.parquet").write_bytes(b"nothing")
    (skipped,) = read_records([str(tmp_path / "bad.parquet")], "parquet")
    assert isinstance(skipped, Skipped)
    rows = [{"id": f"r{number}", "text": text(number)} for number in range(40)]
    path = written(tmp_path, rows, ".parquet")
    damaged = bytearray(Path(path).read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(1).column(1).data_page_offset
    damaged[start : start + 40] = bytes(40)
    Path(path).write_bytes(damaged)
    found = list(read_records([path], "parquet"))
    assert [one for one in found if isinstance(one, Skipped)]
    assert len([one for one in found if isinstance(one, InputDocument)]) == 33


def repeated(path: Path, texts: list[tuple[str, int]], packing: str = "zstd") -> str:
    """Write rows that have each text so often, which the file holds once; return the path."""
    column = pa.chunked_array([pa.array([text] * times) for text, times in texts])
    limits = {"dictionary_pagesize_limit": (1 << 31) - 1, "data_page_size": 1 << 30}
    pq.write_table(pa.table({"text": column}), path, compression=packing, write_statistics=False, **limits)
    return str(path)


LARGE = "ab" * 150_000
BOMBS: dict[str, tuple[list[tuple[str, int]], list[int], str]] = {
    "one row": ([("ab" * 30_000_000, 1), ("c", 1)], [], "rows up to 2 cannot be read: "),
    "a row above the limit": ([("c", 1), ("ab" * 7_000_000, 1), ("d", 1)], [1, 1], "the row has 14,000,0"),
    "many rows": ([(LARGE, 900)], [300_000] * 12, "not read any further: it unpacks to more than 250 times"),
    "many in the middle": ([("c", 900), (LARGE, 9), ("d", 9)], [1] * 900 + [300_000] * 9 + [1] * 9, ""),
}
"""Texts and how often they come, the lengths of those that are read, and the reason for the others."""


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("packing", ["zstd", "snappy"])
def test_rows_are_read_in_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: Callable[..., None], name: str, packing: str
) -> None:
    """The process that reads them may take 100 MB, and hundreds of rows of 300,000 letters take more."""
    texts, lengths, reason = BOMBS[name]
    path = repeated(tmp_path / "in.parquet", texts, packing)
    monkeypatch.setattr(
        sys.modules["fpdb.ingest.parquet"], "FREE_EXPANSION", 4_000_000 if name == "many rows" else 20_000_000
    )
    limited(memory=100_000_000)
    chunks = list(record_chunks([path], "parquet"))
    sizes = [chunk.content_bytes for chunk in chunks if not isinstance(chunk, Skipped)]
    assert max(sizes, default=0) < 1_100_000
    found = [one for chunk in chunks for one in ([chunk] if isinstance(chunk, Skipped) else chunk.documents())]
    reasons = [one.reason for one in found if isinstance(one, Skipped)]
    if packing == "snappy" and name == "many rows":  # whose packed form is larger
        lengths = [300_000] * (250 * Path(path).stat().st_size // 300_004 // 3 * 3)
    assert [len(one.content or "") for one in found if isinstance(one, InputDocument)] == lengths
    again = [one for one in read_records([path], "parquet") if not isinstance(one, Skipped)]
    assert [len(one.content or "") for one in again] == lengths
    assert len(reasons) == bool(reason)
    assert all(given.startswith(reason) for given in reasons)


def test_a_file_is_read_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads it has started in another one."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        repeated(Path("in.parquet"), [(name, 1)])
        (one,) = read_records(["in.parquet"], "parquet")
        assert isinstance(one, InputDocument)
        assert (one.name, one.content) == ("in.parquet:1", name)


def test_no_byte_of_the_file_is_believed(tmp_path: Path, limited: Callable[..., None]) -> None:
    """Each may be another one, also such that the process that reads them ends: what reads it says so."""
    limited(memory=60_000_000)
    path = Path(repeated(tmp_path / "in.parquet", [("a b c", 9), ("d", 9)]))
    content = path.read_bytes()
    for place in range(4, len(content), 17):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        for one in read_records([str(path)], "parquet"):
            assert isinstance(one, InputDocument) or one.reason
