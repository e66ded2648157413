"""Explaining: why two documents are a pair, or are not: what each has, what both have, and what does not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from fpdb.arrays import F64, U64, contains, sorted_distinct
from fpdb.errors import BadQuery, UnknownKind
from fpdb.fingerprint import Fingerprints, Recipe, Rule, Symbols, find_scheme
from fpdb.pairs.corpus import owner_rule
from fpdb.pairs.counting import PairOptions, cap_of
from fpdb.regions.longest_common import longest_common
from fpdb.search.rarity import weigh
from fpdb.storage import file_format
from fpdb.storage.posting_scan import scan_documents
from fpdb.storage.reader import Reader
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot

LONG: Final = 1 << 22  # symbols of both documents up to which the longest passage is looked for


@dataclass(frozen=True, slots=True)
class Explained:
    """One of the two documents.

    in_database: else it was given as a content. alphabet: in which it is read, None for hashes of the caller's own.
    boilerplate: whether it is boilerplate itself. symbols, kgrams, fingerprints: how many it has. hashes: distinct
    ones; of these ignored_boilerplate and ignored_common do not count, and counted do.
    """

    name: str
    in_database: bool
    kind: str
    alphabet: str | None
    boilerplate: bool
    symbols: int
    kgrams: int
    fingerprints: int
    hashes: int
    ignored_boilerplate: int
    ignored_common: int
    counted: int


@dataclass(frozen=True, slots=True)
class Reason:
    """code: for programs: "similar", "same_content", "same_owner", "boilerplate_document", "other_alphabet",
    "too_short", "no_fingerprint", "all_boilerplate", "all_common", "shared_boilerplate", "shared_common",
    "nothing_shared", "below_min", "below_min_shared". text: a sentence."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why two documents are a pair, or are not.

    similar: whether they are. shared: hashes that both have and that count; shared_boilerplate, shared_common: those
    that do not. containment_a: how much of a is in b. by, measure, min: the measure asked for, its value, and the least
    that was asked. max_df: documents that make a hash common, 0 for none. k: symbols of a k-gram; surely_found: of a
    passage that is found wherever it is, None where the scheme has no such length, or the documents no k. longest: the
    longest passage that both have, in symbols, None where that cannot be told. reasons: the decisive ones first.
    """

    similar: bool
    a: Explained
    b: Explained
    shared: int
    shared_boilerplate: int
    shared_common: int
    containment_a: float
    containment_b: float
    resemblance: float
    by: str
    measure: float
    min: float
    max_df: int
    k: int | None
    surely_found: int | None
    longest: int | None
    reasons: tuple[Reason, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, as `fpdb explain --format json` prints them."""
        return asdict(self) | {"reasons": [asdict(reason) for reason in self.reasons]}


class Side(NamedTuple):
    """A document as it is compared. hashes: all of its, sorted and distinct. record, number: None where it is not in
    the database. symbols: of its original, where that can be had."""

    name: str
    kind: str
    hashes: U64
    sizes: tuple[int, int, int]
    share: int
    digest: bytes
    number: int | None
    record: Record | None
    symbols: Symbols | None

    @property
    def boilerplate(self) -> bool:
        """Whether it is boilerplate itself."""
        return self.number is not None and self.number >= file_format.FIRST_BOILERPLATE


def stored_side(view: Snapshot, number: int, symbols: Symbols | None) -> Side:
    """A document of the database, by the hashes it has there. Reads the run that it is in. Raises Corrupt."""
    record = view.catalogue.record(number)
    share = int(view.catalogue.sizes(np.array([number], np.uint32))["share"][0])
    sizes = record.symbols, record.kgrams, record.fingerprints
    name = record.name.decode("utf-8", "surrogateescape")
    hashes = sorted_distinct(next(scan_documents(view, np.array([number], np.uint32)))[1])
    return Side(name, record.kind, hashes, sizes, share, record.digest, number, record, symbols)


def given_side(name: str, found: Fingerprints, digest: bytes) -> Side:
    """A document that is not in the database."""
    sizes = found.symbols, found.kgrams, len(found.hashes)
    hashes = sorted_distinct(found.hashes)
    return Side(name, found.kind, hashes, sizes, found.share, digest, None, None, found.source)


