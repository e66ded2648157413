"""Parquet that cannot be read is named."""

from pathlib import Path

import pyarrow.parquet as pq

from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.records import read_records
from tests.ingest.record_files import text, written


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
