"""Records that are written again are those of the file, but for those left out and what is cut."""

import csv
import io
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpdb.ingest import record_writers
from fpdb.ingest.files import Skipped
from fpdb.ingest.record_fields import Cuts, Fields
from fpdb.ingest.record_writers import record_writer
from fpdb.ingest.records import read_file
from tests.ingest.record_files import PACKED

TEXTS = st.text(st.sampled_from('ab,"\n\ré\u2028'), max_size=12)
CUTS = st.none() | st.lists(st.integers(0, 12), max_size=4, unique=True).map(
    lambda ends: list(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
)
RECORDS = st.lists(st.tuples(TEXTS, st.floats(allow_nan=False) | st.integers(), CUTS), max_size=8)
KEPT_AS_IT_IS = b'{"text" :"a",  "n":1.50}\n\n {"no": "text"} \nnot JSON\n'


def cut_out(text: str, cuts: Cuts | None) -> str:
    return "".join(each for place, each in enumerate(text) if not any(a <= place < b for a, b in cuts or ()))


def rewrite(path: Path, form: Any, cuts: Sequence[Cuts | None], field: str = "text") -> Path:
    """Write a file again as `out` and its suffixes."""
    out = path.with_name("out" + "".join(path.suffixes))
    cuts_left = iter(cuts)
    with out.open("wb") as file, record_writer(file, form, out.name) as writer:
        for chunk in read_file(str(path), form, Fields(text=field), whole=True):
            assert not isinstance(chunk, Skipped)
            writer.write(chunk, [next(cuts_left) for _ in chunk.documents()])
    assert next(cuts_left, None) is None
    return out


@given(records=RECORDS, packing=st.sampled_from(list(PACKED)), ends=st.booleans(), size=st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_lines(records: list[Any], packing: str, ends: bool, size: int) -> None:
    """Lines are the same bytes, unless something is cut out of them: then the fields and their order are the same."""
    rows = [{"n": number, "text": text, "é": [text, {}]} for text, number, _ in records]
    lines = [json.dumps(row, ensure_ascii=index % 2 == 0).encode() for index, row in enumerate(rows)]
    content = b"\n".join(lines) + (b"\n" if ends else b"")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", size)
        path = Path(folder, f"in.jsonl{packing}")
        path.write_bytes(PACKED[packing](content))
        out = rewrite(path, "jsonl", [cuts for _, _, cuts in records])
        plain = out.with_suffix(".plain.jsonl")
        plain.write_bytes(b"".join(chunk.content for chunk in read_file(str(out), "jsonl", Fields())))  # type: ignore[union-attr]
        left = plain.read_bytes().splitlines()
    stay = [(line, row, cuts) for line, row, (_, _, cuts) in zip(lines, rows, records, strict=True) if cuts is not None]
    assert len(left) == len(stay)
    for found, (line, row, cuts) in zip(left, stay, strict=True):
        if not cuts:
            assert found == line
        assert list(json.loads(found).items()) == list((row | {"text": cut_out(row["text"], cuts)}).items())


def test_lines_that_are_no_documents_stay(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(KEPT_AS_IT_IS)
    out = rewrite(tmp_path / "in.jsonl", "jsonl", [(), (), ()])
    assert out.read_bytes() == KEPT_AS_IT_IS.replace(b"\n\n", b"\n")


@given(records=RECORDS, newline=st.sampled_from(["\n", "\r\n"]), size=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_rows_of_csv(records: list[Any], newline: str, size: int) -> None:
    """Rows are the same bytes in any encoding, unless something is cut out of them."""
    for encoding, delimiter in (("utf-8", ","), ("utf-16", ";")):
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_ALL)
        writer.writerows([["n", "text", "n"], *([number, text, "x"] for text, number, _ in records)])
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys.modules["fpdb.ingest.csv_rows"], "RECORD_CHUNK_BYTES", size)
            path = Path(folder, "in.csv")
            path.write_bytes(out.getvalue().encode(encoding))
            found = rewrite(path, "csv", [cuts for _, _, cuts in records]).read_bytes()
            rows = list(csv.reader(io.StringIO(found.decode(encoding), newline=""), delimiter=delimiter))
        stay = [record for record in records if record[2] is not None]
        assert rows[1:] == [[str(number), cut_out(text, cuts), "x"] for text, number, cuts in stay]
        if not any(cuts for _, _, cuts in stay):
            again = io.StringIO(newline="")
            writer = csv.writer(again, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_ALL)
            writer.writerows([["n", "text", "n"], *([number, text, "x"] for text, number, _ in stay)])
            assert found == again.getvalue().encode(encoding) or not records


@given(records=RECORDS, field=st.sampled_from(["text", "d.text", "m.*.text"]), group=st.integers(1, 9))
@settings(max_examples=25, deadline=None)
def test_rows_of_parquet(records: list[Any], field: str, group: int) -> None:
    """Columns, their types and metadata stay; so do the values but for the text."""

    def row(number: float, text: str) -> dict[str, Any]:
        return {"n": float(number), "text": text, "d": {"text": text, "x": [1]}, "m": [{"text": text}]}

    inner = pa.struct([("text", pa.string()), ("x", pa.list_(pa.int8()))])
    columns = [("n", pa.float64()), ("text", pa.large_string()), ("d", inner), ("m", pa.list_(inner))]
    schema = pa.schema(columns, {"made by": "a test"})
    table = pa.Table.from_pylist([row(number, text) for text, number, _ in records], schema)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(record_writers, "GROUP_ROWS", group)
        path = Path(folder, "in.parquet")
        pq.write_table(table, path, row_group_size=3)
        out = rewrite(path, "parquet", [cuts for _, _, cuts in records], field)
        if not records:
            return
        found, before = pq.read_table(out), pq.read_table(path)
    assert found.schema.equals(before.schema, check_metadata=True)
    expected = []
    for text, number, cuts in records:
        holder = row(number, text)
        part = {"text": holder, "d.text": holder["d"], "m.*.text": holder["m"][0]}[field]
        part["text"] = cut_out(text, cuts)
        expected += [holder] * (cuts is not None)
    assert found.to_pylist() == pa.Table.from_pylist(expected, schema).to_pylist()


VIEWS = [
    (pa.string_view(), ["a" * 20, None, "c"]),
    (pa.binary_view(), [b"a" * 20, None, b"c"]),
    (pa.list_(pa.string_view()), [["a" * 20, None], None, []]),
    (pa.large_list(pa.string_view()), [["a" * 20, None], None, []]),
    (pa.list_(pa.string_view(), 2), [["a" * 20, None], None, ["b", "c"]]),
    (pa.struct([("x", pa.string_view()), ("y", pa.int8())]), [{"x": "a" * 20, "y": 1}, None, {"x": None, "y": 2}]),
    (pa.map_(pa.string(), pa.list_(pa.string_view())), [[("a", ["b" * 20])], None, []]),
]
"""Types that hold string views, which other libraries write, and values."""


@pytest.mark.parametrize(("kind", "values"), VIEWS, ids=[str(kind) for kind, _ in VIEWS])
def test_rows_with_string_views(tmp_path: Path, kind: pa.DataType, values: list[Any]) -> None:
    table = pa.table({"text": pa.array(["first", "second", "third"], pa.string_view()), "x": pa.array(values, kind)})
    pq.write_table(table, tmp_path / "in.parquet")
    found = pq.read_table(rewrite(tmp_path / "in.parquet", "parquet", [(), None, [(0, 2)]]))
    assert found.schema == pq.read_schema(tmp_path / "in.parquet")
    assert found.to_pylist() == [{"text": "first", "x": values[0]}, {"text": "ird", "x": values[2]}]


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd", {"text": "zstd", "x": "gzip"}])
@pytest.mark.parametrize("of_arrow", [True, False])
def test_codecs_and_types_of_parquet_stay(tmp_path: Path, codec: Any, of_arrow: bool) -> None:
    columns = {
        "text": pa.array(["first", "second", "first"]).dictionary_encode(),
        "x": pa.array(["a", None, "b"]).dictionary_encode(),
        "time": pa.array([1, 2, 3], pa.timestamp("us", "Europe/Paris")),
        "span": pa.array([1, 2, 3], pa.duration("s")) if of_arrow else pa.array([1, 2, 3], pa.uint8()),
    }
    table = pa.table(columns).replace_schema_metadata({"made by": "a test"})
    pq.write_table(table, tmp_path / "in.parquet", compression=codec, store_schema=of_arrow)
    out = rewrite(tmp_path / "in.parquet", "parquet", [(), None, [(0, 2)]])
    files = [pq.ParquetFile(path) for path in (tmp_path / "in.parquet", out)]
    before, after = ([file.metadata.row_group(0).column(index).compression for index in range(4)] for file in files)
    assert after == before
    assert files[1].schema_arrow.equals(files[0].schema_arrow, check_metadata=True)
    expected = files[0].read().take([0, 2]).to_pylist()
    assert files[1].read().to_pylist() == [expected[0], {**expected[1], "text": "rst"}]
