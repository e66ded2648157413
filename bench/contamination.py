"""Measure how well a database finds test items again in very many training records.

Records are made of the texts of a Python installation: paragraphs of its library's sources and documents, combined at
random, a few hundred characters each. 500 test items are passages of files that are held out; no line of them is in a
record. 50 of the items are planted, each in three records of its own, between other paragraphs:

    whole    unchanged
    half     its first or its second half
    changed  with another word every 60 characters

Each item is then a query. It counts as found if at least `--min` of it is contained in the record where it was planted.
A false alarm is a record with that much of an item that was not planted there.

    python -m bench.contamination --records 1000000
"""

import argparse
import json
import os
import random
import re
import statistics
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import fpdb
from bench.corpora import ELSEWHERE, TEXTS
from bench.measuring import run

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guide" / "corpora.md"
MARKS = "<!-- contamination begin -->\n", "<!-- contamination end -->"

ITEMS, PLANTED = 500, 50
FORMS = ("whole", "half", "changed")
ITEM = 600, 900  # characters
RECORD = 450  # characters at least
STEP = 60  # characters from one changed word to the next
HELD_OUT = 12  # one file of so many
LEAST = 0.05  # the containment below which none is told
TELLING = 20  # characters from which a line of an item may be in no record

SETTINGS: Mapping[str, Sequence[str]] = {
    "`--preset text` (k=30, w=21)": ("--preset", "text"),
    "`--preset web` (k=50, w=100)": ("--preset", "web"),
    "`-k 20 -w 11`": ("-k", "20", "-w", "11"),
    "`-k 16 -w 9`": ("-k", "16", "-w", "9"),
}


class SourceTexts(NamedTuple):
    """Paragraphs for records, and passages for test items."""

    paragraphs: list[str]
    items: list[str]


class Containments(NamedTuple):
    """Containments, one for each item; 0 stands for less than LEAST.

    planted: by form, in the record where the item was planted. elsewhere: the largest in any other record.
    """

    planted: dict[str, list[float]]
    elsewhere: list[float]


def texts(rng: random.Random) -> SourceTexts:
    """Read the installation. Raise SystemExit if it has too little text."""
    library = Path(sysconfig.get_path("stdlib"))
    files = [
        Path(place, file)
        for place, folders, names in os.walk(library)
        if not (folders.sort() or ELSEWHERE.intersection(Path(place).parts))
        for file in sorted(names)
        if Path(file).suffix in TEXTS
    ]
    paragraphs: dict[str, None] = {}
    candidates: list[str] = []
    for index, path in enumerate(files):
        parts = [part for part in re.split(r"\n\s*\n", path.read_text("utf-8", "replace")) if len(part) > STEP]
        if index % HELD_OUT:
            paragraphs.update(dict.fromkeys(part[: 3 * RECORD] for part in parts))
        else:
            candidates += _passages(parts)
    known_lines = {line.strip() for part in paragraphs for line in part.splitlines()}
    rng.shuffle(candidates)
    items: list[str] = []
    for text in candidates:
        lines = {line.strip() for line in text.splitlines()}
        lines = {line for line in lines if len(line) >= TELLING}
        if not lines & known_lines and sum(map(str.isalnum, text)) > ITEM[0] * 2 // 3:
            items.append(text)
            known_lines |= lines
        if len(items) == ITEMS:
            return SourceTexts(list(paragraphs), items)
    raise SystemExit(f"the installation in {library} has text for {len(items)} test items only, not {ITEMS}")


def _passages(paragraphs: Sequence[str]) -> Iterator[str]:
    """Join neighbouring paragraphs until they are long enough for an item."""
    text = ""
    for part in paragraphs:
        text = f"{text}\n\n{part}" if text else part
        if len(text) >= ITEM[0]:
            yield text[: ITEM[1]]
            text = ""


def changed(text: str, rng: random.Random) -> str:
    """Return the text with another word of the same length every STEP characters."""
    done, out = 0, []
    for word in re.finditer(r"\w+", text):
        if word.start() >= done + STEP:
            out += [text[done : word.start()], "".join(rng.choice("etaoinshrdlu") for _ in word.group())]
            done = word.end()
    return "".join([*out, text[done:]])


def disguised(item: str, form: str, number: int, rng: random.Random) -> str:
    """Return the form of an item that is planted."""
    if form == "whole":
        return item
    if form == "half":
        middle = len(item) // 2
        return item[:middle] if number % 2 else item[middle:]
    return changed(item, rng)


