"""Measure how well the regions of a query are the passages that were copied, on documentation with planted passages.

The documents are Python's own: the topics of its help, and the docstrings of each module of the standard library. A
paragraph that occurs again is left out of all but the first. In each pair, up to four passages of 50 to 500 words of
one document are put between words of the other one:

    verbatim     as they are
    changed      one word in 8 to 30 is replaced by another one of the document
    reordered    the sentences in another order

Every fifth pair has no passage. One document of each pair is stored, and the other one is the query. Recall, precision,
granularity and PlagDet are those of Potthast and others (2010), by characters, as macro-averages: see `bench.plagdet`.
Figures are means and standard deviations over sets of pairs, each with a hash key of its own.

With --language, the documents are the translated messages of each program on this machine, and a word is two characters
long: for scripts without spaces. With --errors, a share of the letters of each passage is misread, see
`bench.misreading`.

    python -m bench.passages
    python -m bench.passages --language zh_CN --preset cjk
    python -m bench.passages --errors 0.05 --preset ocr
"""

import argparse
import ast
import random
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from pydoc_data import topics
from typing import NamedTuple

from bench.evaluation import temporary_database
from bench.languages import read_catalogues
from bench.misreading import misread
from bench.plagdet import Figures, Passage, measure
from bench.workloads.programs import installed_modules
from fpdb import Recipe

SHORTEST, LONGEST = 3_000, 30_000  # characters of a document
WORDS = (50, 500)  # of a passage
MOST = 4  # passages of a pair
WITHOUT = 5  # every so many pairs have none
CHANGES = (8, 30)  # one word of so many is changed
"""Options of the documents and passages that are made."""

WORD, TWO_CHARACTERS = r"\S+\s*", r"\S\S?\s*"
"""Patterns of a word; the second one for scripts without spaces."""


class Pair(NamedTuple):
    """Two documents, the query first, and the passages of the second one in the query, by disguise."""

    query: str
    document: str
    passages: list[tuple[str, Passage]]


def keep(words: list[str], _: list[str], __: random.Random) -> list[str]:
    """Return the words."""
    return words


def change(words: list[str], others: list[str], rng: random.Random) -> list[str]:
    """Replace one word of several by another one."""
    share = 1 / rng.randint(*CHANGES)
    return [rng.choice(others) if rng.random() < share else word for word in words]


def reorder(words: list[str], _: list[str], rng: random.Random) -> list[str]:
    """Put the sentences in another order."""
    sentences: list[list[str]] = [[]]
    for word in words:
        sentences[-1].append(word)
        if re.search(r"[.!?:。！？：]\W*$", word):
            sentences.append([])
    rng.shuffle(sentences)
    return [word for sentence in sentences for word in sentence]


DISGUISES: Mapping[str, Callable[[list[str], list[str], random.Random], list[str]]] = {
    "verbatim": keep,
    "changed": change,
    "reordered": reorder,
}


def read_documents(modules: Iterable[Path]) -> list[str]:
    """Return the topics of Python's help, and the docstrings of each module; long ones are cut, short ones left out."""
    return select((*topics.topics.values(), *map(_docstrings, modules)))


def select(texts: Iterable[str]) -> list[str]:
    """Return the texts that are long enough, cut if they are too long, without paragraphs that others have before."""
    seen = {""}
    documents = []
    for text in texts:
        paragraphs = [paragraph for paragraph in re.split(r"\n\s*\n", text) if _new(paragraph, seen)]
        document = "\n\n".join(paragraphs)[:LONGEST]
        if len(document) >= SHORTEST:
            documents.append(document)
    return documents


