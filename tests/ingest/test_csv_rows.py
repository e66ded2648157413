"""CSV: rows are those that Python's csv reads, wherever a chunk is cut, and whole as the file has them."""

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.ingest.csv_rows import CsvChunk, read_rows
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.records import record_chunks
from tests.ingest.record_files import PACKED, read_records

CELLS = st.text(st.sampled_from('ab",;\t\n\ré\u2028\x00'), max_size=5)


@given(
    st.lists(st.tuples(CELLS, CELLS), max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.integers(1, 40),
)
def test_rows_are_read_in_any_form(
    rows: list[tuple[str, str]], delimiter: str, newline: str, encoding: str, size: int
) -> None:
    """Names of lines count lines as an editor does that knows the newlines of csv; the chunks are the file."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "text"])
    writer.writerows(rows)
    content = out.getvalue().encode(encoding)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["fpdb.ingest.csv_rows"], "RECORD_CHUNK_BYTES", size)
        chunks = list(read_rows(io.BytesIO(content), "F", fields=Fields(name="-", encoding=encoding), kind="text"))
    assert all(isinstance(chunk, CsvChunk) for chunk in chunks)
    whole = [chunk for chunk in chunks if isinstance(chunk, CsvChunk)]
    found = [document for chunk in whole for document in chunk.documents()]
    assert [document.content for document in found if isinstance(document, InputDocument)] == [text for _, text in rows]
    numbers = [int(document.name.removeprefix("F:")) for document in found]
    assert numbers == sorted(set(numbers))
    assert all(number > 1 for number in numbers)
    if whole:
        parts = [whole[0].head, *(chunk.content for chunk in whole)]
        assert b"".join(parts) == content


def test_what_is_wrong_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b'id,text\n1,"two\nlines"\n2\n3,a,b\n\n4,\xff\n,c\n6,d\n7,"open\n8,e\n')
    found = list(read_records([str(path)], "csv", fields=Fields(encoding="utf-8")))
    assert [(one.name, one.content) for one in found if isinstance(one, InputDocument)] == [
        ("1", "two\nlines"),
        (f"{path}:8", "c"),
        ("6", "d"),
    ]
    assert [one for one in found if isinstance(one, Skipped)] == [
        (f"{path}:4", "1 cells, and the header has 2", False),
        (f"{path}:5", "3 cells, and the header has 2", False),
        (f"{path}:7", "not UTF-8", False),
        (f"{path}:10", "not read any further: a quote is left open, to the end of the file", True),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"id;body\n1;x\n", 'no column "text" (there is: id, body)'),
        (b"text,text\n1,x\n", 'the header names "text" 2 times'),
        (b'"text\n1,x\n', "a quote is left open, to the end of the file"),
        (PACKED[".xz"](b"text\nx\n")[:20], "cut off: it ends too early"),
    ],
)
def test_a_file_that_is_not_read(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    assert list(read_records([str(path)], "csv")) == [Skipped(str(path), reason, requested=True)]


@pytest.mark.parametrize("content", [b"", b"text\n", b"\xef\xbb\xbftext\r\n\r\n"])
def test_a_file_without_rows(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    assert list(read_records([str(tmp_path / "in.csv")], "csv")) == []


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "cp932", "utf-16"])
def test_compression_and_encoding_are_told(tmp_path: Path, packing: str, encoding: str) -> None:
    text = "ひらがなとカタカナ、" * 3 if encoding == "cp932" else "Vätér"
    path = tmp_path / f"in.tsv{packing}"
    path.write_bytes(PACKED[packing](f"id\ttext\n1\t{text}\n".encode(encoding)))
    (found,) = read_records([str(tmp_path)], "csv")
    assert isinstance(found, InputDocument)
    assert found.content == text


def test_a_row_without_end_is_refused(tmp_path: Path, limited: Callable[..., None]) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b'text\na\n"' + b"b\n" * 4_000_000)
    limited(memory=50_000_000)
    _, skipped = record_chunks([str(path)], "csv")
    assert isinstance(skipped, Skipped)
    assert "characters; is a quote left open?" in skipped.reason
