"""Explanations of why two documents are a pair or are not, and the sentences that give the reasons."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from fpdb.pairs.evidence import Evidence
from fpdb.pairs.options import PairOptions


@dataclass(frozen=True, slots=True)
class ExplainedDocument:
    """One of the two documents.

    Attributes:
        name: Its name.
        in_database: False if its content was given.
        kind: Its kind.
        alphabet: The alphabet in which it is read; None for hashes of the caller's own.
        boilerplate: True if it is boilerplate itself.
        symbols, kgrams, fingerprints: How many it has.
        hashes: The number of its distinct hashes.
        ignored_boilerplate, ignored_common: Those of them that do not count.
        counted: Those of them that count.
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
    """A reason for a result.

    Attributes:
        code: For programs: "similar", "same_content", "same_owner", "boilerplate_document", "other_alphabet",
            "too_short", "no_fingerprint", "all_boilerplate", "all_common", "shared_boilerplate", "shared_common",
            "nothing_shared", "below_min", "below_min_shared", "by_texts", "few_fingerprints".
        text: A sentence.
    """

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reasons why two documents are a pair, or are not.

    Attributes:
        similar: True if they are a pair.
        a, b: The documents.
        shared: The shared hashes that count.
        shared_boilerplate, shared_common: The shared hashes that do not count.
        containment_a, containment_b: How much of a is in b, and of b in a.
        resemblance: How much of both together they share.
        by, measure, min: The measure asked for, its value, and its least value asked for.
        max_df: The number of documents that make a hash common; 0 for none.
        k: The symbols of a k-gram; None if the documents are not read alike.
        surely_found: The length of a passage that is found wherever it is; None if the scheme has no such length.
        longest: The length of the longest common passage, in symbols; None if it cannot be told.
        evidence: What tells the measures, see `pairs.evidence.Evidence`.
        reasons: The decisive ones first.
    """

    similar: bool
    a: ExplainedDocument
    b: ExplainedDocument
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
    evidence: Evidence
    reasons: tuple[Reason, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts and lists, as `fpdb explain --format json` prints them."""
        return asdict(self) | {"reasons": [asdict(reason) for reason in self.reasons]}


ADDITIONAL: Final = ("same_content", "shared_boilerplate", "shared_common", "by_texts", "few_fingerprints")
"""Reasons that alone keep no two documents apart."""


def find_reasons(facts: Explanation, options: PairOptions, *, same_content: bool, same_owner: bool) -> list[Reason]:
    """Return the reasons that follow from the other fields of an explanation; "similar" first, if they are a pair."""
    reasons = [
        *_document_reasons(facts, options, same_content=same_content, same_owner=same_owner),
        *_shared_reasons(facts, options),
        *_reasons_of_certainty(facts, options),
    ]
    if all(reason.code in ADDITIONAL for reason in reasons):
        measure = f"their {_measure_words(facts.by)} is {_figure(facts.measure)}"
        reasons.insert(0, Reason("similar", f"They are a pair: they share {_count(facts.shared)}, and {measure}."))
    return reasons


def _document_reasons(
    facts: Explanation, options: PairOptions, *, same_content: bool, same_owner: bool
) -> Iterator[Reason]:
    documents = facts.a, facts.b
    if same_content:
        yield Reason("same_content", "Both have the same content, byte for byte.")
    for document in documents:
        if document.boilerplate:
            yield Reason("boilerplate_document", f"{document.name} is boilerplate, and is compared with nothing.")
    if facts.a.alphabet != facts.b.alphabet:
        alphabets = " and the other in ".join(document.alphabet or "hashes of one's own" for document in documents)
        yield Reason("other_alphabet", f"They are not comparable: one is read in {alphabets}.")
    if same_owner:
        yield Reason("same_owner", f"Both are of one owner ({options.owners}), and are not paired.")
    if _share_content_only(facts, options):
        return
    for document in documents:
        yield from _reasons_of(document, facts.k)


def _share_content_only(facts: Explanation, options: PairOptions) -> bool:
    """Return True if both have the same content, but no hash of it: one shared hash is counted for it."""
    nothing = not facts.a.hashes and not facts.b.hashes
    return facts.evidence == "content" and nothing and options.min_shared == 1


def _reasons_of_certainty(facts: Explanation, options: PairOptions) -> Iterator[Reason]:
    if not facts.shared:
        return
    if facts.evidence == "texts":
        text = f"Of fewer than {options.few} fingerprints, little is certain: all of both texts was compared."
        yield Reason("by_texts", text)
    elif facts.evidence == "few":
        text = (
            f"Of fewer than {options.few} fingerprints, little is certain: they count as if there were {options.few}."
        )
        yield Reason("few_fingerprints", text)


def _reasons_of(document: ExplainedDocument, k: int | None) -> Iterator[Reason]:
    name = document.name
    if not document.hashes and not document.kgrams:
        needed = "a k-gram" if k is None else f"the {k} of a k-gram"
        text = f"{name} is too short: it has {document.symbols:,} symbols, fewer than {needed}, and so no fingerprint."
        yield Reason("too_short", text)
    elif not document.hashes:
        yield Reason("no_fingerprint", f"{name} has no fingerprint: none of its k-grams is selected.")
    elif document.boilerplate or document.counted:
        return
    elif document.ignored_common:
        yield Reason("all_common", f"All fingerprints of {name} are common or boilerplate, and do not count.")
    else:
        yield Reason("all_boilerplate", f"All fingerprints of {name} are boilerplate, and do not count.")


def _shared_reasons(facts: Explanation, options: PairOptions) -> Iterator[Reason]:
    if facts.shared_boilerplate:
        yield Reason("shared_boilerplate", f"{_count(facts.shared_boilerplate)} that both have are boilerplate.")
    if facts.shared_common:
        many = f"{facts.max_df:,} documents or more hold each"
        yield Reason("shared_common", f"{_count(facts.shared_common)} that both have are common: {many}.")
    if not facts.shared and not _share_content_only(facts, options):
        if facts.a.counted and facts.b.counted:
            yield Reason("nothing_shared", " ".join(_nothing_shared(facts)))
    elif 0 < facts.shared < options.min_shared:
        text = f"They share {_count(facts.shared)}, fewer than {options.min_shared:,}."
        yield Reason("below_min_shared", text)
    elif facts.measure < facts.min:
        text = f"Their {_measure_words(facts.by)} is {_figure(facts.measure)}, less than {_figure(facts.min)}."
        yield Reason("below_min", text)


def _nothing_shared(facts: Explanation) -> Iterator[str]:
    ignored = facts.shared_boilerplate + facts.shared_common
    yield "Nothing that both have counts." if ignored else "They share no fingerprint."
    if facts.longest is not None:
        yield f"The longest passage that both have is of {facts.longest:,} symbols."
    if facts.surely_found is not None:
        yield f"Every shared passage of {facts.surely_found:,} symbols is found, and none of fewer than {facts.k}."
    elif facts.k is not None:
        yield f"No shared passage of fewer than {facts.k} symbols is found."


def _count(number: int) -> str:
    return f"{number:,} fingerprint{'' if number == 1 else 's'}"


def _measure_words(measure: str) -> str:
    return "number of shared fingerprints" if measure == "shared" else measure.replace("_", " ")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value > 1 else f"{value:.3f}"
