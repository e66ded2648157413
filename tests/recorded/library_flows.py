"""Work with the library in several calls, as programs do it: what each call gave is seen, one after the other."""

import threading
from typing import Any

import numpy as np

import fpdb

from .inputs import FILES
from .library_flows_files import FLOWS_OF_FILES
from .seeing import Flow, See, seen_errors, trying, web
from .texts import FOOTER, essay

HASHES = np.arange(1, 30, dtype=np.uint64) * np.uint64(2**58 + 4321)


def a_batch(see: See) -> None:
    """Change documents in a batch."""
    with fpdb.open("corpus.fpdb") as db:
        with db.batch() as batch:
            see(batch.add("new", essay(1, 80), labels={"a": "b"}, source="http://u:p@example.org/x"))
            see(batch.add("new", essay(1, 80)), batch.add("new", essay(81)))
            see(batch.add("essays/ann.txt", essay(82), contact="me", keep_text=True))
            see(batch.postings, batch.text_bytes)
            batch.remove("essays/bob.txt")
            trying(see, batch.remove, "essays/bob.txt")
            see(batch.add("essays/bob.txt", essay(83).encode("utf-16"), kind="auto"))
            see(batch.add_fingerprints("numbers", HASHES, range(29)))
            see("new" in db, len(db))
        see(len(db), db.document("new"), db.document("numbers"), db.text("essays/ann.txt"))
        see(db.query(essay(1, 80), top=2), db.query_fingerprints(HASHES[3:9]))


def a_batch_undone(see: See) -> None:
    """Raise an error in a batch, which undoes it."""
    with fpdb.open("corpus.fpdb") as db:
        with seen_errors(see), db.batch() as batch:
            batch.add("new", essay(80))
            batch.remove("essays/ann.txt")
            raise RuntimeError("no, after all")
        see(len(db), "new" in db, "essays/ann.txt" in db)


def bulk(see: See) -> None:
    """Write many batches, merged at the end."""
    with fpdb.open("bulk.fpdb") as db:
        with db.bulk():
            for part in range(6):
                with db.batch() as batch:
                    for number in range(5):
                        batch.add(f"{part}/{number}", essay(part, number + 200))
            see(db.info()["documents"])
        see(db.info()["runs"], db.info()["postings"], db.check(), list(db.pairs(min=0.4, top=3)))
        see(db.queries([("q", essay(3)), ("r", essay(203, 4))], top=2))


def fingerprints(see: See) -> None:
    """Add and ask for hashes of the caller's own, good and bad."""
    with fpdb.open("hashes.fpdb") as db:
        see(db.add_fingerprints("a", HASHES), db.add_fingerprints("a", HASHES), db.add_fingerprints("a", HASHES[1:]))
        see(db.add_fingerprints("b", [2**64 - 1, 0, 0, 5], [7, 1, 2, 2**32 - 2], kind="audio", labels={"x": "y"}))
        see(db.add_fingerprints("c", HASHES[5:], digest=b"d" * 16), db.add_fingerprints("none", []))
        see(db.add_fingerprints("common", HASHES[9:12], boilerplate=True))
        for hashes, positions in (
            *(([1, 2], [1]), ([-1], None), ([2**64], None), ([1.5], None), (["a"], None)),
            *(([1], [2**32 - 1]), ([1], [-1]), (np.ones((2, 2), np.uint64), None), (5, None)),
        ):
            trying(see, db.add_fingerprints, "x", hashes, positions)
        trying(see, db.add_fingerprints, "x", [1], digest=b"short")
        trying(see, db.query_fingerprints, [1.5])
        see(db.query_fingerprints(HASHES[:20]), list(db.documents()), db.frequencies([5, 5, 6, int(HASHES[7])]))
        see(db.query_fingerprints(HASHES[5:], name="c", digest=b"d" * 16))
        trying(see, db.pairs, regions=True)
        trying(see, db.explain, "a", "c")
        trying(see, db.original, "a")


def names_and_labels(see: See) -> None:
    """Add documents of every sort of name and label."""
    with fpdb.open("names.fpdb") as db:
        for name in ("", "x" * 70_000, "\ud800", "line\nbreak", "nul\0", "\udcff", " ", "ä/日本.txt", b"bytes", 5):
            trying(see, db.add, name, essay(80))
        for labels in ({"a": 5}, {5: "a"}, {"": "x"}, {"a": "\ud800"}, "text", {"a": "x" * 70_000}):
            trying(see, db.add, "labels", essay(80), labels=labels)
        trying(see, db.add, "contact", essay(80), contact=5)
        trying(see, db.add, "source", essay(80), source="ftp://me:secret@example.org/x?token=1")
        trying(see, db.add, "kind", essay(80), kind="poem")
        trying(see, db.add, "option", essay(80), colour="red")
        trying(see, db.add, "number", 5)
        see([document.name for document in db.documents()], [document.source for document in db.documents("s*")])


