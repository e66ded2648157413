"""The first look tells programs, records and Chinese or Japanese texts, without taking anything from a pipe."""

import os
from pathlib import Path

import pytest

from fpdb.ingest.first_look import look_at
from fpdb.ingest.path_filter import PathFilter

CHINESE, JAPANESE, KOREAN = (
    "今天天气很好，我们去公园散步。",
    "今日はとても天気がいいです。",
    "오늘은 날씨가 아주 좋습니다.",
)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([CHINESE], True),
        ([JAPANESE * 1000], True),  # cut in the middle of a character
        ([CHINESE, "hello"], True),
        ([KOREAN, "hello"], False),
        ([CHINESE, "An English text, which is much longer than that."], False),
        (["Съешь же ещё этих мягких булок"], False),
        ([""], False),
        ([], False),
    ],
)
def test_chinese_or_japanese_texts_are_told_by_their_letters(tmp_path: Path, texts: list[str], expected: bool) -> None:
    for number, text in enumerate(texts):
        Path(tmp_path, f"{number}.txt").write_text(text, "utf-8")
    look = look_at([str(tmp_path)], PathFilter())
    assert (look.files, look.programs, look.chinese_or_japanese) == (len(texts), 0, expected)


def test_pipes_are_not_read_and_files_that_cannot_be_read_tell_nothing(tmp_path: Path) -> None:
    pipe = tmp_path / "a.txt"
    os.mkfifo(pipe)
    assert not look_at([str(pipe)], PathFilter()).chinese_or_japanese  # would wait for a writer


def test_programs_and_records_are_told_by_their_names(tmp_path: Path) -> None:
    for name in ("a.py", "b.jsonl", "c.txt"):
        Path(tmp_path, name).touch()
    look = look_at([str(tmp_path)], PathFilter())
    assert (look.files, look.programs, look.is_mostly_programs) == (3, 1, False)
    assert look.records == (f"{tmp_path}/b.jsonl", "jsonl")


@pytest.mark.parametrize("name", ["a.csv", "b.tsv", "c.csv.gz"])
def test_tables_are_told_where_they_are_named_themselves(tmp_path: Path, name: str) -> None:
    Path(tmp_path, name).touch()
    assert look_at([str(tmp_path)], PathFilter()).records is None  # programs and texts often come with tables
    assert look_at([f"{tmp_path}//{name}"], PathFilter()).records == (f"{tmp_path}/{name}", "csv")


RECORD = '{"name": "a", "text": "b"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RECORD}\n{RECORD}\n", True),
        (f"\n{RECORD}\r\n\n{RECORD}", True),
        (f"{RECORD}\n" + '{"text": "' + "x" * 9000 + '"}\n', True),  # of which only the beginning is looked at
        (RECORD, False),
        (f"{RECORD}\nthe end\n", False),
        ("{\n{\n", False),
        ("[1]\n[2]\n", False),
        ('{"a": 1,\n"b": 2}\n', False),
        ("{" * 3000 + "\n{", False),
    ],
)
def test_records_are_told_by_the_first_two_lines(tmp_path: Path, text: str, expected: bool) -> None:
    Path(tmp_path, "a.txt").write_text("prose")
    Path(tmp_path, "b.dat").write_text(text)
    assert look_at([str(tmp_path)], PathFilter()).records == ((f"{tmp_path}/b.dat", "jsonl") if expected else None)
