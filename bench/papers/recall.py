"""Measure which related documents Koala and other schemes find, parts of a large document, and the use of the caps.

Heintze, "Scalable Document Fingerprinting" (USENIX EC 1996), 2 (relations), 3.5 (sizes), 6.2 (caps).
"""

import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import fpdb
from bench.papers import page
from bench.papers.relations import RELATIONS, passage_of, relate, seeded
from bench.papers.relatives import SCAN, CorpusDocument
from fpdb.database import Database
from fpdb.fingerprint import Recipe
from fpdb.search.results import Match

FIRST = 10  # a document counts as found among so many answers
PARTS = (2, 5, 10, 20, 50, 100)
COPIES = 1000


class Way(NamedTuple):
    """A recipe to try, and the measure to rank by."""

    recipe: Recipe
    by: str


WAYS: Mapping[str, Way] = {
    "koala": Way(Recipe.preset("koala"), "reverse_containment"),
    "text": Way(Recipe.preset("text"), "containment"),
    "sample": Way(Recipe.preset("sample"), "resemblance"),
    "distinct": Way(Recipe.preset("text").with_(scheme="distinct"), "containment"),
}


@contextmanager
def loaded(documents: Sequence[CorpusDocument], recipe: Recipe) -> Iterator[Database]:
    """Make a temporary database of the documents."""
    with tempfile.TemporaryDirectory() as folder, fpdb.open(f"{folder}/r.fpdb", "x", recipe=recipe) as db:
        with db.batch() as batch:
            for text in documents:
                batch.add(text.name, text.content)
        yield db


def recall(documents: Sequence[CorpusDocument]) -> str:
    """Return, for each relation, how many searches find it in both directions, and the median and least measure."""
    by_name = {text.name: text for text in documents}
    pairs = [(text, by_name[text.base]) for text in documents if text.base]
    pairs += [(base, made) for made, base in pairs]
    scores: dict[str, dict[str, list[float]]] = {way: {} for way in WAYS}
    for way, (recipe, by) in WAYS.items():
        with loaded(documents, recipe) as db:
            for query, target in pairs:
                matches = db.query(query.content, name=query.name, by=by, top=FIRST).matches
                score = next((getattr(match, by) for match in matches if match.name == target.name), 0.0)
                scores[way].setdefault(query.relation or target.relation, []).append(score)
    rows = [
        (relation, *(_say(scores[way][relation]) for way in WAYS))
        for relation in (*RELATIONS, SCAN)
        if relation in scores["koala"]
    ]
    return page.table(["relation", *WAYS], rows)


def _say(scores: Sequence[float]) -> str:
    found = sum(score > 0 for score in scores)
    return f"{found}/{len(scores)}: {statistics.median(scores):.0%} ({min(scores):.0%})"


def sizes(documents: Sequence[CorpusDocument]) -> str:
    """Compare parts of the largest document with the whole: koala's ratio, and full fingerprinting's."""
    large = max((text for text in documents if text.real), key=lambda text: len(text.content))
    whole = large.content.decode(errors="replace")
    words = len(whole.split())
    parts = [CorpusDocument(f"1/{part}", passage_of(whole, seeded(part), words // part).encode()) for part in PARTS]
    koala, full = WAYS["koala"].recipe, WAYS["koala"].recipe.with_(scheme="full")
    stored = [*parts, large]
    rows = []
    with loaded(stored, koala) as db, loaded(stored, full) as yardstick:
        for part in parts:
            up = _match(db, part, large.name)
            down = _match(db, large, part.name)
            contained = _match(yardstick, part, large.name).containment
            rows.append(
                (
                    part.name,
                    f"{len(part.content.split()):,}",
                    f"{contained:.0%}",
                    f"{_match(yardstick, large, part.name).containment:.1%}",
                    f"{up.reverse_containment:.0%}",
                    f"{down.reverse_containment:.0%}",
                    "" if up.part is None else f"{up.part:.0%}",
                )
            )
    headers = ["part", "words", "full: part in whole", "full: whole in part", "koala: search with the part"]
    return page.table([*headers, "koala: search with the whole", "`part` of the match"], rows)


def _match(db: Database, query: CorpusDocument, name: str) -> Match:
    """Return how a document is found, without caps; all measures are 0 if it is not found."""
    matches = db.query(query.content, name=query.name, max_df=1_000_000).matches
    return next((match for match in matches if match.name == name), Match(name, 0, 0.0, 0.0, 0.0))


def copies(documents: Sequence[CorpusDocument], number: int = COPIES) -> str:
    """Measure whether copies of a document silence it: search with an edited one before, with and after the copies."""
    real = [text for text in documents if text.real][:50]
    base = min(real, key=lambda text: len(text.content))
    text = base.content.decode(errors="replace")
    edited = relate("edited", text, real[-1].content.decode(errors="replace"), 1)
    rows = []
    with loaded(real, WAYS["koala"].recipe) as db:
        rows.append(("before", *_capped(db, edited, base.name)))
        names = [f"copy {at}" for at in range(number)]
        with db.batch() as batch:
            for name in names:
                batch.add(name, base.content)
        rows.append((f"with {number:,} copies", *_capped(db, edited, base.name)))
        with db.batch() as batch:
            for name in names:
                batch.remove(name)
        rows.append(("without them again", *_capped(db, edited, base.name)))
    return page.table(["", "caps 4 and 10", "ignored", "cap 4 alone", "ignored", "no caps"], rows)


def _capped(db: Database, content: str, name: str) -> Iterator[str]:
    caps: tuple[dict[str, Any], ...] = ({}, {"max_df": db.recipe.max_df or 0}, {"max_df": 1_000_000})
    for given in caps:
        answer = db.query(content, **given)
        ratio = next((match.reverse_containment for match in answer.matches if match.name == name), 0.0)
        yield f"{ratio:.0%}"
        if given.get("max_df") != 1_000_000:
            yield str(answer.query.ignored_common)
