"""Write the example files of docs/guide/archive.md: made-up tracts as scanners leave them, the same every time.

python -m bench.scans FOLDER
"""

import random
from collections.abc import Mapping

from bench.examples import sentences, write
from bench.misreading import misread

ERRORS = 0.04
"""The share of wrong letters."""
NOTICE = "Digitized by the archive of the example county; copies of this volume carry this notice."
TRACTS, PAGES = 24, 6


def tracts() -> Mapping[str, str]:
    """Return tracts without errors: 07 is another printing of 03 with a new preface, and 12 quotes a page of 05."""
    pages = {number: [sentences(f"tract {number}, {page}", 6) for page in range(PAGES)] for number in range(TRACTS)}
    pages[7] = [sentences("preface", 6), *pages[3]]
    pages[12][2:3] = [pages[5][4][:500], sentences("remarks", 4)]
    return {f"scans/tract-{number:02}.txt": f"\n{NOTICE}\n\f".join(tract) for number, tract in pages.items()}


def files() -> Mapping[str, str]:
    """Return the contents of all files, by path: tracts in which letters are wrong, and what a reader typed from 09."""
    clean = tracts()
    scans = {
        name: "".join(
            line if line.strip() == NOTICE else misread(line, ERRORS, random.Random(name))
            for line in text.splitlines(keepends=True)
        )
        for name, text in clean.items()
    }
    return scans | {"typed.txt": clean["scans/tract-09.txt"][60:460], "notice.txt": NOTICE}


if __name__ == "__main__":
    write("bench.scans", files())
