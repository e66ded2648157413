"""Compute what a collection takes, line by line. The arithmetic of a line is both shown and evaluated."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any, NamedTuple


class PlanInput(NamedTuple):
    """An input of a plan. why: its origin."""

    name: str
    what: str
    value: float
    unit: str
    why: str


class PlanLine(NamedTuple):
    """A result of a plan. arithmetic: an expression of names above it."""

    name: str
    what: str
    arithmetic: str
    unit: str


SHUFFLED = "waste * max({0} / (machines * network), 2 * {0} / (machines * disk), {1} / (sorting * machines * cores))"

PLAN: Mapping[str, tuple[PlanLine, ...]] = {
    "The collection": (
        PlanLine("postings", "postings", "documents * hashes", ""),
        PlanLine("all_text", "text", "documents * text", "bytes"),
        PlanLine("chance", "pairs of postings equal by chance", "postings ** 2 / 2 / 2 ** 64", ""),
        PlanLine("chance38", "postings a hash by chance, were hashes 38 bits", "postings / 2 ** 38", ""),
    ),
    "Fingerprints on Spark": (
        PlanLine("all_table", "table of fingerprints", "postings * table", "bytes"),
        PlanLine("reading", "to read texts and write it", "waste * (all_text + all_table) / (machines * disk)", "s"),
        PlanLine("working", "to fingerprint", "waste * all_text / (fingerprinting * machines * cores)", "s"),
    ),
    "Pairs on Spark": (
        PlanLine("counting", "shuffle that counts documents a hash", "postings * counted", "bytes"),
        PlanLine("joining", "shuffle that joins by hash", "postings * held", "bytes"),
        PlanLine("pair_rows", "rows of pairs that meet, at most", "documents * partners * overlap", ""),
        PlanLine("pairing", "shuffle that adds them up", "pair_rows * pair", "bytes"),
        PlanLine("pairs_moved", "all three", "counting + joining + pairing", "bytes"),
        PlanLine("spilled", "local disk for shuffle files, a machine", "pairs_moved / machines", "bytes"),
        PlanLine("pairs_time", "to find them", SHUFFLED.format("pairs_moved", "(2 * postings + pair_rows)"), "s"),
    ),
    "Build on Spark": (
        PlanLine("by_id", "documents joined with their numbers", "postings * by_document", "bytes"),
        PlanLine("by_range", "postings by hash range", "postings * by_hash", "bytes"),
        PlanLine("build_moved", "both", "by_id + by_range", "bytes"),
        PlanLine("all_folders", "folders to be adopted", "postings * folder", "bytes"),
        PlanLine("build_time", "to build", SHUFFLED.format("build_moved", "postings"), "s"),
    ),
    "Databases": (
        PlanLine("least_by_id", "databases, at least, by ids of 31 bits", "ceil(documents / 2 ** 31)", ""),
        PlanLine("all_files", "files", "documents * (hashes * (stored + placed) + described)", "bytes"),
        PlanLine("least_by_map", "databases, at least, by the map of 1 TiB", "ceil(all_files / 2 ** 40)", ""),
        PlanLine("shards", "databases planned", "ceil(documents / shard)", ""),
        PlanLine("one_file", "a file", "all_files / shards", "bytes"),
        PlanLine("processes", "processes, at least, that have all of them open", "ceil(shards / opened)", ""),
        PlanLine("adopting", "to adopt a database", "shard * hashes / merged", "s"),
        PlanLine("rounds", "databases for each machine", "ceil(shards / machines)", ""),
        PlanLine("adopt_time", "to adopt all of them, one at a time a machine", "waste * rounds * adopting", "s"),
    ),
    "Questions to all of them, in one process": (
        PlanLine("fences", "memory for fences", "10 * postings / block", "bytes"),
        PlanLine("sizes", "sizes of documents, in the files", "12 * documents", "bytes"),
        PlanLine("blocks", "blocks read for 1,000 hashes, at most", "1000 * shards", ""),
        PlanLine("cold", "from disk, one after the other", "blocks * latency", "s"),
        PlanLine("warm", "from memory", "shards * query", "s"),
    ),
    "In all": (
        PlanLine("spark_time", "Spark, start to end", "reading + working + pairs_time + build_time", "s"),
        PlanLine("machine_hours", "machine hours, with adopting", "machines * (spark_time + adopt_time) / 3600", ""),
        PlanLine("alone_pairs", "one machine: memory to find pairs", "400 * documents + 2 ** 30", "bytes"),
        PlanLine("alone_working", "one machine: to fingerprint, all cores", "all_text / (fingerprinting * cores)", "s"),
        PlanLine("alone_loading", "one machine: to add, 4 databases at a time", "postings / (4 * loaded)", "s"),
    ),
}


def computed(given: Mapping[str, float]) -> dict[str, float]:
    """Return all numbers of PLAN by name, the inputs included.

    The page shows the very text that is evaluated, so the two cannot differ.
    """
    values: dict[str, Any] = dict(given)
    for line in lines():
        # What is evaluated is written in PLAN; what users give are values of its variables, and never a part of it.
        values[line.name] = eval(line.arithmetic, {"ceil": ceil, "max": max}, values)  # noqa: S307 (text of PLAN, no input)
    return values


def lines() -> Iterator[PlanLine]:
    """Yield all lines of PLAN."""
    for part in PLAN.values():
        yield from part


def text_of(value: float, unit: str) -> str:
    """Format a value with three digits and a unit that suits it: bytes in TB, seconds in hours."""
    if unit == "bytes":
        return _scaled(value, (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("bytes", 1)))
    if unit == "s":
        return _scaled(value, (("h", 3600), ("min", 60), ("s", 1), ("ms", 1e-3)))
    if value >= 1e6:
        mantissa, _, power = f"{value:.2e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"


def _scaled(value: float, units: tuple[tuple[str, float], ...]) -> str:
    for unit, size in units:
        if value >= size or unit == units[-1][0]:
            number = value / size
            return f"{number:,.0f} {unit}" if number >= 100 else f"{number:.3g} {unit}"
    raise AssertionError(units)
