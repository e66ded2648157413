"""Lines that are wrong are named, and the rest goes on."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import parallel
from fpdb.ingest.files import InputDocument, Skipped
from fpdb.ingest.jsonl import LineChunk
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import Stopped, load
from fpdb.ingest.record_fields import Fields
from fpdb.ingest.records import record_chunks
from tests.ingest.record_files import PACKED, lines_of, numbered, read_records, text

FAULTS: list[tuple[bytes, str]] = [
    (b"{", "not JSON"),
    (b'{"id": }', "not JSON: Expecting value at character 8"),
    (b'{"id": "x", "text": ["y", ', "not JSON: Expecting value"),
    (b"]", "not JSON: Expecting value at character 1"),
    (b'{"id": "x"}', 'no "text" (there is: id)'),
    (b'{"id": "x", "text": null}', '"text" is null'),
    (b'{"id": ["x"], "text": "y"}', '"id" is neither a string nor a whole number'),
    (b'{"id": "\xff", "text": "y"}', "not UTF-8"),
    (b'{"id": ' + b"9" * 5000 + b', "text": "y"}', '"id" is a number of too many digits'),
    (b'{"id": 1, "text": ' + b"-" + b"9" * 5000 + b"}", '"text" is not a string'),
    (b'{"id": 1, "text": "y", "n": ' + b"9" * 5000 + b", }", "not JSON"),
    (b'{"id": 1, "text": "y", "n": ' + b"[" * 9_000 + b"]" * 9_000 + b"}", "nested too deeply"),
]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_wrong_is_named_and_counted_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(parallel, "ALONE_BYTES", 1)
    monkeypatch.setattr(sys.modules["fpdb.ingest.jsonl"], "RECORD_CHUNK_BYTES", 1000)
    good = lines_of(numbered(20)).splitlines()
    again = json.dumps({"id": "d003", "text": text(50)}).encode()
    content = b"\n".join([*good[:10], *(line for line, _ in FAULTS), b"", again, *good[10:]])
    (tmp_path / "in.jsonl").write_bytes(content)
    noticed: list[str] = []

    class Watcher:
        def done(self, size: int) -> None:
            pass

        def skipped(self, skipped: Skipped) -> None:
            pass

        def noticed(self, place: str, what: str) -> None:
            noticed.append(f"{place}: {what}")

    path = str(tmp_path / "in.jsonl")
    with fpdb.open(tmp_path / "x.fpdb") as db:
        report = load(db, record_chunks([path]), jobs=jobs, watcher=Watcher())
        assert [one.name for one in report.skipped] == [f"{path}:{number}" for number in range(11, 11 + len(FAULTS))]
        assert all(one.reason.startswith(why) for one, (_, why) in zip(report.skipped, FAULTS, strict=True))
        assert (report.added, report.replaced, report.duplicates, report.skips) == (20, 1, 1, len(FAULTS))
        assert noticed == [f"{path}:{12 + len(FAULTS)}: another record is named 'd003'; the later one stays"]
        assert db.document("d003").digest == fpdb.fingerprint.content_digest(text(50))
        assert db.check() == []
    with fpdb.open(tmp_path / "strict.fpdb") as db:
        with pytest.raises(Stopped, match=r"in\.jsonl:11: not JSON"):
            load(db, record_chunks([path]), LoadOptions(strict=True), jobs=jobs)
        assert [document.name for document in db.documents()] == [f"d{number:03}" for number in range(10)]


DIGITS = ("9" * 5_000, "-" + "9" * 1_000_000, "[1, " + "9" * 5_000 + "]", '{"a": {"b": ' + "9" * 5_000 + "}}")
"""Values that Python refuses to convert, at any depth."""


@pytest.mark.parametrize("value", DIGITS, ids=len)
def test_a_number_without_end_costs_what_asks_for_it(tmp_path: Path, value: str) -> None:
    """Two of the kind: a field that nobody asked for is nothing to the record; a label is a reason."""
    (tmp_path / "in.jsonl").write_text(f'{{"name": "a", "text": "b", "n": {value}}}\n{{"name": "c", "text": "d"}}\n')
    path = str(tmp_path / "in.jsonl")
    assert [(one.name, one.content) for one in read_records([path])] == [("a", "b"), ("c", "d")]  # type: ignore[union-attr]
    first, second = read_records([path], fields=Fields(labels=("n",)))
    assert isinstance(first, Skipped)
    assert first.reason in ('"n" is a number of too many digits', '"n" is no plain value, as a label is')
    assert isinstance(second, InputDocument)


def test_a_line_of_nothing_but_values_is_refused(tmp_path: Path, limited: Callable[..., None]) -> None:
    values = "[], " * 400_000 + "{}"
    (tmp_path / "in.jsonl").write_text(f'{{"text": "b", "n": [{values}]}}\n{{"name": "c", "text": "d"}}\n')
    path = str(tmp_path / "in.jsonl")
    assert all(isinstance(one, InputDocument) for one in read_records([path]))
    limited(memory=50_000_000)
    first, second = read_records([path])
    assert isinstance(first, Skipped)
    assert first.reason.startswith("reading it takes more than 50.0 MB of memory (see --max-memory)")
    assert isinstance(second, InputDocument)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_a_file_that_is_cut_off_gives_what_is_whole(tmp_path: Path, ending: str) -> None:
    whole = lines_of([{"text": os.urandom(200).hex()} for _ in range(50)])
    packed = PACKED[ending](whole[:9000]) + PACKED[ending](whole[9000:])
    path = tmp_path / f"in.jsonl{ending}"
    for size in (len(packed) * 3 // 4, len(packed) - 1, 12):
        path.write_bytes(packed[:size])
        *good, last = read_records([str(path)])
        assert isinstance(last, Skipped)
        assert last.requested
        assert last.name == f"{path}:{len(good) + 1}"
        assert last.reason.startswith("not read any further: ")
        assert all(isinstance(one, InputDocument) for one in good)
        assert size == 12 or len(good) > 10 or ending == ".bz2"
    path.write_bytes(packed)
    assert len(list(read_records([str(path)]))) == 50


@given(st.lists(st.dictionaries(st.sampled_from(["name", "text", "kind", "labels"]), st.text() | st.none())))
def test_json_lines_are_documents_or_are_named(lines: list[dict[str, str | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "in.jsonl")
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        found = list(read_records([str(path)]))
    if len(lines) >= 10 and isinstance(found[0], Skipped) and found[0].requested:
        assert not any(isinstance(line.get("text"), str) and line.keys() == {"text"} for line in lines[:10])
        return
    assert len(found) == len(lines)
    for number, (line, one) in enumerate(zip(lines, found, strict=True), start=1):
        if isinstance(one, InputDocument):
            named = line.get("name")
            assert (one.name, one.content) == (f"{path}:{number}" if named is None else named, line["text"])
        else:
            assert one.name.endswith(f"in.jsonl:{number}")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("value", [[{"text": "a"}, {"text": "b"}], {"text": "a"}], ids=["list", "object"])
def test_json_that_is_not_lines_says_how_to_make_lines(tmp_path: Path, indent: int | None, value: object) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(value, indent=indent))
    first, *_ = read_records([str(path)])
    if indent is None and isinstance(value, dict):
        assert isinstance(first, InputDocument)
    else:
        assert isinstance(first, Skipped)
        assert "each line is one object, as `jq -c" in first.reason


@pytest.mark.parametrize("line", ['{"text": "a', '{"text" "a"}', '{"text": }', "{text: 1}", '{"text": "a"} x', "}"])
def test_a_fault_is_told_with_its_character(tmp_path: Path, line: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(line)
    (skipped,) = read_records([str(path)])
    assert isinstance(skipped, Skipped)
    assert re.fullmatch(r"not JSON: [A-Z](?!.*at at).+ at character \d+", skipped.reason)


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "gb18030"])
def test_lines_of_other_encodings(tmp_path: Path, encoding: str) -> None:
    """What the encoding does not have is named; what is written again stays in it."""
    texts = {"cp1252": "naïve “quotes”", "shift_jis": "日本語の文章", "gb18030": "汉字 😀"}
    line = json.dumps({"name": "a", "text": texts[encoding]}, ensure_ascii=False).encode(encoding)
    path = tmp_path / "in.jsonl"
    path.write_bytes(line + b'\n{"name": "b", "text": "\x81\xff\x81"}\n')
    good, bad = read_records([str(path)], fields=Fields(encoding=encoding))
    assert isinstance(good, InputDocument)
    assert good.content == texts[encoding]
    assert bad == Skipped(f"{path}:2", f"not {encoding.upper()}")
    (chunk,) = record_chunks([str(path)], fields=Fields(encoding=encoding))
    assert isinstance(chunk, LineChunk)
    cut = json.loads(chunk.select([[(0, 2)], None]).decode(encoding))
    assert cut == {"name": "a", "text": texts[encoding][2:]}
    (refused,) = read_records([str(path)], fields=Fields(encoding="utf-16"))
    assert isinstance(refused, Skipped)
    assert refused.reason == "lines of UTF-16 are not read: make UTF-8 of it, as iconv does"