def explain(view: Reader, recipe: Recipe, a: Side, b: Side, options: PairOptions) -> Explanation:
    """Why the two are a pair that passes, or are not. Raises Corrupt, BadQuery."""
    if a.number is not None and a.number == b.number:
        raise BadQuery("a document is compared with another one, not with itself")
    boilerplate = view.boilerplate()
    cap = cap_of(options.max_df, view.document_count)
    every = np.union1d(a.hashes, b.hashes)
    discarded = contains(boilerplate, every)
    common = np.zeros(len(every), np.bool_)
    if cap:
        common = view.look_up(every, cap=cap).capped & ~discarded
    counts = ~(discarded | common)
    in_a, in_b = contains(a.hashes, every), contains(b.hashes, every)
    both = in_a & in_b
    values = np.ones(len(every))
    if options.weighted:
        values = _weights(view, every, a, b)
    plain, weighted = (
        _measures([float(each[part & counts].sum()) for part in (both, in_a, in_b)], (a.share, b.share))
        for each in (np.ones(len(every)), values)
    )
    shared = int((both & counts).sum())
    measure = float(shared) if options.by == "shared" else _score(options.by, *weighted)
    alphabets = [_alphabet(recipe, side.kind) for side in (a, b)]
    sides = [
        Explained(
            side.name,
            side.number is not None,
            side.kind,
            None if alphabet is None else alphabet[0],
            side.boilerplate,
            *side.sizes,
            len(side.hashes),
            *(int((held & which).sum()) for which in (discarded, common, counts)),
        )
        for side, alphabet, held in zip((a, b), alphabets, (in_a, in_b), strict=True)
    ]
    rule = alphabets[0][1] if alphabets[0] is not None and alphabets[0] == alphabets[1] else None
    least = float(options.min or 0)
    partial = Explanation(
        similar=False,
        a=sides[0],
        b=sides[1],
        shared=shared,
        shared_boilerplate=int((both & discarded).sum()),
        shared_common=int((both & common).sum()),
        containment_a=plain[0],
        containment_b=plain[1],
        resemblance=plain[2],
        by=options.by,
        measure=measure,
        min=least,
        max_df=cap,
        k=None if rule is None else rule.k,
        surely_found=None if rule is None else _guarantee(rule),
        longest=None if rule is None else _longest(a, b),
        reasons=(),
    )
    reasons = list(_reasons(partial, a, b, options))
    similar = not any(reason.code not in ADDITIONAL for reason in reasons)
    if similar:
        text = f"They are a pair: they share {_count(shared)}, and their {_words(options.by)} is {_figure(measure)}."
        reasons.insert(0, Reason("similar", text))
    return replace(partial, similar=similar, reasons=tuple(reasons))


ADDITIONAL: Final = ("same_content", "shared_boilerplate", "shared_common")
"""Reasons that alone keep no two documents apart."""


def _reasons(found: Explanation, a: Side, b: Side, options: PairOptions) -> Iterator[Reason]:
    one_each = (found.a, found.b)
    if a.digest == b.digest:
        yield Reason("same_content", "Both have the same content, byte for byte.")
    for side in one_each:
        if side.boilerplate:
            yield Reason("boilerplate_document", f"{side.name} is boilerplate, and is compared with nothing.")
    if found.a.alphabet != found.b.alphabet:
        alphabets = " and the other in ".join(_alphabet_text(side.alphabet) for side in one_each)
        yield Reason("other_alphabet", f"They are not comparable: one is read in {alphabets}.")
    if a.record is not None and b.record is not None:
        owner = owner_rule(options.owners)
        if owner(a.record) is not None and owner(a.record) == owner(b.record):
            yield Reason("same_owner", f"Both are of one owner ({options.owners}), and are not paired.")
    for side in one_each:
        yield from _own_reasons(side, found)
    if found.shared_boilerplate:
        yield Reason("shared_boilerplate", f"{_count(found.shared_boilerplate)} that both have are boilerplate.")
    if found.shared_common:
        yield Reason(
            "shared_common",
            f"{_count(found.shared_common)} that both have are common: {found.max_df:,} documents or more hold each.",
        )
    if not found.shared:
        if found.a.counted and found.b.counted:
            yield Reason("nothing_shared", " ".join(_nothing(found)))
    elif found.shared < options.min_shared:
        text = f"They share {_count(found.shared)}, fewer than {options.min_shared:,}."
        yield Reason("below_min_shared", text)
    elif found.measure < found.min:
        text = f"Their {_words(found.by)} is {_figure(found.measure)}, less than {_figure(found.min)}."
        yield Reason("below_min", text)


