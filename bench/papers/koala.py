#!/usr/bin/env python3
"""Repeat Koala's experiments: tables 1 to 7, recall of the six relations, sizes that differ, caps, and chance hits.

Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996). For the million documents of its title see `million`.
"""

import argparse
import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path

import numpy as np

from bench.papers import page, texts
from bench.papers.recall import copies, recall, sizes
from bench.papers.relatives import (
    CorpusDocument,
    SearchHit,
    SearchSetting,
    fingerprints,
    gather,
    match,
    match_by_corpus,
)
from fpdb.fingerprint import Recipe

LEGEND = (
    "Searches whose related document is among the first ten answers, of all; the middle measure, and in brackets the"
    " least. koala: reverse containment, the paper's match ratio; text and distinct: containment; sample:"
    " resemblance."
)
QUICK = 30  # how many times smaller a quick run is
RANGES = {"1%": 1, "2%": 2, "3-5%": 5, "6-10%": 10, "11-20%": 20, "21-50%": 50, "more than 50%": 100}
PAPER: Mapping[str, str] = {
    "baseline": "763 98 53 25 15 23 372(6)",
    "frequency check off": "896 107 53 25 15 23 372(6)",
    "include start": "2618 194 100 32 15 19 374(8)",
    "both disabled": "17598 2415 334 35 17 19 374(8)",
    "regardless of frequency": "1634 177 104 43 17 29 376(10)",
    "stored 10": "— — — 134 12 17 370(4)",
    "stored 20": "— — 217 19 16 21 370(4)",
    "stored 50": "? ? ? 39 18 21 369(3)",
    "stored 200": "1507 43 49 21 17 19 372(6)",
    "stored 500": "2162 32 38 25 14 18 372(6)",
    "search 100": "364 54 36 22 20 18 374(8)",
    "search 200": "520 66 50 19 17 24 371(5)",
    "search 500": "777 89 52 30 17 20 372(8)",
    "search 2000": "976 91 63 21 15 20 373(7)",
    "search 5000": "1064 101 62 32 16 21 372(6)",
    "k 10": "6239 363 105 33 24 22 375(9)",
    "k 30": "411 70 49 22 10 20 371(5)",
    "k 40": "366 55 42 22 15 17 371(5)",
    "k 50": "231 37 42 19 13 15 370(4)",
}
REGARDLESS, STRAWMAN, CORPUS = "regardless of frequency", "at random (section 3.4)", "rare in the database (6.1)"
EXAMPLES = 3  # of each range
KEYS = 8  # to tell chance from a fault of the hashes


def _smallest() -> SearchSetting:
    """Return koala without rarity: the 100 least hashes are stored, and the 1000 least are searched for."""
    recipe = Recipe.preset("koala")
    return SearchSetting(recipe.with_(scheme="smallest", n=100), recipe.with_(scheme="smallest", n=1000), cut=1000)


def _strawman() -> SearchSetting:
    recipe = Recipe.preset("koala").with_(scheme="random")
    return SearchSetting(recipe, recipe, cut=1000)


def settings() -> Mapping[str, Mapping[str, SearchSetting | None]]:
    """Return the rows of each table but the second; None stands for the row that is no setting."""
    base = {"baseline": SearchSetting.koala()}
    return {
        "Table 1: all documents against all": base,
        "Table 3: frequency check, and the first 1000 characters": {
            **base,
            "frequency check off": SearchSetting.koala(caps=False),
            "include start": SearchSetting.koala(skip=0),
            "both disabled": SearchSetting.koala(caps=False, skip=0),
        },
        "Table 4: what is selected": {**base, REGARDLESS: _smallest(), STRAWMAN: _strawman(), CORPUS: None},
        "Table 5: size of the stored fingerprint": {
            f"stored {n}": SearchSetting.koala(stored=n) for n in (10, 20, 50, 100, 200, 500)
        },
        "Table 6: size of the search fingerprint": {
            f"search {n}": SearchSetting.koala(search=n) for n in (100, 200, 500, 1000, 2000, 5000)
        },
        "Table 7: length of the k-grams": {f"k {n}": SearchSetting.koala(k=n) for n in (10, 20, 30, 40, 50)},
    }


def distribution(hits: Iterable[SearchHit], stored: int) -> list[str]:
    """Count the pairs of each range. The last count has the pairs of different documents in brackets.

    Ratios are rounded up to whole percents; a range that no ratio can fall into has a dash.
    """
    counts, own = dict.fromkeys(RANGES, 0), 0
    for hit in hits:
        name = _range(hit.ratio)
        counts[name] += 1
        own += hit.query == hit.name and name == "more than 50%"
    possible = {_range(shared / stored) for shared in range(1, stored + 1)}
    cells = [str(count) if count or name in possible else "—" for name, count in counts.items()]
    return [*cells[:-1], f"{cells[-1]}({counts['more than 50%'] - own})"]


def _range(ratio: float) -> str:
    percent = math.ceil(ratio * 100 - 1e-9)
    return next(name for name, most in RANGES.items() if percent <= most)


def tables(documents: Sequence[CorpusDocument], baseline: list[SearchHit]) -> Iterator[str]:
    """Yield tables 1 and 3 to 7, each row above the paper's."""
    plain = SearchSetting.koala()
    hits = {"baseline": baseline}
    for title, rows in settings().items():
        shown: list[Sequence[object]] = []
        for name, setting in rows.items():
            same = "baseline" if setting == plain else name
            if same not in hits:
                hits[same] = match(documents, setting) if setting else match_by_corpus(documents, plain.store)
            stored = (setting or plain).store.rules["consonants"].parameters.get("stored", 100)
            shown.append((name, *distribution(hits[same], int(stored))))
            if same in PAPER:
                shown.append(("*the paper*", *PAPER[same].split()))
        yield f"### {title}\n\n{page.table(['', *RANGES], shown)}"


