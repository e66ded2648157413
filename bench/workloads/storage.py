"""Workloads that measure the size of the file and the memory that work on it takes."""

from collections.abc import Callable, Iterator, Mapping
from math import lgamma, log, log2
from pathlib import Path

import fpdb
from bench import corpora
from bench.corpora import COMMON, DOCUMENT, FAMILY, WINDOW, kept_by, name_of
from bench.measuring import Figure, in_child
from bench.papers.million import fill
from bench.workspace import Workspace
from fpdb.arrays import U64
from fpdb.fingerprint import Recipe


def storage(workspace: Workspace) -> Iterator[Figure]:
    """Measure bytes of the whole compacted file a posting: random documents, and families of near-duplicates.

    Target: 7 without positions, 9 with, for the families; random documents cannot reach 7. Limit: the entropy, log2 of
    the number of sets of such (hash, document) pairs; with positions, also of the gaps between them and of which hash
    stands where: see docs/design/performance.md. Names and records are additional bytes.
    """
    for corpus, bound, targets in (
        ("random", random_entropy(workspace.documents), (None, None)),
        ("families", families_entropy(workspace.documents), (7, 9)),
    ):
        hashes = DOCUMENT + (COMMON if corpus == "families" else 0)
        for places, target in zip((False, True), targets, strict=True):
            what = f"{corpus}, with positions" if places else corpus
            limit = bound + placing(hashes) if places else bound
            size = workspace.stored(corpus, positions=places).bytes_a_posting
            yield Figure(what, size, "bytes", target=target)
            yield Figure(f"{what}, entropy", limit / 8, "bytes")
            yield Figure(f"{what}, in the entropy", size / (limit / 8), "")


def random_entropy(documents: int, hashes: int = DOCUMENT, width: int = 64) -> float:
    """Return bits a posting of a set of random (hash, document) pairs: log2 of (2^width documents) choose postings."""
    postings = documents * hashes
    return width + log2(documents) - _log2_factorial(postings) / postings


def families_entropy(documents: int) -> float:
    """Return bits a posting of the families corpus, where the documents of each hash may be any set of their number.

    log2 of: 2^64 choose the distinct hashes; times the ways to assign the document frequencies to them; times, for each
    hash, documents choose its frequency.
    """
    groups = documents / FAMILY
    frequencies = {documents: float(COMMON)}  # by document frequency: how many hashes have it
    for place in range(DOCUMENT):
        holders = sum(kept_by(member) > place for member in range(FAMILY))
        frequencies[holders] = frequencies.get(holders, 0) + groups
    frequencies[1] += groups * sum(DOCUMENT - kept_by(member) for member in range(FAMILY))
    distinct = sum(frequencies.values())
    bits = 64 * distinct - _log2_factorial(distinct)
    bits += _log2_factorial(distinct) - sum(map(_log2_factorial, frequencies.values()))
    bits += sum(count * _log2_choose(documents, frequency) for frequency, count in frequencies.items())
    return bits / (documents * (DOCUMENT + COMMON))


def placing(hashes: int) -> float:
    """Return bits a posting of random positions: gaps of 1 to WINDOW, and the order of a document's hashes."""
    return log2(WINDOW) + _log2_factorial(hashes) / hashes


def _log2_factorial(number: float) -> float:
    return lgamma(number + 1) / log(2)


def _log2_choose(number: float, chosen: float) -> float:
    return _log2_factorial(number) - _log2_factorial(chosen) - _log2_factorial(number - chosen)


def memory(workspace: Workspace) -> Iterator[Figure]:
    """Measure the peak memory of processes that do one thing each to the compacted database, file pages included.

    Target: 1.5 GB, for each. Limit: a process that opens the database and does nothing.
    """
    path = workspace.copy(workspace.stored(), "memory.fpdb")
    peaks = {work: in_child(_use, path, work, workspace.documents)[1] / 1e9 for work in ("open", *USES)}
    for work in USES:
        yield Figure(work, peaks[work], "GB", target=1.5)
    yield Figure("open", peaks["open"], "GB")
    yield Figure("the most, in that", max(peaks.values()) / peaks["open"], "")


def _query(db: fpdb.Database, _documents: int) -> None:
    for _ in range(10):
        db.query_fingerprints(_new_hashes())


def _add_one(db: fpdb.Database, _documents: int) -> None:
    db.add_fingerprints("one", _new_hashes())


def _remove(db: fpdb.Database, documents: int) -> None:
    with db.batch() as batch:
        for number in range(max(documents // 100, 1)):
            batch.remove(name_of(number))


def _add(db: fpdb.Database, documents: int) -> None:
    with db.batch() as batch:
        for new in corpora.random(max(documents // 100, 1), seed=22):
            for row, hashes in enumerate(new.hashes):
                batch.add_fingerprints(f"new {new.first + row}", hashes)


def _list(db: fpdb.Database, _documents: int) -> None:
    for _ in db.documents():
        pass


def _check(db: fpdb.Database, _documents: int) -> None:
    assert db.check() == []


def _compact(db: fpdb.Database, _documents: int) -> None:
    db.compact()


def _new_hashes() -> U64:
    (new,) = corpora.random(1, seed=21)
    hashes: U64 = new.hashes[0]
    return hashes


USES: Mapping[str, Callable[[fpdb.Database, int], None]] = {
    "query": _query,
    "add one": _add_one,
    "remove 1%": _remove,
    "add 1%": _add,
    "list": _list,
    "check": _check,
    "compact": _compact,
}


def _use(path: Path, work: str, documents: int) -> None:
    with fpdb.open(path) as db:
        if work in USES:
            USES[work](db, documents)


def koala(workspace: Workspace) -> Iterator[Figure]:
    """Measure bytes a document of the compacted file under the preset koala: 100 hashes of 38 bits, and a name.

    Names look like URLs. A tenth of the documents have source and contact, too; see `python -m bench.papers.million`.
    Target: 500 for a million documents, which are 100 million postings, everything counted but source and contact.
    Limit: the entropy of the hashes; the made-up digits of a name are additional.
    """
    recipe = Recipe.preset("koala")
    hashes = int(recipe.rules["consonants"].parameters["stored"])
    plain = fill(workspace.folder / "koala.fpdb", workspace.documents, bits=recipe.hash_bits, described=False)
    told = fill(
        workspace.folder / "koala-told.fpdb", max(workspace.documents // 10, 1), bits=recipe.hash_bits, described=True
    )
    bound = random_entropy(workspace.documents, hashes, recipe.hash_bits) * hashes / 8
    yield Figure("bytes a document", plain.bytes, "bytes", target=500)
    yield Figure("before compacting", plain.loaded / plain.documents, "bytes")
    yield Figure("with source and contact, a tenth of the documents", told.bytes, "bytes")
    yield Figure("entropy of the hashes", bound, "bytes")
    yield Figure("in that entropy", plain.bytes / bound, "")
    yield Figure("documents loaded in a second", plain.documents / plain.seconds[0], "1/s")
