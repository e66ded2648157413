"""Measure how well excerpts of badly converted documents are found, by recipe: letters are wrong as after OCR.

The documents are those of `bench.passages`. Of every fourth one, an excerpt is asked for, in which a share of letters
and digits are wrong: seven of ten are replaced, mostly by one that looks alike, one and a half are lost, and as many
come in. Printed are, as means over hash keys: the containment that is left; in how many of 100 cases the document comes
first; the score of the best other document, which 95 of 100 do not exceed; and the average precision of both scores.

    python -m bench.conversions
    python -m bench.conversions --recipe 12,6 --recipe 14,8 --length 2000
"""

import argparse
import random
import statistics
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

import fpdb
from bench.evaluation import average_precision, temporary_database
from bench.misreading import misread
from bench.passages import read_documents
from bench.workloads.programs import installed_modules
from fpdb import Recipe

EVERY = 4
"""One document of so many is asked for."""


def ask(
    db: fpdb.Database, documents: Mapping[str, str], errors: float, length: int, rng: random.Random
) -> tuple[float, float, float, float]:
    """Return the figures of a line: containment left, share that come first, score of others, average precision."""
    first, right, others = [], [], []
    for name, text in list(documents.items())[::EVERY]:
        start = rng.randrange(max(1, len(text) - length))
        matches = db.query(misread(text[start : start + length], errors, rng), kind="text", by="containment", top=2)
        scores = {match.name: match.containment for match in matches}
        first.append(next(iter(scores), None) == name)
        right.append(scores.pop(name, 0.0))
        others.append(max(scores.values(), default=0.0))
    left, share = statistics.mean(right), statistics.mean(first)
    return left, share, float(np.percentile(others, 95)), average_precision(right, others)


def rows(recipes: Mapping[str, Recipe], rates: Iterable[float], length: int, keys: int) -> Iterator[str]:
    """Yield the lines of a table in Markdown: a line for each recipe and share of errors."""
    documents = {str(number): text for number, text in enumerate(read_documents(installed_modules()))}
    yield "| recipe | letters wrong | containment left | found first | best other | AP |"
    yield "|---|---|---|---|---|---|"
    for title, recipe in recipes.items():
        figures: dict[float, list[tuple[float, float, float, float]]] = {rate: [] for rate in rates}
        for key in range(1, keys + 1):
            with temporary_database(documents, recipe.with_(key=key), "text") as db:
                for rate, of_keys in figures.items():
                    of_keys.append(ask(db, documents, rate, length, random.Random(key)))
        for rate, of_keys in figures.items():
            left, first, other, precision = map(statistics.mean, zip(*of_keys, strict=True))
            yield f"| {title} | {rate:.0%} | {left:.2f} | {first:.1%} | {other:.2f} | {precision:.3f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", action="append", help="name of a preset, or K,W of `text` (default: text, ocr)")
    parser.add_argument("--errors", type=float, action="append", help="share of wrong letters (default: .02 .05 .1)")
    parser.add_argument("--length", type=int, default=500, help="characters of an excerpt (default: 500)")
    parser.add_argument("--keys", type=int, default=3, help="hash keys (default: 3)")
    options = parser.parse_args()
    recipes = {}
    for name in options.recipe or ("text", "ocr"):
        k, comma, w = name.partition(",")
        recipes[name] = Recipe.preset("text").with_(k=int(k), w=int(w)) if comma else Recipe.preset(name)
    for line in rows(recipes, options.errors or (0.02, 0.05, 0.1), options.length, options.keys):
        print(line, flush=True)


if __name__ == "__main__":
    main()