def against_full(documents: Sequence[CorpusDocument], baseline: Sequence[SearchHit]) -> str:
    """Compare koala's answers on some pairs of documents of each range with those of all k-grams (table 2)."""
    by_name = {text.name: text for text in documents if text.real}
    others = [hit for hit in baseline if hit.query != hit.name and {hit.query, hit.name} <= set(by_name)]
    others.sort(key=lambda hit: hashlib.sha256(f"{hit.query} {hit.name}".encode()).digest())
    chosen = [
        hit for name in reversed(RANGES) for hit in [hit for hit in others if _range(hit.ratio) == name][:EXAMPLES]
    ]
    recipe = replace(Recipe.preset("koala").with_(scheme="full"), max_df=None, max_ignored=None)
    names = sorted({name for hit in chosen for name in (hit.query, hit.name)})
    full_hits = match([by_name[name] for name in names], SearchSetting(recipe, recipe), "containment")
    full = {(hit.query, hit.name): hit for hit in full_hits}
    rows = []
    for hit in chosen:
        full_hit = full[hit.query, hit.name]
        total, other = (full[name, name].shared for name in (hit.query, hit.name))
        shown = f"{hit.ratio:.0%}", f"{full_hit.ratio:.1%}", f"{full_hit.shared:,}/{total:,}", f"{other / total:.2f}"
        rows.append((_short(hit.query), _short(hit.name), *shown))
    return page.table(["searched with", "found", "koala", "full", "matches/total", "sizes, found to searched"], rows)


def _short(name: str) -> str:
    folder, _, file = name.removesuffix(".gz").rpartition("/")
    return f"{name.partition('/')[0]} {folder.rpartition('/')[2]}/{file}"


def unrelated(documents: Sequence[CorpusDocument], baseline: Sequence[SearchHit]) -> str:
    """Count how often real documents of different projects match at all."""
    real = [text for text in documents if text.real]
    project = {text.name: text.name.partition("/")[0].partition("-")[0] for text in real}
    pairs = len(real) ** 2 - sum(number**2 for number in Counter(project.values()).values())
    everything = {
        "baseline": baseline,
        "both disabled": match(real, SearchSetting.koala(caps=False, skip=0)),
        REGARDLESS: match(real, _smallest()),
    }
    rows = []
    for name, all_hits in everything.items():
        hits_of_real = [hit for hit in all_hits if {hit.query, hit.name} <= set(project)]
        hits = [hit for hit in hits_of_real if project[hit.query] != project[hit.name]]
        most = max((hit.ratio for hit in hits), default=0.0)
        rows.append((name, f"{pairs:,}", len(hits), f"{len(hits) / max(pairs, 1) * 1e6:,.0f}", f"{most:.0%}"))
    return page.table(["", "pairs", "that match", "a search of a million, at this rate", "highest ratio"], rows)


def uniformity(documents: Sequence[CorpusDocument]) -> str:
    """Test whether stored hashes of real documents are uniform: chi-squared of their highest eight bits."""
    values = []
    for key in range(KEYS):
        recipe = Recipe.preset("koala").with_(key=key)
        hashes = np.unique(np.concatenate(fingerprints(documents[::4], recipe, "store")))
        counts = np.bincount((hashes >> np.uint64(recipe.hash_bits - 8)).astype(np.int64), minlength=256)
        expected = len(hashes) / 256
        values.append(float(((counts - expected) ** 2 / expected).sum()))
    return (
        f"Of the distinct stored hashes of every fourth document, under each of {KEYS} keys, χ² of the highest eight"
        f" bits is {np.mean(values):.0f} ± {np.std(values):.0f} (uniform ones: 255 ± 23).\n"
    )


def measure(documents: Sequence[CorpusDocument]) -> str:
    """Measure everything and return it as Markdown."""
    real = [text for text in documents if text.real]
    megabytes = [sum(len(text.content) for text in some) / 1e6 for some in (real, documents)]
    baseline = match(documents, SearchSetting.koala())
    first, *others = tables(documents, baseline)
    parts = [
        f"{len(documents)} documents, {megabytes[1]:.1f} MB; of them {len(real)} real ones, {megabytes[0]:.1f} MB"
        f" ({texts.describe('prose')}), the others made from them, and the two scans if given.\n",
        first,
        f"### Table 2: koala against full fingerprinting\n\n{against_full(documents, baseline)}",
        *others,
        f"### Relations found\n\n{LEGEND}\n\n{recall(documents)}",
        f"### Documents of very different size\n\n{sizes(documents)}",
        f"### Copies\n\n{copies(documents)}",
        f"### Unrelated documents\n\n{unrelated(documents, baseline)}\n{uniformity(documents)}",
    ]
    return "\n".join(parts)


def main() -> None:
    """Measure, print, and write the page unless the run is quick."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.papers.koala",
        description=cleandoc(__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} times smaller, and write nothing")
    parser.add_argument(
        "--scans",
        type=Path,
        metavar="FOLDER",
        help="where remember00palm.txt and remembermeorholy00palm.txt are, or below: two scans of one tract",
    )
    options = parser.parse_args()
    documents = gather(QUICK, 1, options.scans) if options.quick else gather(scans=options.scans)
    report = measure(documents)
    print(report)
    if not options.quick:
        page.write("koala", report)


if __name__ == "__main__":
    main()
