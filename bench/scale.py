"""Measure growth on this machine, and compute plans for large collections, checked by simulation.

(a) Builds databases of random documents, 100 hashes each, at several sizes, and measures their bytes and times. (b)
Prints what 10^9 and 10^10 documents take, on Spark and in databases, line by line, from these figures and from stated
assumptions. (c) Compares the formulas of sizes with what the store writes for a slice of one large database, and the
rows that Spark moves with rows made in its layout; with --spark also with what Spark reports (needs Java).

    python -m bench.scale                        # 1e5, 1e6 and 3e6 postings; prints
    python -m bench.scale --size 1e7 --write     # one more size; and into docs/guide/scale.md
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import fpdb
from bench.corpora import DOCUMENT, record_texts
from bench.measuring import in_child
from bench.papers import page
from bench.report import machine, number_text
from bench.run import postings, workplace
from bench.scaling import growth, plan, sizes
from bench.scaling.growth import Point, shard_of
from bench.scaling.plan import PlanInput, text_of
from bench.scaling.sizes import Moved, Shard

PAGE = page.DOCS.parent / "guide" / "scale.md"
SIZES = (100_000, 1_000_000, 3_000_000)
COLLECTIONS = (10**9, 10**10)
SIMULATED = 2_000_000  # postings of a slice
CHARACTERS, TEXTS = 2000, 3000  # of a text; texts that are fingerprinted
PARTITIONS = 1000
DATABASES = (10**6, 10**7, 10**8, 10**9, 2**31)  # documents, for sizes
SPARKED = 4000  # documents that Spark moves

ASSUMED = (
    PlanInput("hashes", "fingerprints of a document", DOCUMENT, "", "assumed; all postings are in proportion to it"),
    PlanInput("text", "text of a document", CHARACTERS, "bytes", "assumed, for so many fingerprints"),
    PlanInput("partners", "documents that share with a document", 1, "", "assumed; web crawls have more"),
    PlanInput("overlap", "hashes that such a pair shares", 50, "", "assumed"),
    PlanInput("machines", "machines", 50, "", "assumed"),
    PlanInput("cores", "cores of each", 16, "", "assumed, as fast as these"),
    PlanInput("disk", "a machine's disk, a second", 1e9, "bytes", "assumed"),
    PlanInput("network", "a machine's network, a second", 1e9, "bytes", "assumed: 10 Gbit/s, less what is lost"),
    PlanInput("sorting", "rows that a core sorts in Spark, a second", 3e5, "", "assumed"),
    PlanInput("waste", "for skew, retries, and steps that wait", 2, "", "assumed"),
    PlanInput("latency", "a block read from disk", 1e-4, "s", "assumed: NVMe, one read at a time"),
    PlanInput("shard", "documents of a database", 1e8, "", "chosen: files of 0.1 TB, and 100 databases in one process"),
)


def growth_table(points: Sequence[Point]) -> str:
    """Return the measurements by size beside the formulas, with the power of the size that they grow with."""
    measured = [point.postings for point in points]
    formulas = [growth.expected(size) for size in measured]
    rows: list[tuple[str, list[float]]] = [
        ("bytes a posting", [point.posting for point in points]),
        ("... by formula", [formula[0] for formula in formulas]),
        ("bytes a posting with its position", [point.placed for point in points]),
        ("... by formula", [formula[1] for formula in formulas]),
        ("names, record and sizes, bytes a document", [point.document for point in points]),
        ("loaded, M postings a second of one core", [point.loaded for point in points]),
        ("merged from another database, likewise", [point.merged for point in points]),
        ("query of 1,000 hashes, warm, ms of one core", [point.query for point in points]),
        ("fences in memory, KB", [point.fences / 1e3 for point in points]),
        ("... by formula", [formula[2] / 1e3 for formula in formulas]),
    ]
    heads = ["postings", *(text_of(size, "") for size in measured), "grows as"]
    cells = ([what, *map(number_text, values), f"n^{growth.exponent(measured, values):.2f}"] for what, values in rows)
    return page.table(heads, cells)


def givens(
    point: Point, speed: float, opened: int, moved: Moved, assumed: Mapping[str, float], longest: int
) -> list[PlanInput]:
    """Return the inputs of a plan: assumptions, and figures of this run.

    Args:
        point: measurements at the largest size.
        speed: MB of text that a core fingerprints in a second.
        opened: databases open in a process.
        moved: bytes that Spark moves.
        assumed: replacements of assumptions, by name.
        longest: largest position of a document.
    """
    chosen = [plan_input._replace(value=assumed.get(plan_input.name, plan_input.value)) for plan_input in ASSUMED]
    by_name = {plan_input.name: plan_input.value for plan_input in chosen}
    shard = Shard(int(by_name["shard"]), int(by_name["hashes"]), longest)
    simulation = "simulated below"
    columns = {
        "table": ("the table of fingerprints", moved.table),
        "counted": ("a hash with a count, shuffled", moved.counted),
        "held": ("a hash with its document, shuffled", moved.held),
        "by_document": ("in a document with all of its own, shuffled", moved.by_document),
        "by_hash": ("a posting with its position, shuffled", moved.by_hash),
        "folder": ("in a folder to be adopted", moved.folder),
    }
    return [
        *chosen,
        PlanInput("fingerprinting", "texts that a core fingerprints, a second", speed * 1e6, "bytes", "measured here"),
        PlanInput(
            "loaded", "postings loaded into one database, a second", point.loaded * 1e6, "", "measured, largest size"
        ),
        PlanInput(
            "merged", "postings taken over, a second", point.merged * 1e6, "", "measured, largest size; as adopted"
        ),
        PlanInput("described", "names, record, sizes of a document", point.document, "bytes", "measured, largest size"),
        PlanInput("query", "1,000 hashes of one database, warm", point.query / 1e3, "s", "measured, largest size"),
        PlanInput("opened", "databases open in a process", opened, "", "measured here"),
        PlanInput("block", "postings of a block", sizes.block_postings(shard), "", "formula, at `shard`"),
        PlanInput("stored", "a posting in a database", sizes.posting_bytes(shard), "bytes", "formula, at `shard`"),
        PlanInput("placed", "its position", sizes.position_bytes(shard), "bytes", "formula, at `shard`"),
        *(PlanInput(name, f"a posting: {what}", value, "bytes", simulation) for name, (what, value) in columns.items()),
        PlanInput("pair", "a pair of documents, shuffled", moved.pair, "bytes", simulation),
    ]


def plan_tables(given: Sequence[PlanInput]) -> str:
    """Return the inputs, and a table for each part of the plan with a column for each collection."""
    input_rows = (
        (f"`{plan_input.name}`", plan_input.what, text_of(plan_input.value, plan_input.unit), plan_input.why)
        for plan_input in given
    )
    parts = [page.table(["name", "what", "value", "from"], input_rows)]
    values = [
        plan.computed({plan_input.name: plan_input.value for plan_input in given} | {"documents": count})
        for count in COLLECTIONS
    ]
    for title, lines in plan.PLAN.items():
        heads = [title, "name", "arithmetic", *(text_of(count, "") for count in COLLECTIONS)]
        rows = (
            [
                line.what,
                f"`{line.name}`",
                f"`{line.arithmetic}`",
                *(text_of(plan_input[line.name], line.unit) for plan_input in values),
            ]
            for line in lines
        )
        parts.append(page.table(heads, rows))
    return "\n".join(parts)


def simulation_table(folder: Path, count: int) -> str:
    """Return bytes a posting of databases of DATABASES documents: entropy, formula, and a slice as written."""
    heads = ["documents", "least", "formula", "simulated", "off by", "with positions: formula", "simulated", "off by"]
    return page.table(heads, _simulated(folder, count))


def _simulated(folder: Path, count: int) -> Iterator[list[str]]:
    for documents in DATABASES:
        shard = shard_of(documents)
        without_positions = sizes.posting_bytes(shard)
        with_positions = without_positions + sizes.position_bytes(shard)
        row = [text_of(documents, ""), f"{sizes.entropy_bytes(shard):.2f}"]
        for formula, positions in ((without_positions, False), (with_positions, True)):
            bytes_a_posting = sizes.simulated(folder / "slice.fpdb", shard, count, positions=positions)
            row += [f"{formula:.3f}", f"{bytes_a_posting:.3f}", f"{100 * (bytes_a_posting / formula - 1):+.1f}%"]
        yield row


def moved_table(moved: Moved, reported: Mapping[str, float]) -> str:
    """Return bytes a posting on Spark: simulated and, if Spark was run, reported by it."""
    names = {
        "table": "written: hashes and positions of a document in a row",
        "by_document": "`build`: a document with its hashes and positions, to meet its number",
        "by_hash": "`build`: a posting, to its hash range",
        "folder": "written by `build`",
        "held": "`pairs`: a hash and its document",
        "counted": "`pairs`: a hash and a count",
        "pair": "`pairs`: two documents and a count, a row",
    }
    rows = (
        [what, f"{getattr(moved, name):.1f}", f"{reported[name]:.1f}" if name in reported else "–"]
        for name, what in names.items()
    )
    return page.table(["bytes a posting on Spark", "simulated", "told by Spark"], rows)


def on_spark(folder: Path, count: int) -> dict[str, float]:
    """Return the bytes a posting that Spark reports to have moved or written. Shuffles are told apart by their rows."""
    from fpdb import spark  # of an extra, and starts Java

    (folder / "events").mkdir()
    settings = {
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.sql.shuffle.partitions": "8",
    }
    recipe = fpdb.Recipe.preset()
    session = spark.session("local[2]", settings)
    texts = [row for row, _ in zip(record_texts(CHARACTERS), range(count), strict=False)]
    documents = session.createDataFrame(texts, "name string, text string").repartition(8)
    table = spark.fingerprints(documents, recipe, folder=folder / "found")
    made = sum(row["n"] for row in table.selectExpr("size(hashes) as n").collect())
    spark.build(table, folder / "built", recipe)
    session.stop()
    written, rows = _shuffles(folder / "events")
    by_hash = [stage for stage in written if rows[stage] > count]
    by_document = [stage for stage in written if rows[stage] == count and written[stage] > 4 * made][1:]
    return {
        "table": _bytes(folder / "found") / made,
        "by_document": sum(written[stage] for stage in by_document) / len(by_document) / made,
        "by_hash": sum(written[stage] for stage in by_hash) / sum(rows[stage] for stage in by_hash),
        "folder": _bytes(folder / "built" / "postings") / made,
    }


def _shuffles(events: Path) -> tuple[dict[int, int], dict[int, int]]:
    """Return the bytes and rows that each stage wrote for a shuffle."""
    written: dict[int, int] = {}
    rows: dict[int, int] = {}
    for path in events.iterdir():
        for text in path.read_text("utf-8").splitlines():
            event = json.loads(text)
            if event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
                stage, metrics = event["Stage ID"], event["Task Metrics"]["Shuffle Write Metrics"]
                written[stage] = written.get(stage, 0) + metrics["Shuffle Bytes Written"]
                rows[stage] = rows.get(stage, 0) + metrics["Shuffle Records Written"]
    return written, rows


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def main() -> None:
    """Measure, print, and write the page if asked to."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--size", type=postings, action="append", default=[], metavar="N", help="one more size, in postings"
    )
    parser.add_argument("--spark", action="store_true", help="also ask Spark, on this machine, what it moves")
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="default: docs/guide/scale.md")
    for assumption in ASSUMED:
        parser.add_argument(
            f"--{assumption.name}", type=float, default=assumption.value, help=f"{assumption.what} (%(default)g)"
        )
    options = parser.parse_args()
    assumed = {assumption.name: getattr(options, assumption.name) for assumption in ASSUMED}
    with workplace() as place, tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        points = [in_child(partial(growth.measured, folder, size))[0] for size in sorted({*SIZES, *options.size})]
        speed, each = growth.fingerprinted(CHARACTERS, TEXTS)
        opened, _ = in_child(growth.opened_at_once, folder)
        longest = shard_of(1, int(assumed["hashes"])).longest
        moved = sizes.moved(Shard(COLLECTIONS[0], int(assumed["hashes"]), longest), PARTITIONS)
        reported = on_spark(folder, SPARKED) if options.spark else {}
        about = ", ".join(f"{what} {value}" for what, value in machine().items())
        measured = f"{about}. Texts of {CHARACTERS:,} characters have {each:.0f} fingerprints each here."
        tables = {
            "growth": f"{measured}\n\n{growth_table(points)}",
            "plan": plan_tables(givens(points[-1], speed, opened, moved, assumed, longest)),
            "sizes": simulation_table(folder, SIMULATED),
            "moved": moved_table(moved, reported),
        }
    for title, table in tables.items():
        print(table, end="\n\n")
        if options.write:
            page.write(title, table, options.page)


if __name__ == "__main__":
    main()
