"""Measure how well copies of programs are told from independent ones, on the IR-Plag dataset.

Karnalim, Budi, Toba, Joy, "Source code plagiarism detection in academia with information retrieval: dataset and the
observation" (Informatics in Education, 2019): seven tasks in Java. Each has an original, copies of it at levels L1
(comments, layout) to L6 (logic), and independent solutions. The query is each task's original; see `bench.evaluation`.

docs/guide/quality.md says how measures, k and w were chosen; figures of this set were known then. The programs are
short, about a hundred tokens, so the figures depend on which k-grams are selected; --keys shows how much. For measures
of pairs see `bench.quality`.

    python -m bench.irplag --data IR-Plag-Dataset.zip
"""

import argparse
import zipfile

from bench.evaluation import INDEPENDENT, LabelledPair, score, table
from fpdb import Recipe

LEVELS = ("L1", "L2", "L3", "L4", "L5", "L6")


def read(path: str) -> tuple[dict[str, bytes], list[LabelledPair]]:
    """Return all programs of the archive by name, and the pairs of each task's original with its other programs."""
    with zipfile.ZipFile(path) as archive:
        programs = {name: archive.read(name) for name in sorted(archive.namelist()) if name.endswith(".java")}
    parts = {name: name.split("/") for name in programs}
    originals = {task: name for name, (_, task, sort, *_) in parts.items() if sort == "original"}
    comparisons = [
        LabelledPair(originals[task], name, INDEPENDENT if sort == "non-plagiarized" else rest[0])
        for name, (_, task, sort, *rest) in parts.items()
        if sort != "original"
    ]
    return programs, comparisons


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the dataset's archive: IR-Plag-Dataset.zip")
    parser.add_argument("-k", type=int, help="tokens in a k-gram, instead of the preset's")
    parser.add_argument("-w", type=int, help="the window, instead of the preset's")
    parser.add_argument(
        "--keys", type=int, default=0, help="the mean over so many other hash keys, not the preset's key"
    )
    parser.add_argument(
        "--without-texts", action="store_true", help="tell regions from positions alone, so that none is extended"
    )
    options = parser.parse_args()
    recipe = Recipe.preset("code").with_(k=options.k, w=options.w)
    keys = list(range(1, options.keys + 1)) or [recipe.key]
    programs, comparisons = read(options.data)
    rule = recipe.rules["tokens"]
    print(f"k={rule.k}, w={rule.parameters['w']}; hash keys: {options.keys or 'that of the preset'}")
    rounds = [score(programs, comparisons, recipe.with_(key=key), texts=not options.without_texts) for key in keys]
    print(*table(rounds, LEVELS), sep="\n")


if __name__ == "__main__":
    main()
