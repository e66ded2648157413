"""Compare what Spark finds and builds with a database of the same documents, and time both: `python -m bench.spark`.

20,000 documents, in families of near-duplicates, half of which hold the same passage. Exit status 1 if any answer
differs.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import fpdb
from fpdb import spark

T = TypeVar("T")
MEMBERS = 5  # of a family
SENTENCE = "This page was printed from the archive of the society; all rights of reproduction are reserved to it. "
SETTINGS = {"spark.ui.enabled": "false", "spark.driver.memory": "3g"}
# Adaptive execution, partitions of a shuffle, rows of an Arrow batch.
HOW = ((True, 8, 1000), (True, 1, 1000), (False, 8, 1000), (False, 1, 1000), (True, 8, 2))


class Row(NamedTuple):
    """A document."""

    name: str
    text: str
    labels: dict[str, str]


def corpus(count: int) -> Iterator[Row]:
    """Yield documents of about 1,500 characters, by name.

    In each five documents, each keeps less of the first one than the one before.
    """
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 10))) for _ in range(20_000)]
    head: list[str] = []
    for number in range(count):
        member = number % MEMBERS
        if member == 0:
            head = rng.choices(words, k=200)
        own = rng.choices(words, k=20 + 30 * member)
        text = " ".join([*head[: 200 - 30 * member], *own]) + (" " + SENTENCE) * (number % 2)
        yield Row(f"{number:08}", text, {"lang": rng.choice(["en", "de"])})


def timed(what: str, work: Callable[[], T], beside: float | None = None) -> tuple[T, float]:
    """Return the result of `work` and its seconds, and print them, with their multiple of `beside`."""
    since = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - since
    times = "" if beside is None else f"{seconds / beside:8.1f} times the database"
    print(f"{what:48}{seconds:8.1f} s{times}", flush=True)
    return result, seconds


def rows(frame: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a DataFrame, from all workers."""
    return [tuple(row) for row in frame.collect()]


FOUND: dict[str, Callable[[Any], list[tuple[Any, ...]]]] = {
    "pairs": lambda found: rows(spark.pairs(found)),
    "clusters": lambda found: rows(spark.clusters(found)),
    "drop_list": lambda found: rows(spark.drop_list(found, keep="longest")),
}


def local_answers(db: fpdb.Database) -> dict[str, tuple[list[tuple[Any, ...]], float]]:
    """Return what the database finds, and the seconds."""
    clusters = ((c.name, len(c), c.pairs, name) for c in db.clusters() for name in c.members)
    return {
        "pairs": timed("database: pairs", lambda: [tuple(pair.to_dict().values()) for pair in db.pairs()]),
        "clusters": timed("database: clusters", lambda: list(clusters)),
        "drop_list": timed(
            "database: drop list", lambda: [tuple(drop.to_dict().values()) for drop in db.drop_list(keep="longest")]
        ),
    }


def main() -> None:
    """Compare, and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000, metavar="N")
    parser.add_argument("--master", default="local[2]", help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="only the first of the settings of Spark")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fpdb-spark-") as folder:
        different = compare(Path(folder), options.documents, options.master, HOW[: 1 if options.quick else None])
    print("different: " + ", ".join(different) if different else "the same in all of them")
    sys.exit(bool(different))


def compare(folder: Path, count: int, master: str, settings: tuple[tuple[bool, int, int], ...]) -> list[str]:
    """Return the names of answers that differ."""
    documents = list(corpus(count))
    size = sum(len(row.text) for row in documents)
    print(f"{count:,} documents, {size / 1e6:.1f} MB")
    different = []
    with fpdb.open(folder / "local.fpdb") as db:
        _, adding = timed("database: add, one process", lambda: add(db, documents))
        expected = local_answers(db)
        session, _ = timed("Spark: start", lambda: spark.session(master, SETTINGS))
        frame = session.createDataFrame(documents, "name string, text string, labels map<string,string>")
        frame.repartition(8).write.parquet(str(folder / "documents"))
        for adaptive, partitions, batch in settings:
            print(f"adaptive execution {adaptive}, {partitions} partitions, {batch} rows a batch")
            session.conf.set("spark.sql.adaptive.enabled", str(adaptive).lower())
            session.conf.set("spark.sql.shuffle.partitions", str(partitions))
            session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch))
            read = spark.documents(session, [str(folder / "documents")], "parquet")
            fingerprints, _ = timed("Spark: fingerprints", partial(spark.fingerprints, read, db.recipe), adding)
            for what, find in FOUND.items():
                answer, _ = timed(f"Spark: {what}", partial(find, fingerprints), expected[what][1])
                if answer != expected[what][0]:
                    different.append(f"{what} with {adaptive}, {partitions}, {batch}")
            target = folder / f"built-{adaptive}-{partitions}-{batch}"
            timed("Spark: build", partial(spark.build, fingerprints, target, db.recipe), adding)
            if not same_answers(db, target, documents):
                different.append(f"build with {adaptive}, {partitions}, {batch}")
        print(f"{len(expected['pairs'][0]):,} pairs, {len(expected['drop_list'][0]):,} to be dropped")
        postings = db.info()["postings"]
        stored = sum(path.stat().st_size for path in target.glob("postings/*.parquet"))
        print(f"{postings:,} postings, {stored / postings:.1f} bytes each in the folder")
        session.stop()
    return different


def add(db: fpdb.Database, documents: list[Row]) -> None:
    """Add all documents in one commit."""
    with db.batch() as batch:
        for row in documents:
            batch.add(row.name, row.text, labels=row.labels)


def same_answers(db: fpdb.Database, folder: Path, documents: list[Row]) -> bool:
    """Return True if a database that adopts the folder answers as the other does."""
    with fpdb.open(f"{folder}.fpdb", recipe=db.recipe) as other:
        timed("database: adopt", lambda: other.adopt(folder))
        queries = [row.text for row in documents[:: max(1, len(documents) // 200)]]
        answers = [[base.query(text).to_dict() for text in queries] for base in (db, other)]
        named = [[document.name for document in base.documents()] for base in (db, other)]
        return answers[0] == answers[1] and named[0] == named[1] and other.check() == []


if __name__ == "__main__":
    main()