def contents(see: See) -> None:
    """Add documents of all kinds, with their texts kept."""
    kinds = FILES["kinds"]()
    with fpdb.open("kinds.fpdb") as db:
        for name, content in kinds.items():
            trying(see, db.add, name, content, kind="auto", keep_text=True)
        see(db.add("string", essay(80) + "\ud800", keep_text=True), db.original("string")[-2:], db.text("string")[-4:])
        see(db.add("string", essay(80) + "\ud800"), db.document("string").text_bytes)
        see(db.add("string", essay(81)), db.document("string").text_bytes)
        see(db.original("kinds/paper.pdf"), [document.note for document in db.documents()])
        see(list(db.pairs(regions=True, top=2)), list(db.spans(min=0.2)))
        for kind in ("pdf", "docx", "odt", "ipynb"):
            trying(see, db.add, "broken", b"no such document", kind=kind)


def boilerplate(see: See) -> None:
    """Find what is on every page, discard it, and take that back."""
    with fpdb.open("pages.fpdb") as db:
        for number in range(4):
            db.add(f"page {number}", FOOTER + essay(90 + number))
        (passage, *_) = found = list(db.common(min_df=4))
        see(found, passage.hashes, passage.to_dict())
        see(db.add_fingerprints("footer", passage.hashes, boilerplate=True))
        db.add("only", FOOTER[:70])
        see(list(db.common(min_df=4)), list(db.pairs()), db.boilerplate_in("page 1"), db.only_boilerplate())
        see(len(db), db.info()["boilerplate_documents"], db.query(FOOTER), db.document("footer"))
        db.remove("footer")
        see(len(list(db.pairs())), db.only_boilerplate())


def iterators(see: See) -> None:
    """Change a database while iterators are half read."""
    with fpdb.open("corpus.fpdb") as db:
        documents, pairs = db.documents(), db.pairs()
        first, pair = next(documents), next(pairs)
        db.remove("essays/dora.txt")
        see(first.name, [document.name for document in documents], pair, len(list(pairs)))
        see([document.name for document in db.documents()], len(list(db.pairs())), "essays/dora.txt" in db)
        stages: list[tuple[Any, ...]] = []
        list(db.pairs(watch=lambda *stage: stages.append(stage)))
        list(db.spans(min=0.1, watch=lambda *stage: stages.append(stage)))
        see(sorted({stage[:2] for stage in stages}))


def threads(see: See) -> None:
    """Ask from several threads."""
    texts = [essay(number, 2) for number in (1, 5, 8, 10)]
    with fpdb.open("corpus.fpdb", "r") as db:
        found: dict[int, Any] = {}
        workers = [
            threading.Thread(target=lambda number=number: found.update({number: db.query(texts[number], top=1)}))
            for number in range(len(texts))
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        see([found[number] for number in sorted(found)], found[0] == db.query(texts[0], top=1))


def recipes(see: See) -> None:
    """Open databases with recipes, theirs and others."""
    trying(see, fpdb.open, "corpus.fpdb", recipe=web())
    with fpdb.open("corpus.fpdb", recipe=fpdb.Recipe.preset()) as db:
        see(db.recipe == fpdb.Recipe.preset(), hash(str(db.recipe)) == hash(str(fpdb.Recipe.preset())))
    recipe = fpdb.Recipe.preset().with_(max_df=2, max_ignored=3, key=9)
    with fpdb.open("capped.fpdb", recipe=recipe) as db:
        for number in range(4):
            db.add(f"{number}", essay(1, 100 + number))
        see(fpdb.Recipe.from_record(recipe.to_record()) == recipe, repr(recipe))
        see(db.query(essay(1, 100)), db.query(essay(1, 100), max_df=100), list(db.pairs()), list(db.pairs(max_df=2)))


FLOWS: dict[str, Flow] = {
    **{
        flow.__name__: flow
        for flow in (
            *(a_batch, a_batch_undone, bulk, fingerprints, names_and_labels, contents, boilerplate),
            *(iterators, threads, recipes),
        )
    },
    **FLOWS_OF_FILES,
}
