"""Programs as files, all against all: fpdb's preset code, and copydetect, which is winnowing over tokens as well."""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import fpdb
from bench.corpora import copy_installation
from fpdb.fingerprint import Recipe

SIMILAR = 0.5  # containment, of the smaller file in the larger one, from which a pair counts as found
COPIES = 5  # one in so many files is copied
LARGEST = 60_000  # bytes
COPY = "copy of "
NOISE, GUARANTEE = 25, 30  # copydetect's defaults: characters of a k-gram, and of a passage that is surely found

Pairs = set[frozenset[str]]


def write_programs(folder: Path, count: int) -> tuple[int, Pairs]:
    """Write `count` modules of Python's library, and for some of them the first half again under another name.

    Returns:
        The bytes of all files, and the pairs that are copies: paths within the folder.
    """
    copy_installation(folder, 1, {".py"})
    programs = sorted(path for path in folder.rglob("*.py"))
    fit = [path for path in programs if 2000 < path.stat().st_size < LARGEST]
    kept = fit[:: max(len(fit) // count, 1)][:count]
    for path in set(programs) - set(kept):
        path.unlink()
    copies = set()
    for path in kept[::COPIES]:
        lines = path.read_bytes().splitlines(keepends=True)
        copy = path.with_name(COPY + path.name)
        copy.write_bytes(b"".join(lines[: len(lines) // 2]))
        copies.add(frozenset(str(one.relative_to(folder)) for one in (path, copy)))
    return sum(path.stat().st_size for path in folder.rglob("*.py")), copies


def with_fpdb(folder: Path) -> Pairs:
    """Return all similar pairs, found through a new database in one process."""
    with fpdb.open(folder.with_suffix(".fpdb"), "x", recipe=Recipe.preset("code")) as db:
        with db.batch() as batch:
            for path in folder.rglob("*.py"):
                batch.add(str(path.relative_to(folder)), path.read_bytes(), kind="code", keep_text=True)
        return {frozenset((pair.a, pair.b)) for pair in db.pairs(min=SIMILAR)}


def with_copydetect(folder: Path) -> Pairs:
    """Return all similar pairs, found in memory with copydetect's own thresholds."""
    from copydetect import CopyDetector

    detector = CopyDetector(test_dirs=[str(folder)], ref_dirs=[str(folder)], extensions=["py"], silent=True)
    detector.run()
    names = [str(Path(path).relative_to(folder)) for path in detector.test_files]
    others = [str(Path(path).relative_to(folder)) for path in detector.ref_files]
    rows, columns = (detector.similarity_matrix.max(axis=2) >= SIMILAR).nonzero()
    return {frozenset((names[row], others[column])) for row, column in zip(rows, columns, strict=True)}


def scores_of_copydetect(
    programs: Mapping[str, bytes], wanted: Iterable[frozenset[str]]
) -> dict[frozenset[str], float]:
    """Return the larger of both overlaps of each wanted pair of programs, by copydetect's own parameters."""
    from copydetect import CodeFingerprint, compare_files

    window = GUARANTEE - NOISE + 1
    with tempfile.TemporaryDirectory() as folder:
        fingerprints = {}
        for number, (name, content) in enumerate(programs.items()):
            path = Path(folder, f"{number}{Path(name).suffix}")
            path.write_bytes(content)
            fingerprints[name] = CodeFingerprint(str(path), NOISE, window, encoding="latin-1")
    scores = {}
    for pair in wanted:
        if pair <= fingerprints.keys():
            a, b = pair
            scores[pair] = float(max(compare_files(fingerprints[a], fingerprints[b])[1]))
    return scores
