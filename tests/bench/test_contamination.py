"""`python -m bench.contamination` plants what it says, and puts its table in its place on the page."""

import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from bench import contamination as bench

ITEM = " ".join(f"word{number:03} of it" for number in range(50))


def test_a_word_is_changed_every_step() -> None:
    text = bench.changed(ITEM, random.Random(1))
    assert len(text) == len(ITEM)
    altered = [at for at, (one, other) in enumerate(zip(text, ITEM, strict=True)) if one != other]
    words = [word for word in re.finditer(r"\w+", ITEM) if any(word.start() <= at < word.end() for at in altered)]
    assert len(words) >= len(ITEM) // (bench.STEP + 20)
    for one, other in pairwise(words):
        assert bench.STEP <= other.start() - one.end() <= bench.STEP + 20


def test_each_item_is_planted_once_in_each_form(tmp_path: Path) -> None:
    items = [f"{number} {ITEM}" for number in range(bench.ITEMS)]
    source = bench.SourceTexts([f"paragraph {number} " * 20 for number in range(50)], items)
    path = tmp_path / "records.jsonl"
    size = bench.write_records(path, 300, source, random.Random(1))
    records = {record["name"]: record["text"] for record in map(json.loads, path.read_text("utf-8").splitlines())}
    assert size == sum(map(len, records.values()))
    for number in range(bench.PLANTED):
        whole, half, changed = (records[bench.record_name(form, number)] for form in bench.FORMS)
        assert items[number] in whole
        middle = len(items[number]) // 2
        assert (items[number][:middle] in half) != (items[number][middle:] in half)
        assert items[number] not in changed
    assert sum(ITEM in text for text in records.values()) == bench.PLANTED


def test_the_table_goes_between_its_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{bench.MARKS[0]}old\n{bench.MARKS[1]}\nafter\n")
    monkeypatch.setattr(bench, "PAGE", page)
    bench.put_on_page(["one", "two"])
    assert page.read_text() == f"before\n{bench.MARKS[0]}\none\ntwo\n\n{bench.MARKS[1]}\nafter\n"
    assert all(mark in (bench.ROOT / "docs" / "guide" / "corpora.md").read_text("utf-8") for mark in bench.MARKS)
