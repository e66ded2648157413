"""Calls of the library that are recorded, as data: each is made with the database of the essays as it is."""

from typing import Any

import numpy as np

import fpdb

from .calls import Call, Named
from .inputs import FILES
from .texts import essay

ESSAYS = FILES["essays"]()
DRAFT = Named("DRAFT", ESSAYS["draft.txt"])
OWN = Named("OWN", ESSAYS["own.txt"])
ANN = Named("ANN", ESSAYS["essays/ann.txt"])
PAGE = Named("PAGE", FILES["kinds"]()["kinds/page.html"])
PROGRAM = Named("PROGRAM", FILES["programs"]()["programs/tools.py"])
TEXTS = Named("TEXTS", lambda document: ESSAYS.get(document.name))
NOTHING = Named("NOTHING", lambda _: None)
HASHES = Named("HASHES", np.arange(1, 40, dtype=np.uint64) * np.uint64(2**58 + 12345))
TWO = Named("TWO", [("first", essay(1, 70)), (None, essay(8))])
WRONG = Named("WRONG", [("first", essay(1)), ("", "x"), ("page", PAGE.value)])

db: Any = Call("db")
lib: Any = Call("fpdb")
preset = lib.Recipe.preset

MEASURES = (
    *("containment", "reverse_containment", "resemblance", "shared", "weighted_containment"),
    *("weighted_resemblance", "query_coverage", "document_coverage"),
    "similarity",
)

QUERIES = (
    db.query(DRAFT),
    *(db.query(DRAFT, by=measure, top=3) for measure in MEASURES),
    db.query(DRAFT, by="beauty"),
    db.query(DRAFT, min=0.2),
    db.query(DRAFT, min=-1),
    db.query(DRAFT, top=0),
    db.query(DRAFT, smallest=9),
    db.query(DRAFT, smallest=9, by="similarity", max_df=2, max_ignored=1),
    db.query(DRAFT, window=50, top=2),
    db.query(DRAFT, window=3),
    db.query(DRAFT, max_df=2),
    db.query(DRAFT, max_ignored=2),
    db.query(DRAFT, rarity="corpus", top=1),
    db.query(DRAFT, regions=True, top=2),
    db.query(DRAFT, regions=True, top=1, gap=200, texts=TEXTS),
    db.query(DRAFT, regions=True, top=2, texts=NOTHING),
    db.query(OWN, name="essays/ann.txt", top=2),
    db.query(OWN, name="essays/ann.txt", include_self=True, top=2),
    db.query(""),
    db.query(PAGE, kind="html", top=1),
    db.query(PAGE, kind="auto", name="x.html", top=1),
    db.query(PROGRAM, kind="code"),
    db.query(DRAFT, kind="poem"),
    db.query(DRAFT, colour="red"),
    db.query(DRAFT, top=2).to_dict(),
    db.query(DRAFT, top=2).to_json(),
    db.query(DRAFT, regions=True, top=1).without_regions("resemblance"),
    db.queries(TWO, top=2),
    db.queries(WRONG, top=1, kind="pdf"),
    db.queries([]),
    db.query_fingerprints(HASHES),
    db.query_fingerprints([1, 2, 2**64]),
    db.query_fingerprints([], name="none"),
    db.query_fingerprints(db.recipe.fingerprint(DRAFT).hashes, top=2, by="resemblance"),
    db.frequencies(db.recipe.fingerprint(DRAFT).hashes),
    db.holds("essays/ann.txt", ANN),
    db.holds("essays/ann.txt", DRAFT),
    db.holds("", DRAFT),
)

ALL_AGAINST_ALL = (
    db.pairs(),
    *(db.pairs(by=measure, top=3) for measure in ("resemblance", "shared", "weighted_resemblance", "coverage")),
    db.pairs(by="similarity", min=0.1),
    db.pairs(regions=True, top=1),
    db.pairs(regions=True, top=1, gap=100, texts=NOTHING),
    db.pairs(by_owner=True, owners="label:term"),
    db.pairs(by_owner=True, regions=True),
    db.pairs(new=("term", "2024"), max_df=3, min_shared=2),
    db.pairs(by="beauty"),
    db.pairs(owners="name"),
    db.pairs(top=-1),
    db.clusters(min=0.1),
    db.clusters(min=0.1, keep="longest", top=1),
    db.clusters(keep="best"),
    db.drop_list(min=0.1),
    db.drop_list(min=0.1, keep="longest", direct=True),
    db.drop_list(by_owner=True),
    db.spans(min=0.1),
    db.spans(min=0.1, shortest=200, pad=3, snap=True, gap=10, keep="longest"),
    db.spans(DRAFT, name="draft"),
    db.spans(DRAFT, texts=NOTHING, shortest=0),
    db.common(min_df=2),
    db.common(min_df=2, top=1, texts=NOTHING),
    db.common(min_df=0),
    db.explain("essays/ann.txt", "essays/bob.txt"),
    db.explain("essays/ann.txt", "draft", contents={"draft": DRAFT.value}, by="resemblance", min=0.2).to_dict(),
    db.explain("essays/ann.txt", "nobody"),
)