def _own_reasons(side: Explained, found: Explanation) -> Iterator[Reason]:
    if not side.hashes and not side.kgrams:
        needed = "a k-gram" if found.k is None else f"the {found.k} of a k-gram"
        text = f"{side.name} is too short: it has {side.symbols:,} symbols, fewer than {needed}, and so no fingerprint."
        yield Reason("too_short", text)
    elif not side.hashes:
        yield Reason("no_fingerprint", f"{side.name} has no fingerprint: none of its k-grams is selected.")
    elif side.boilerplate or side.counted:
        return
    elif side.ignored_common:
        yield Reason("all_common", f"All fingerprints of {side.name} are common or boilerplate, and do not count.")
    else:
        yield Reason("all_boilerplate", f"All fingerprints of {side.name} are boilerplate, and do not count.")


def _nothing(found: Explanation) -> Iterator[str]:
    ignored = found.shared_boilerplate + found.shared_common
    yield "Nothing that both have counts." if ignored else "They share no fingerprint."
    if found.longest is not None:
        yield f"The longest passage that both have is of {found.longest:,} symbols."
    if found.surely_found is not None:
        yield f"Every shared passage of {found.surely_found:,} symbols is found, and none of fewer than {found.k}."
    elif found.k is not None:
        yield f"No shared passage of fewer than {found.k} symbols is found."


def _alphabet(recipe: Recipe, kind: str) -> tuple[str, Rule] | None:
    try:
        return recipe.rule_for(kind)
    except UnknownKind:
        return None


def _guarantee(rule: Rule) -> int | None:
    """The length of passages that a scheme with a window surely finds: of w k-grams in a row it selects one."""
    window = find_scheme(rule.scheme).window
    return None if window is None else rule.k + int(rule.parameters[window]) - 1


def _longest(a: Side, b: Side) -> int | None:
    if a.symbols is None or b.symbols is None or len(a.symbols) + len(b.symbols) > LONG:
        return None
    return longest_common(a.symbols.values, b.symbols.values)


def _measures(sums: Sequence[float], shares: tuple[int, int]) -> tuple[float, float, float]:
    """Containments and resemblance, within what both are samples of, as `Comparison.measures` has them."""
    both, common = sums[0], min(shares) + 1
    of_a, of_b = (max(of * (common / (share + 1)), both) for of, share in zip(sums[1:], shares, strict=True))
    return _share(both, of_a), _share(both, of_b), _share(both, of_a + of_b - both)


def _score(by: str, of_a: float, of_b: float, of_both: float) -> float:
    return of_both if by.endswith("resemblance") else max(of_a, of_b)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _weights(view: Reader, hashes: U64, a: Side, b: Side) -> F64:
    """What each hash weighs where documents that are not in the database count as if they were."""
    frequencies = view.look_up(hashes).counts
    documents = view.document_count
    for side in (a, b):
        if side.number is None:
            frequencies = frequencies + contains(side.hashes, hashes)
            documents += 1
    return weigh(frequencies, documents)


def _alphabet_text(alphabet: str | None) -> str:
    return "hashes of one's own" if alphabet is None else alphabet


def _count(number: int) -> str:
    return f"{number:,} fingerprint{'' if number == 1 else 's'}"


def _words(measure: str) -> str:
    return "number of shared fingerprints" if measure == "shared" else measure.replace("_", " ")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value > 1 else f"{value:.3f}"
