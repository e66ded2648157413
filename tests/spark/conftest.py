"""A small Spark on this machine, one for all of these tests, and a collection that has what makes trouble."""

import json
import os
import random

import pytest

import fpdb
from fpdb.errors import MissingPackage

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    # The 48 MB of compiled code that this compiler has by default are soon full, and then nothing more is compiled.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
    "spark.default.parallelism": "2",
    "spark.buffer.pageSize": "1m",
    "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than a hundred documents
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
FOOTER = "This page was printed from the archive of the society; all rights of reproduction are reserved to it."


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Skips where there is no Java, unless FPDB_NEED_JAVA says that there has to be."""
    from fpdb.spark import session
    from fpdb.spark.session import check_java

    try:
        check_java()
    except MissingPackage as error:
        if os.environ.get("FPDB_NEED_JAVA"):
            raise
        pytest.skip(str(error))
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    started = session("local[2]", {**SETTINGS, "spark.sql.warehouse.dir": warehouse})
    yield started
    started.stop()


@pytest.fixture(scope="session")
def collection():
    """Return (name, text, labels) by name, as a database is to get them.

    Families of near-duplicates with owners and languages, a footer in half of all, texts that are too short, and names
    in no order.
    """
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(3, 9))) for _ in range(2000)]

    def text(count):
        return " ".join(rng.choices(words, k=count))

    found = []
    for family in range(40):
        head = text(60)
        for member in range(rng.randrange(1, 6)):
            name = f"{rng.choice(['a', 'ä', 'B', '日本'])}/{rng.randrange(10**6):06}-{family}"
            labels = {"owner": str(rng.randrange(25)), "lang": rng.choice(["en", "de", "fr"])} if member else {}
            found.append((name, head[: 400 - 60 * member] + " " + text(30), labels))
        found = [(name, text + FOOTER * (at % 2), labels) for at, (name, text, labels) in enumerate(found)]
    found += [
        ("short", "Too short.", {}),
        ("short again", "Too short.", {}),
        ("empty", "", {}),
        ("nothing", "", {}),
        ("twice", "tell me again " * 30, {}),
    ]
    assert len({name for name, _, _ in found}) == len(found)
    return sorted(found)


@pytest.fixture(scope="session")
def footer():
    """Return the text that half of the collection ends with."""
    return FOOTER


@pytest.fixture(scope="session")
def local(collection, tmp_path_factory):
    """Make a database of the collection."""
    with fpdb.open(tmp_path_factory.mktemp("local") / "t.fpdb") as db:
        with db.batch() as batch:
            for name, text, labels in collection:
                batch.add(name, text, labels=labels)
        yield db
        assert db.check() == []


@pytest.fixture(scope="session")
def lines(collection, tmp_path_factory):
    """Write the collection as JSON Lines, shuffled, in two files of a folder."""
    folder = tmp_path_factory.mktemp("lines")
    rows = [{"name": name, "text": text, "labels": labels} for name, text, labels in collection]
    random.Random(3).shuffle(rows)
    for number, start in enumerate((0, 50)):
        part = rows[start : 50 if number == 0 else None]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    return str(folder)


@pytest.fixture(scope="session")
def found(spark, lines):
    """Its fingerprints, made on Spark."""
    from fpdb.spark import documents, fingerprints

    return fingerprints(documents(spark, [lines], "jsonl"), fpdb.Recipe.preset())


@pytest.fixture(scope="session")
def sampled():
    """Return a recipe of samples of narrow hashes without positions."""
    return fpdb.Recipe.preset().with_(positions=False, key=12345, scheme="smallest", n=20, hash_bits=20)


@pytest.fixture(scope="session")
def samples(spark, lines, sampled):
    """Return the collection's fingerprints by that recipe."""
    from fpdb.spark import documents, fingerprints

    return fingerprints(documents(spark, [lines], "jsonl"), sampled)


@pytest.fixture
def settings(spark):
    """`settings(adaptive, partitions, rows)` for the rest of the test."""
    names = {
        "adaptive": "spark.sql.adaptive.enabled",
        "partitions": "spark.sql.shuffle.partitions",
        "rows": "spark.sql.execution.arrow.maxRecordsPerBatch",
    }
    before = {name: spark.conf.get(name) for name in names.values()}

    def set_all(**values):
        for short, value in values.items():
            spark.conf.set(names[short], str(value).lower())

    yield set_all
    for name, value in before.items():
        spark.conf.set(name, value)
