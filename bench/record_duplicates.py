"""Remove near-duplicates from records, from a file of JSON Lines to a file without them, by fpdb, rensa and datasketch.

The peers estimate the resemblance of the sets of words in memory, as their documentation shows it; nothing is kept.
fpdb counts fingerprints, with a temporary database.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench.corpora import record_texts
from bench.measuring import Figure, median, ratios, run, seconds

RECORDS = 100_000
SIZE = 620  # characters of a text
EVERY = 10  # one in so many records is copied, and another one copied with an altered ending
COPY, ALTERED = "copy", "altered"
ROUNDS = 5
THRESHOLD, PERMUTATIONS, BATCH = 0.5, 128, 10_000
FPDB, RENSA, DATASKETCH = "fpdb", "rensa", "datasketch"


def write_input(path: Path, count: int) -> int:
    """Write `count` records, a copy behind one of each ten and an altered one behind another; return the bytes."""
    with path.open("w", encoding="utf-8") as file:
        for number, (_, text) in zip(range(count), record_texts(SIZE), strict=False):
            file.write(_line(number, "own", text))
            if number % EVERY == 0:
                file.write(_line(number, COPY, text))
            if number % EVERY == 1:
                file.write(_line(number, ALTERED, f"{text[: -SIZE // 10]} and so on"))
    return path.stat().st_size


def _line(number: int, sort: str, text: str) -> str:
    return json.dumps({"id": f"{number:07} {sort}", "text": text}, ensure_ascii=False) + "\n"


def count_sorts(path: Path) -> dict[str, int]:
    """Return how many records of each sort a file has."""
    with path.open(encoding="utf-8") as file:
        sorts = [json.loads(line)["id"].split()[1] for line in file]
    return {sort: sorts.count(sort) for sort in (COPY, ALTERED, "own")}


def keep_by_rensa(texts: Iterable[list[str]]) -> Iterator[bool]:
    """Yield which texts stay, by MinHash and LSH of rensa."""
    from rensa import RMinHashDeduplicator

    deduplicator = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=PERMUTATIONS, use_lsh=True)
    for first, batch in enumerate(texts):
        yield from deduplicator.add_pairs((f"{first}/{number}", text.split()) for number, text in enumerate(batch))


def keep_by_datasketch(texts: Iterable[list[str]]) -> Iterator[bool]:
    """Yield which texts stay, by MinHash and LSH of datasketch."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    for first, batch in enumerate(texts):
        for number, text in enumerate(batch):
            sketch = MinHash(num_perm=PERMUTATIONS)
            sketch.update_batch([word.encode() for word in set(text.split())])
            stays = not index.query(sketch)
            if stays:
                index.insert(f"{first}/{number}", sketch, check_duplication=False)
            yield stays


PEERS: Mapping[str, Callable[[Iterable[list[str]]], Iterator[bool]]] = {
    RENSA: keep_by_rensa,
    DATASKETCH: keep_by_datasketch,
}


def write_kept(name: str, source: Path, target: Path) -> None:
    """Write the lines that stay by a peer of this name."""
    with (
        source.open(encoding="utf-8") as lines,
        source.open(encoding="utf-8") as again,
        target.open("w", encoding="utf-8") as kept,
    ):
        stays = PEERS[name](_batches(lines))
        kept.writelines(line for line, stay in zip(again, stays, strict=True) if stay)


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for line in lines:
        batch.append(json.loads(line)["text"])
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def record_duplicates(folder: Path, names: Sequence[str], *, quick: bool) -> Iterator[tuple[str, Figure]]:
    """Measure each program in turns, as a process; yield names and figures."""
    source, count = folder / "records.jsonl", RECORDS // 20 if quick else RECORDS
    size = write_input(source, count)
    there = count_sorts(source)
    ways = [name for name in (FPDB, *PEERS) if name in names]
    targets = {name: folder / f"{name}.jsonl" for name in ways}
    elapsed: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(1 if quick else ROUNDS):
        for name in ways:
            targets[name].unlink(missing_ok=True)
            elapsed[name].append(seconds(partial(_run, name, source, targets[name])))
    for name in ways:
        kept = count_sorts(targets[name])
        yield name, median("records: from the file to what stays", elapsed[name], "s")
        yield name, Figure("records: input", size / 1e6, "MB")
        for sort, words in ((COPY, "copies"), (ALTERED, "altered copies"), ("own", "other records")):
            target = {"target": 100, "better": "more"} if name == FPDB and sort == COPY else {}
            yield name, Figure(f"records: {words} dropped", 100 * (1 - kept[sort] / there[sort]), "%", **target)
    if FPDB in ways and RENSA in ways:
        times = ratios(elapsed[FPDB], elapsed[RENSA])
        yield FPDB, median("records: of the time of rensa", times, "", target=1)


def _run(name: str, source: Path, target: Path) -> None:
    own = ("fpdb", "dedup", str(source), "--output", str(target))
    command = own if name == FPDB else ("bench.record_duplicates", name, str(source), str(target))
    run(sys.executable, "-m", *command, cwd=source.parent)


if __name__ == "__main__":
    write_kept(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