CATALOGUE = (
    db.__len__(),
    db.__contains__("essays/ann.txt"),
    db.__contains__("gone"),
    db.__contains__(5),
    db.info(),
    db.recipe,
    db.document("essays/carl.txt"),
    db.document("nobody"),
    db.document(""),
    db.documents(),
    db.documents("essays/[c-e]*"),
    db.text("essays/carl.txt"),
    db.text("essays/ann.txt"),
    db.original("essays/ann.txt"),
    db.original("essays/emma.txt"),
    db.original("nobody"),
    db.digest("essays/ann.txt"),
    db.digest("nobody"),
    db.boilerplate_in("essays/ann.txt"),
    db.only_boilerplate(),
    db.check(),
    db.needs_key_file,
    db.key_exposed,
    db.path,
    db.add("new", DRAFT),
    db.remove("essays/ann.txt"),
    db.compact(),
    db.backup("copy.fpdb"),
    db.backup("draft.txt"),
    lib.check("corpus.fpdb", quick=True),
    lib.check("draft.txt"),
    lib.repair("corpus.fpdb", "saved.fpdb"),
    lib.repair("corpus.fpdb", "draft.txt"),
)

RECIPES = (
    preset(),
    *(preset(name).to_record() for name in ("text", "code", "web", "koala", "sample")),
    preset("poem"),
    preset().with_(k=20, w=11, key=5),
    preset().with_(scheme="smallest", n=5).fingerprint(DRAFT),
    preset().with_(scheme="best"),
    preset().with_(k=0),
    preset().with_(hash_bits=20, positions=False, max_df=3, max_ignored=1).to_record(),
    preset().with_(positions=2),
    preset().differences(preset("web")),
    preset().differences(preset().with_(hash_bits=20, positions=False)),
    preset().measure("text"),
    preset("koala").measure("text"),
    preset().resolve_kind("auto", PAGE, "x"),
    preset().resolve_kind("code", PROGRAM),
    preset().fingerprint(DRAFT),
    preset().fingerprint(DRAFT).starts,
    preset().fingerprint(DRAFT, "text", purpose="search"),
    preset().fingerprint(DRAFT, "text", purpose="discard"),
    preset("koala").fingerprint(DRAFT, rotation=2),
    preset("code").fingerprint(PROGRAM, "code", name="tools.py"),
    preset("code").fingerprint(PAGE, "html"),
    lib.Recipe.from_record({"key": 5, "rules": {}}),
    lib.Recipe.from_record({}),
    lib.Rule(30, "robust-winnow", {"w": 21}),
    lib.Rule(30, "robust-winnow", {"n": 21}),
)

OPENING = (
    lib.open("nowhere.fpdb", "r"),
    lib.open("nowhere.fpdb", "r+"),
    lib.open("new.fpdb").info(),
    lib.open("new.fpdb", "x", recipe=preset("code")).recipe,
    lib.open("draft.txt", "r"),
    lib.open("draft.txt", "x"),
    lib.open("essays"),
    lib.open("new.fpdb", "w"),
    lib.open("nowhere/new.fpdb"),
    lib.open("new.fpdb", key_file="secret.key"),
    lib.open_all([]),
    lib.open_all(["nowhere.fpdb"]),
    lib.import_("new.fpdb", Named("NO_FILE", None)),
    lib.nothing,
    lib.__version__,
)

GROUPS: dict[str, tuple[Call, ...]] = {
    "library_queries": QUERIES,
    "library_pairs": ALL_AGAINST_ALL,
    "library_catalogue": CATALOGUE,
    "library_recipes": RECIPES,
    "library_opening": OPENING,
}
NAMES = tuple(sorted(fpdb.__all__))
