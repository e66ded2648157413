"""Work with whole files, in several calls: merging, transfer, several databases, reports, keys, locks and damage."""

import fcntl
import io

import fpdb

from .inputs import FILES
from .seeing import Flow, See, seen_errors, trying, web
from .texts import FOOTER, essay


def merging(see: See) -> None:
    """Take over another database, in every way."""
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


def transfer(see: See) -> None:
    """Export and import, whole, repeated and broken."""
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
    """Ask several databases as one."""
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
        trying(see, both.query, text, top=1, regions=True, by="weighted_containment")
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
    """Write reports of answers, pairs and owners."""
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
    """Store other fingerprints of documents."""
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
    """Try to change what was opened for reading, and to use what was closed."""
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
    """Meet another writer."""
    with open("corpus.fpdb-writer", "r+b") as held, fpdb.open("corpus.fpdb", "r+", timeout=0.05) as db:
        fcntl.flock(held, fcntl.LOCK_EX)
        trying(see, db.add, "x", essay(80))
        see(len(db))
        fcntl.flock(held, fcntl.LOCK_UN)
        see(db.add("x", essay(80)))


def key_files(see: See) -> None:
    """Keep the key in a file of its own."""
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


def damage(see: See) -> None:
    """Open, check and repair what is no sound database."""
    with open("corpus.fpdb", "r+b") as file:
        size = file.seek(0, 2)
        file.truncate(size // 2)
    see(fpdb.check("corpus.fpdb").sound)
    with open("zeros.fpdb", "wb") as file:
        file.write(bytes(20_000))
    trying(see, fpdb.open, "zeros.fpdb", "r")
    trying(see, fpdb.repair, "zeros.fpdb", "saved.fpdb")
    trying(see, fpdb.check, "nowhere.fpdb")


FLOWS_OF_FILES: dict[str, Flow] = {
    flow.__name__: flow
    for flow in (merging, transfer, shards, reports, rotation, reading_only, waiting, key_files, damage)
}