def _docstrings(path: Path) -> str:
    try:
        nodes = ast.walk(ast.parse(path.read_bytes()))
    except (SyntaxError, ValueError):
        return ""
    documented = (node for node in nodes if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    return "\n\n".join(ast.get_docstring(node) or "" for node in documented)


def _new(paragraph: str, seen: set[str]) -> bool:
    """Return True if a paragraph has not been seen yet, and note it."""
    words = " ".join(paragraph.split())
    new = words not in seen
    seen.add(words)
    return new


def make(documents: Sequence[str], count: int, seed: int, *, word: str = WORD, errors: float = 0) -> list[Pair]:
    """Return pairs of the documents, all of them new.

    Args:
        documents: To choose from.
        count: Of pairs.
        seed: Of the random numbers.
        word: Pattern of a word.
        errors: Share of letters of a passage that are misread.
    """
    rng = random.Random(seed)
    pairs = [_plant(number, rng.sample(documents, 2), word, rng) for number in range(count)]
    return [_misread(pair, errors, random.Random(seed)) for pair in pairs] if errors else pairs


def _misread(pair: Pair, errors: float, rng: random.Random) -> Pair:
    """Return a pair of which the passages in the query are misread."""
    text, end, passages = "", 0, []
    for name, passage in pair.passages:
        text += pair.query[end : passage.a_start]
        start, end = len(text), passage.a_end
        text += misread(pair.query[passage.a_start : end], errors, rng)
        passages.append((name, passage._replace(a_start=start, a_end=len(text))))
    return Pair(text + pair.query[end:], pair.document, passages)


def _plant(number: int, documents: Sequence[str], word: str, rng: random.Random) -> Pair:
    """Return a pair of the document and the query, which has passages of it."""
    document, query = ([(match[0], match.start()) for match in re.finditer(word, text)] for text in documents)
    words = [word for word, _ in document]
    parts: dict[int, tuple[str, list[str], int, int]] = {}
    for start, end in _choose(len(words), rng) if number % WITHOUT else ():
        name = rng.choice(list(DISGUISES))
        changed = DISGUISES[name](words[start:end], [word for word, _ in query], rng)
        end_character = document[end - 1][1] + len(words[end - 1].rstrip())
        parts[rng.randrange(len(query))] = name, changed, document[start][1], end_character
    text, passages = "", []
    for index, (original, _) in enumerate(query):
        if index in parts:
            name, changed, b_start, b_end = parts[index]
            passage = "".join(changed).rstrip()
            passages.append((name, Passage(number, len(text), len(text) + len(passage), b_start, b_end)))
            text += passage + "\n"
        text += original
    return Pair(text, documents[0], passages)


def _choose(length: int, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield words [start, end) of a document with so many: passages that do not overlap."""
    start = 0
    for _ in range(rng.randint(1, MOST)):
        size = rng.randint(*WORDS)
        start += rng.randrange(length)
        if start + size > length:
            return
        yield start, start + size
        start += size


def align(pairs: Sequence[Pair], recipe: Recipe, gap: int | None, shortest: int | None) -> list[Passage]:
    """Return the regions that each query finds in the document of its pair."""
    detections = []
    for number, pair in enumerate(pairs):
        contents = {"document": pair.document}
        with temporary_database(contents, recipe, "text") as db:
            answer = db.query(
                pair.query, regions=True, gap=gap, shortest=shortest, texts=lambda _, pair=pair: pair.document
            )
        regions = [region for match in answer.matches for region in match.regions or ()]
        detections += [Passage(number, *region.a.interval, *region.b.interval) for region in regions]
    return detections


def judge(pairs: Sequence[Pair], detections: Sequence[Passage]) -> dict[str, Figures]:
    """Return the figures of all passages, and those of each disguise: among them, precision counts all passages."""
    passages = {
        name: [passage for pair in pairs for each, passage in pair.passages if each == name] for name in DISGUISES
    }
    together = measure([passage for each in passages.values() for passage in each], detections)
    return {"all": together} | {
        name: measure(each, detections)._replace(precision=together.precision) for name, each in passages.items()
    }


def table(rounds: Sequence[Mapping[str, Figures]]) -> Iterator[str]:
    """Yield the lines of a table in Markdown: the mean and the deviation over rounds, a line for each disguise."""
    columns = ("recall", "precision", "granularity", "plagdet")
    yield f"| passages | {' | '.join(columns)} |"
    yield "|---" * (1 + len(columns)) + "|"
    for name in rounds[0]:
        values = [[getattr(figures[name], column) for figures in rounds] for column in columns]
        cells = [f"{statistics.mean(value):.3f} ± {statistics.pstdev(value):.3f}" for value in values]
        yield f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=5, help="over how many sets a mean is taken (default: 5)")
    parser.add_argument("--first", type=int, default=11, help="number of the first set, and its hash key (default: 11)")
    parser.add_argument("--pairs", type=int, default=150, help="pairs of a set (default: 150)")
    parser.add_argument("--preset", default="text", help="the recipe (default: text)")
    parser.add_argument("--gap", type=int, help="the gap of regions, instead of the default")
    parser.add_argument("--shortest", type=int, help="the fewest characters of a region, instead of the default")
    parser.add_argument("--recipe", metavar="K,W", help="k and w instead of the preset's")
    parser.add_argument("--language", help="documents are messages of programs, such as zh_CN (default: Python's help)")
    parser.add_argument("--errors", type=float, default=0, help="share of letters of a passage that are misread")
    options = parser.parse_args()
    recipe, word = Recipe.preset(options.preset), TWO_CHARACTERS if options.language else WORD
    if options.recipe:
        recipe = recipe.with_(**dict(zip("kw", map(int, options.recipe.split(",")), strict=True)))
    language = options.language
    documents = select(read_catalogues(language)) if language else read_documents(installed_modules())
    rounds, passages = [], 0
    for number in range(options.first, options.first + options.sets):
        pairs = make(documents, options.pairs, number, word=word, errors=options.errors)
        passages += sum(len(pair.passages) for pair in pairs)
        detections = align(pairs, recipe.with_(key=number), options.gap, options.shortest)
        rounds.append(judge(pairs, detections))
    print(f"{len(documents)} documents; {options.sets} sets of {options.pairs} pairs, {passages} passages in all\n")
    print("\n".join(table(rounds)))


if __name__ == "__main__":
    main()
