"""Measure what folding look-alikes does to honest texts: the translated messages of programs on this machine.

For each language: how many of its different words become equal to another one by version 2 of the readers, and how many
of its passages of 30 symbols English has, too, by version 1 and by version 2: mostly, messages that are not translated.

    python -m bench.languages
"""

import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fpdb.readers.folding import fold

CATALOGUES = Path("/usr/share/locale")
LANGUAGES = ["de", "pl", "tr", "vi", "ru", "uk", "el", "hy", "he", "ar", "hi", "th", "ka", "ko", "ja", "zh_CN"]
LONGEST = 400_000
K = 30


def read_catalogues(language: str) -> Iterator[str]:
    """Yield the translations of each program into a language, as paragraphs."""
    for path in sorted((CATALOGUES / language / "LC_MESSAGES").glob("*.mo")):
        with path.open("rb") as file:
            try:
                catalogue = vars(gettext.GNUTranslations(file))["_catalog"]  # it lists no messages otherwise
            except (OSError, UnicodeDecodeError, ValueError):
                continue
        yield "\n\n".join(text for source, text in catalogue.items() if source and isinstance(text, str))


def read_messages(language: str) -> str:
    """Return all translations into a language, or many of them."""
    return "\n\n".join(read_catalogues(language))[:LONGEST]


def find_passages(text: str, version: int) -> set[bytes]:
    """Return all passages of K symbols."""
    symbols = fold(text, version=version).values.astype(np.uint32)
    return {symbols[start : start + K].tobytes() for start in range(len(symbols) - K + 1)}


def main() -> None:
    """Print the table."""
    english = {version: find_passages(read_messages("en_GB"), version) for version in (1, 2)}
    print("| language | words | equal to another | passages | in English, version 1 | version 2 |")
    print("|---|---|---|---|---|---|")
    for language in LANGUAGES:
        text = read_messages(language)
        if not text:
            continue
        words = {word.casefold() for word in re.findall(r"[^\W\d_]+", text)}
        first, second = (len({fold(word, version=version).values.tobytes() for word in words}) for version in (1, 2))
        passages = {version: find_passages(text, version) for version in (1, 2)}
        shared = [len(passages[version] & english[version]) for version in (1, 2)]
        print(f"| {language} | {first} | {1 - second / first:.2%} | {len(passages[1])} | {shared[0]} | {shared[1]} |")


if __name__ == "__main__":
    main()
