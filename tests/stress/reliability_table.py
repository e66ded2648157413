"""Write what the stress suite measured into docs/design/reliability.md.

python -m tests.stress.reliability_table FOLDER
"""

import json
import sys
from pathlib import Path

BEGIN, END = "<!-- figures: tools/stress -->\n", "<!-- end of figures -->"

ROWS = {
    1: "kill -9 during add, remove, merge, compact",
    2: "simulated loss of power",
    3: "kill or loss of power inside backup and compact",
    4: "full disk, failing writes and syncs",
    5: "memory that runs out",
    6: "flipped bits",
    7: "cut, zeroed, swapped and duplicated pages; files that are no database",
    8: "two writers; a stopped writer",
    9: "readers during a writer and merges",
    10: "readers killed while writing",
    11: "any history against a dictionary",
    12: "long lives: removed and added again, replaced many times",
    13: "fuzzed decoders and front-ends",
    14: "planted faults that check finds",
    15: "hostile documents",
    16: "a disk that loses a write: pages as they were some commits ago",
    17: "forged databases: any values changed, all checksums right",
    18: "readers that cannot lock the file beside a writer: a read-only mount, another user's folder",
}


def table(folder: Path) -> str:
    """Return the figures noted in a folder, with a row for each of ROWS."""
    noted = [json.loads(line) for file in sorted(folder.iterdir()) for line in file.read_text().splitlines()]
    lines = ["| what is done | how often, and what came of it |", "|---|---|"]
    for row, title in ROWS.items():
        alike: dict[str, list[str]] = {}
        for one in noted:
            if one["row"] == row:
                alike.setdefault(one["done"], []).append(one["what"])
        counted = [
            f"{len(what)} kinds ({', '.join(what)})" if len(what) > 2 else ", ".join(what) for what in alike.values()
        ]
        done = "; ".join(f"{what}: {came}" for what, came in zip(counted, alike, strict=True))
        lines.append(f"| {title} | {done or 'not run'} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    page = Path(__file__).parents[2] / "docs" / "design" / "reliability.md"
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(before + BEGIN + "\n" + table(Path(sys.argv[1])) + "\n" + END + after)


if __name__ == "__main__":
    main()
