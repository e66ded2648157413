"""Databases that were written once and are kept: whatever comes later must open them and answer the same.

`python -m tests.recorded.written` makes those of which there is no file; one that is there is never written again.
"""

import gzip
from collections.abc import Callable
from typing import Any

import fpdb

from . import inputs, running
from .calls import Call, Named
from .library_calls import DRAFT, HASHES, TEXTS
from .recorder import DATABASES, Base, Group, Recorder
from .texts import FOOTER, essay

db: Any = Call("db")
NEW = Named("NEW", inputs.FILES["programs"]()["new.py"])

ESSAYS = (
    db.info(),
    db.documents(),
    db.check(),
    db.query(DRAFT),
    db.query(DRAFT, by="weighted_containment", top=4),
    db.query(DRAFT, by="query_coverage", top=3),
    db.query(DRAFT, regions=True, top=4, texts=TEXTS),
    db.query(DRAFT, regions=True, top=4),
    db.query(DRAFT, max_df=3, max_ignored=4, min=0.05),
    db.query(DRAFT, smallest=12),
    db.query_fingerprints(HASHES),
    db.pairs(min=0.1),
    db.pairs(regions=True, top=2),
    db.clusters(min=0.1, keep="longest"),
    db.drop_list(min=0.1),
    db.spans(min=0.1),
    db.common(min_df=3),
    db.explain("essays/carl.txt", "essays/ann.txt"),
    db.text("essays/dora.txt"),
    db.original("text 3"),
    db.document("\udcff"),
    db.add("new", DRAFT),
)
PROGRAMS = (
    db.info(),
    db.documents(),
    db.query(NEW, kind="code", name="new.py"),
    db.query(NEW, kind="code", name="new.py", regions=True, top=2),
    db.pairs(by="similarity", top=5),
    db.pairs(by_owner=True),
    db.spans(min=0.4),
)
PLACES = (24, 29172, 80824, 114592)
"""Bytes of a file that are damaged, one at a time."""
CALLS = {"written.fpdb": ESSAYS, "programs.fpdb": PROGRAMS}

DAMAGE = Group(
    Base(("essays",), databases=("written.fpdb",)),
    (
        "--db written.fpdb info",
        "--db written.fpdb query draft.txt --regions",
        "--db written.fpdb check",
        "--db written.fpdb check --quick --format csv",
        "--db written.fpdb check --repair saved.fpdb",
        "--db written.fpdb compact ; --db written.fpdb info ; --db written.fpdb query draft.txt --top 3",
        "--db written.fpdb add essays ; --db written.fpdb remove --glob 'text*' ; --db written.fpdb query draft.txt",
        "--db written.fpdb export --texts out.jsonl ; --db new.fpdb import out.jsonl",
        "--db written.fpdb export out.jsonl ; !adoptable out.jsonl folder ; "
        "--db new.fpdb init --key 77 --set reader_version=1 ; "
        "--db new.fpdb adopt folder ; --db new.fpdb query draft.txt --top 3 ; --db new.fpdb adopt folder --prefix x/",
        "--db written.fpdb export out.jsonl ; !adoptable out.jsonl folder ; "
        "--db new.fpdb init --key 77 --set reader_version=1 ; "
        "--db new.fpdb add draft.txt --name essays/ann.txt ; --db new.fpdb adopt folder ; "
        "--db new.fpdb adopt folder --on-collision skip ; --db new.fpdb adopt folder --on-collision replace",
        "--db written.fpdb export out.jsonl ; !adoptable out.jsonl folder ; --db new.fpdb init ; "
        "--db new.fpdb adopt folder",
        "--db written.fpdb export out.jsonl ; !adoptable out.jsonl folder ; !rm folder/postings/_SUCCESS ; "
        "--db written.fpdb adopt folder",
        "--db written.fpdb export out.jsonl ; !adoptable out.jsonl folder ; --db written.fpdb adopt folder ; "
        "!sub folder/recipe.json 30 31 ; --db written.fpdb adopt folder ; !sub folder/recipe.json { x ; "
        "--db written.fpdb adopt folder",
        "--db written.fpdb export out.jsonl ; !unseal out.jsonl ; --db new.fpdb import out.jsonl",
        "--db written.fpdb export out.jsonl ; !unseal out.jsonl ; !sub out.jsonl '\"version\":1' '\"version\":2' ; "
        "--db new.fpdb import out.jsonl",
        "--db written.fpdb export out.jsonl ; !unseal out.jsonl ; "
        "!sub out.jsonl 'positions\":\"' 'positions\":\"AAAA' ; --db new.fpdb import out.jsonl",
        "!version written.fpdb 2 ; --db written.fpdb info ; --db written.fpdb add draft.txt ; "
        "--db written.fpdb check ; --db written.fpdb check --repair saved.fpdb ; --db new.fpdb merge written.fpdb",
        "!fliptext written.fpdb essays/dora ; --db written.fpdb list ; --db written.fpdb check",
        *(
            f"!flip written.fpdb {place} ; --db written.fpdb query draft.txt --top 3 ; "
            "--db written.fpdb check --repair saved.fpdb --format json"
            for place in PLACES
        ),
    ),
)


def make_essays(db: fpdb.Database) -> None:
    """Fill a database with what there can be in one: several runs, boilerplate, kept texts, removed documents."""
    texts = {name: text for name, text in inputs.FILES["essays"]().items() if name.startswith("essays/")}
    with db.batch() as batch:
        for name, text in texts.items():
            labels = {"owner": name[7:8], "term": "2024"} if "n" in name else {}
            batch.add(name, text, labels=labels, keep_text="o" in name, source=f"/shelf/{name}", contact="the clerk")
        batch.add("gone", essay(99, 98))
    db.add("template", FOOTER, boilerplate=True, labels={"sort": "form"})
    for number in range(3):
        with db.batch() as batch:
            batch.add(f"text {number}", essay(70 + number, 1, 75))
            batch.add_fingerprints(f"hashes {number}", HASHES.value[number:], range(39 - number), kind="audio")
    db.compact()
    with db.batch() as batch:
        batch.add("text 3", (essay(7, 76) + "é").encode("latin-1"), keep_text=True)
        batch.add_fingerprints("\udcff", HASHES.value[:5])
        batch.add("empty", "")
    with db.batch() as batch:
        batch.remove("gone")
        batch.remove("text 1")


def make_programs(db: fpdb.Database) -> None:
    """Fill a database with programs, of two owners."""
    with db.batch() as batch:
        for name, text in inputs.FILES["programs"]().items():
            if name.startswith("programs/") and name.endswith((".py", ".c", ".go")):
                batch.add(name, text, kind="code", keep_text=True, labels={"owner": "ab"[name.endswith("c")]})
    db.compact()


MADE: dict[str, tuple[Callable[[fpdb.Database], None], fpdb.Recipe]] = {
    "written.fpdb": (make_essays, fpdb.Recipe.preset().with_(key=77)),
    "programs.fpdb": (make_programs, fpdb.Recipe.preset("code").with_(key=78)),
}


def main() -> None:
    """Make the databases of which there is no file."""
    recorder = Recorder()
    for name, (fill, recipe) in MADE.items():
        recorder.begin(Base())
        stored = DATABASES / f"{name}.gz"
        if stored.exists():
            continue
        with running.world(recorder.folder, running.BEGIN), fpdb.open(name, "x", recipe=recipe) as made:
            fill(made)
        stored.write_bytes(gzip.compress((recorder.folder / name).read_bytes(), mtime=0))
        print(f"{stored.name}: {stored.stat().st_size} bytes")
    recorder.close()


if __name__ == "__main__":
    main()
