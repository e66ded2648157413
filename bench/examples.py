"""Write the example files of docs/guide/corpora.md: made-up sentences, the same every time.

python -m bench.examples FOLDER
"""

import json
import random
import sys
from collections.abc import Mapping
from pathlib import Path

WORDS = [
    "harbour",
    "council",
    "engineers",
    "winter",
    "market",
    "bridge",
    "library",
    "farmers",
    "station",
    "museum",
    "students",
    "railway",
    "village",
    "doctors",
    "garden",
    "theatre",
    "captain",
    "island",
    "teachers",
    "valley",
    "painters",
    "factory",
    "orchestra",
    "mountain",
    "sailors",
    "bakery",
    "forest",
    "journalists",
    "castle",
    "merchants",
    "hospital",
    "lantern",
    "weavers",
    "quarry",
    "printers",
    "meadow",
    "pilots",
    "archive",
    "chapel",
    "brewers",
]
DEEDS = [
    "measured",
    "repaired",
    "opened",
    "described",
    "visited",
    "planned",
    "painted",
    "copied",
    "sold",
    "rebuilt",
    "photographed",
    "surveyed",
    "praised",
    "closed",
    "borrowed",
    "inspected",
    "exchanged",
    "lit",
    "documented",
    "remembered",
]
WHEN = [
    "yesterday",
    "twice",
    "again",
    "slowly",
    "together",
    "overnight",
    "abroad",
    "carefully",
    "there",
    "first",
    "quietly",
    "afterwards",
]


def sentences(seed: str, count: int = 8) -> str:
    """Return `count` sentences, the same for the same seed."""
    rng = random.Random(seed)
    return " ".join(
        f"The {rng.choice(WORDS)} {rng.choice(WORDS)} {rng.choice(DEEDS)} the {rng.choice(WORDS)} of the "
        f"{rng.choice(WORDS)} {rng.choice(WHEN)}, and {rng.choice(WORDS)} {rng.choice(DEEDS)} {rng.choice(WORDS)}."
        for _ in range(count)
    )


def records() -> Mapping[str, str]:
    """Return twelve records: 02, 05 and 09 are near-duplicates, 07 holds half of 03, and two hold test items."""
    made = {f"record {number:02}": sentences(f"record {number}") for number in range(1, 13)}
    made["record 05"] = made["record 02"].replace(" the ", " that ", 3)
    made["record 09"] = f"{made['record 02']} {sentences('more', 2)}"
    made["record 07"] = f"{sentences('before', 4)} {sentences('record 3')[:450]}"
    made["record 06"] = f"{sentences('around', 3)} {sentences('item 1', 4)} {sentences('behind', 3)}"
    made["record 08"] = f"{sentences('in front', 4)} {sentences('item 2', 4)[:200]}"
    return made


def files() -> Mapping[str, str]:
    """Return the contents of all files, by path."""
    old = records()
    header, footer = sentences("header", 2), sentences("footer", 2)
    lines = [json.dumps({"name": name, "text": text, "labels": {"set": "old"}}) for name, text in old.items()]
    other = {"other 1": sentences("other"), "other 2": f"{sentences('beside', 4)} {old['record 04'][100:500]}"}
    more = [json.dumps({"name": name, "text": text, "labels": {"set": "other"}}) for name, text in other.items()]
    return {
        "old.jsonl": "\n".join(lines) + "\n",
        "other.jsonl": "\n".join(more) + "\n",
        "new/copied.txt": f"{sentences('new', 4)} {old['record 10'][:400]}",
        "new/fresh.txt": sentences("fresh"),
        **{f"items/{number}.txt": sentences(f"item {number}", 4) for number in (1, 2, 3)},
        **{f"site/page-{number}.txt": f"{header}\n{sentences(f'page {number}')}\n{footer}" for number in range(1, 7)},
        "site/page-7.txt": f"{header}\n{sentences('page 3')[:500]} {sentences('own', 3)}\n{footer}",
        **{f"monday/crawl/{page}.txt": sentences(f"page {page}") for page in "abc"},
        **{f"tuesday/crawl/{page}.txt": sentences(f"page {page}") for page in "ad"},
        "tuesday/crawl/b.txt": f"{sentences('page b')} {sentences('news', 1)}",
    }


def write(module: str, files: Mapping[str, str]) -> None:
    """Write files, texts by name, into the folder that the command line of a module names."""
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: python -m {module} FOLDER")
    for name, text in files.items():
        path = Path(sys.argv[1], name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    write("bench.examples", files())
