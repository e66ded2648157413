"""Work with the library in several calls, as programs do it: what each call gave is seen, one after the other."""

import fcntl
import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import fpdb

from .inputs import FILES
from .texts import FOOTER, essay

See = Callable[..., None]
Flow = Callable[[See], None]
HASHES = np.arange(1, 30, dtype=np.uint64) * np.uint64(2**58 + 4321)


@contextmanager
def seen_errors(see: See) -> Iterator[None]:
    """See what the block raises."""
    try:
        yield
    except Exception as error:
        see(error)


def trying(see: See, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """See what a call gives, or raises; of a generator all that it gives."""
    with seen_errors(see):
        found = function(*arguments, **options)
        see(list(found) if isinstance(found, Iterator) else found)


def a_batch(see: See) -> None:
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
    with fpdb.open("corpus.fpdb") as db:
        with seen_errors(see), db.batch() as batch:
            batch.add("new", essay(80))
            batch.remove("essays/ann.txt")
            raise RuntimeError("no, after all")
        see(len(db), "new" in db, "essays/ann.txt" in db)


def bulk(see: See) -> None:
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


def merging(see: See) -> None:
    with fpdb.open("corpus.fpdb") as db, fpdb.open("other.fpdb") as other, fpdb.open("web.fpdb", recipe=web()) as far:
        other.add("one", essay(1, 95), labels={"x": "y"}, keep_text=True)
        other.add("essays/ann.txt", essay(96))
        other.add("template", FOOTER, boilerplate=True)
        trying(see, db.merge, other)
        trying(see, db.merge, other, on_collision="fight")
        see(db.merge(other, on_collision="skip"), db.document("one"), db.text("one"))
        see(db.merge(other, prefix="other/"), len(db), db.merge(other, on_collision="replace"))
        trying(see, db.merge, far)
        trying(see, db.merge, db)
        trying(see, db.check_recipe, far)
        trying(see, db.check_recipe, other)
        see(db.query(essay(1, 95), top=3))


def web() -> fpdb.Recipe:
    """Return the recipe of the preset for web pages."""
    return fpdb.Recipe.preset("web")


def transfer(see: See) -> None:
    out = io.BytesIO()
    with fpdb.open("corpus.fpdb", "r") as db:
        see(db.export(out), len(out.getvalue().splitlines()))
        with_texts = io.BytesIO()
        see(db.export(with_texts, texts=True), with_texts.tell() > out.tell())
    see(
        fpdb.import_("new.fpdb", io.BytesIO(with_texts.getvalue())),
        fpdb.import_("new.fpdb", io.BytesIO(out.getvalue())),
    )
    with fpdb.open("new.fpdb", "r") as db:
        again = io.BytesIO()
        db.export(again, texts=True)
        see(again.getvalue() == with_texts.getvalue())
    lines = out.getvalue().splitlines(keepends=True)
    for broken in ([], lines[:1], lines[:3], lines[1:], [lines[0], b"{}\n"], [lines[0], lines[1][:-9]], [b"[1]\n"]):
        trying(see, fpdb.import_, "broken.fpdb", io.BytesIO(b"".join(broken)))
    trying(see, fpdb.import_, "other.fpdb", io.BytesIO(lines[0].replace(b'"version":1', b'"version":9')))


def shards(see: See) -> None:
    with fpdb.open("second.fpdb") as db:
        db.add("essays/ann.txt", essay(1, 97))
        db.add("two", essay(10, 98))
    with fpdb.open("far.fpdb", recipe=web()) as db:
        db.add("far", essay(1))
    text = FILES["essays"]()["draft.txt"]
    with fpdb.open_all(["corpus.fpdb", "second.fpdb"], timeout=1) as both:
        see(list(both.databases), len(both), both.recipe)
        trying(see, both.query, text, top=4)
        trying(see, both.query, text, top=4)
        trying(see, both.query, text, top=1, regions=True, by="weighted_resemblance")
        trying(see, both.query, text, top=2, regions=True, by="weighted_containment")
        trying(see, both.queries, [("q", text), (None, essay(98))], top=2)
        trying(see, both.query_fingerprints, both.recipe.fingerprint(text).hashes, top=2)
        see(both.holds("two", essay(10, 98)), both.frequencies([1, 2]))
        both.close()
    trying(see, fpdb.open_all, ["corpus.fpdb", "far.fpdb"])
    trying(see, fpdb.open_all, ["corpus.fpdb", "corpus.fpdb"])
    trying(see, fpdb.MultiDatabase, {})
    with fpdb.open("corpus.fpdb", "r") as one, fpdb.open("second.fpdb", "r") as two:
        trying(see, fpdb.MultiDatabase({"first": one, "next": two}).query, text, top=2)


def reports(see: See) -> None:
    text = FILES["essays"]()["draft.txt"]
    with fpdb.open("corpus.fpdb", "r") as db:
        page = db.report()
        page.add_answer(db.query(text, name="draft.txt", regions=True), text)
        see(page.html())
        page = db.report(by="resemblance", connect=0.1)
        page.add_pairs(db.pairs(regions=True, by="resemblance"))
        see(page.limits, page.html())
        page = db.report(limits=page.limits._replace(rows=1, text=100))
        page.add_pairs(db.pairs(by_owner=True, owners="label:term"), by_owner=True, owners="label:term", max_df=0)
        see(page.html(), db.report().html())


def rotation(see: See) -> None:
    recipe = fpdb.Recipe.preset("koala").with_(stored=10, search=40, skip=50)
    with fpdb.open("koala.fpdb", "x", recipe=recipe) as db:
        db.add("a", essay(1, 2, 3), keep_text=True)
        db.add("b", essay(1, 2, 4), rarity="corpus")
        see(db.rotate("a", essay(1, 2, 3)), db.rotate("a", essay(1, 2, 3), rotation=7), db.document("a"))
        trying(see, db.rotate, "a", essay(1))
        trying(see, db.rotate, "nobody", essay(1))
        see(db.query(essay(1, 2)), db.query(essay(1, 2), rarity="corpus", by="containment"), list(db.pairs()))
    with fpdb.open("corpus.fpdb") as db:
        trying(see, db.rotate, "essays/finn.txt", FILES["essays"]()["essays/finn.txt"])


def reading_only(see: See) -> None:
    with fpdb.open("corpus.fpdb", "r") as db:
        for name, arguments in (("add", ("x", "y")), ("remove", ("essays/ann.txt",)), ("compact", ())):
            trying(see, getattr(db, name), *arguments)
        trying(see, db.add_fingerprints, "x", [1])
        with seen_errors(see), db.bulk():
            see("inside")
    db.close()
    trying(see, db.info)
    trying(see, db.query, "text")


def waiting(see: See) -> None:
    with open("corpus.fpdb-writer", "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with fpdb.open("corpus.fpdb", "r+", timeout=0.05) as db:
            trying(see, db.add, "x", essay(80))
            see(len(db))
            fcntl.flock(held, fcntl.LOCK_UN)
            see(db.add("x", essay(80)))


def iterators(see: See) -> None:
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


def key_files(see: See) -> None:
    with fpdb.open("secret.fpdb", "x", key_file="secret.key") as db:
        see(db.add("a", essay(1)), db.needs_key_file, db.key_exposed, db.recipe.to_record().keys(), db.info()["recipe"])
    with fpdb.open("secret.fpdb") as db:
        see(db.recipe, db.document("a"), list(db.pairs()))
        trying(see, db.query, essay(1))
        trying(see, db.add, "b", essay(1))
        trying(see, db.export, io.BytesIO())
    trying(see, fpdb.open, "secret.fpdb", "r", key_file="other.key")
    trying(see, fpdb.open, "secret.fpdb", "r", key_file="bad.key")
    with fpdb.open("secret.fpdb", "r", key_file="open.key") as db:
        see(db.key_exposed, db.query(essay(1)))
    with fpdb.open("corpus.fpdb", "r", key_file="nowhere.key") as db:
        see(db.needs_key_file)


def recipes(see: See) -> None:
    trying(see, fpdb.open, "corpus.fpdb", recipe=web())
    with fpdb.open("corpus.fpdb", recipe=fpdb.Recipe.preset()) as db:
        see(db.recipe == fpdb.Recipe.preset(), hash(str(db.recipe)) == hash(str(fpdb.Recipe.preset())))
    recipe = fpdb.Recipe.preset().with_(max_df=2, max_ignored=3, key=9)
    with fpdb.open("capped.fpdb", recipe=recipe) as db:
        for number in range(4):
            db.add(f"{number}", essay(1, 100 + number))
        see(fpdb.Recipe.from_record(recipe.to_record()) == recipe, repr(recipe))
        see(db.query(essay(1, 100)), db.query(essay(1, 100), max_df=100), list(db.pairs()), list(db.pairs(max_df=2)))


def damage(see: See) -> None:
    with open("corpus.fpdb", "r+b") as file:
        size = file.seek(0, 2)
        file.truncate(size // 2)
    see(fpdb.check("corpus.fpdb").sound)
    with open("zeros.fpdb", "wb") as file:
        file.write(bytes(20_000))
    trying(see, fpdb.open, "zeros.fpdb", "r")
    trying(see, fpdb.repair, "zeros.fpdb", "saved.fpdb")
    trying(see, fpdb.check, "nowhere.fpdb")


FLOWS: dict[str, Flow] = {
    flow.__name__: flow
    for flow in (
        *(a_batch, a_batch_undone, bulk, fingerprints, names_and_labels, contents, boilerplate, merging, transfer),
        *(shards, reports, rotation, reading_only, waiting, iterators, threads, key_files, recipes, damage),
    )
}