def record_name(form: str, number: int) -> str:
    """Return the name of the record where an item is planted."""
    return f"planted {form} {number:02}"


def write_records(path: Path, count: int, source: SourceTexts, rng: random.Random) -> int:
    """Write `count` records as JSON Lines, the planted ones among them; return the characters of their texts."""
    planted = {(form, number): rng.randrange(count) for form in FORMS for number in range(PLANTED)}
    planted_at: dict[int, list[tuple[str, int]]] = {}
    for key, place in planted.items():
        planted_at.setdefault(place, []).append(key)
    size = 0

    def filler() -> str:
        parts: list[str] = []
        while sum(map(len, parts)) < RECORD:
            parts.append(source.paragraphs[int(rng.random() * len(source.paragraphs))])
        return "\n\n".join(parts)

    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            new_records = [(f"record {number:08}", filler())] if number not in planted_at else []
            for form, item in planted_at.get(number, ()):
                text = disguised(source.items[item], form, item, rng)
                new_records.append((record_name(form, item), f"{filler()}\n\n{text}\n\n{filler()}"))
            for name, text in new_records:
                size += len(text)
                file.write(json.dumps({"name": name, "text": text}) + "\n")
    return size


def ask(path: Path, items: Sequence[str]) -> Containments:
    """Query the database with each item."""
    planted: dict[str, list[float]] = {form: [] for form in FORMS}
    elsewhere = []
    with fpdb.open(path, "r") as db:
        for number, item in enumerate(items):
            containments = {match.name: match.containment for match in db.query(item, min=LEAST).matches}
            for form in FORMS if number < PLANTED else ():
                planted[form].append(containments.pop(record_name(form, number), 0.0))
            elsewhere.append(max(containments.values(), default=0.0))
    return Containments(planted, elsewhere)


def row(setting: str, containments: Containments, minimum: float, size: int) -> str:
    """Return a line of the table."""
    cells = [setting]
    for form in FORMS:
        values = containments.planted[form]
        cells.append(f"{sum(value >= minimum for value in values)} ({min(values):.2f}-{max(values):.2f})")
    cells.append(f"{statistics.median(containments.planted['changed']):.2f}")
    cells.append(f"{sum(value >= minimum for value in containments.elsewhere)} ({max(containments.elsewhere):.2f})")
    cells.append(f"{size / 1e6:,.0f} MB")
    return f"| {' | '.join(cells)} |"


def table(count: int, minimum: float, rng: random.Random, folder: Path) -> Iterator[str]:
    """Measure every setting and yield the lines of the table."""
    source = texts(rng)
    records = folder / "records.jsonl"
    size = write_records(records, count, source, rng)
    python = ".".join(map(str, sys.version_info[:2]))
    yield f"{count:,} records, {size / 1e6:,.0f} million characters, made of {len(source.paragraphs):,} paragraphs"
    yield f"of a Python {python} installation; {ITEMS} items, {PLANTED} of them planted in each form. Found of these"
    yield (
        f"with `--min {minimum:g}`, and in brackets the least and the largest containment, of false alarms the largest."
    )
    yield ""
    yield "| setting | whole | half | a word changed every 60 | its median | items with false alarms | database |"
    yield "|:--|--:|--:|--:|--:|--:|--:|"
    for setting, options in SETTINGS.items():
        path = folder / "records.fpdb"
        program = (sys.executable, "-m", "fpdb", "--db", str(path))
        run(*program, "init", *options, cwd=ROOT)
        run(*program, "add", "--jsonl", str(records), "--kind", "text", cwd=ROOT)
        yield row(setting, ask(path, source.items), minimum, path.stat().st_size)
        for file in folder.glob("records.fpdb*"):
            file.unlink()


def put_on_page(lines: Sequence[str]) -> None:
    """Write the table between its marks in docs/guide/corpora.md."""
    before, rest = PAGE.read_text("utf-8").split(MARKS[0])
    PAGE.write_text(f"{before}{MARKS[0]}\n{chr(10).join(lines)}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}", "utf-8")


def main() -> None:
    """Measure, print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.contamination", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=20_000, metavar="N", help="how many (%(default)s)")
    parser.add_argument("--min", type=float, default=0.1, metavar="X", help="containment that counts (%(default)s)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where records and databases lie meanwhile")
    parser.add_argument("--write", action="store_true", help="put the table on docs/guide/corpora.md")
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for line in table(options.records, options.min, random.Random(1), Path(folder)):
            print(line, flush=True)
            lines.append(line)
    if options.write:
        put_on_page(lines)


if __name__ == "__main__":
    main()
