"""Explain why two documents are a pair or are not: what each has, what both have, and what does not count."""

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from fpdb.arrays import F64, U32, U64, Bools, contains, sorted_distinct
from fpdb.documents.document import find_document
from fpdb.errors import BadQuery, UnknownKind
from fpdb.fingerprint import KINDS, Recipe, Rule, Symbols, content_digest
from fpdb.fingerprint.marked_symbols import seam_hashes
from fpdb.pairs.common_hashes import CommonHashes
from fpdb.pairs.compared_set import NONE, ComparedSet, read_compared_set
from fpdb.pairs.evidence import CLAIM, Evidence, cautious_factors, compare_kgrams, counted_hashes
from fpdb.pairs.explanation import ExplainedDocument, Explanation, find_reasons
from fpdb.pairs.measures import Measures, common_sizes
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owners import OwnerRule
from fpdb.regions.longest_common import longest_common
from fpdb.regions.sources import Sources, read_document
from fpdb.search.rarity import weigh
from fpdb.storage import file_format
from fpdb.storage.index_reader import IndexReader
from fpdb.storage.posting_scan import scan_documents
from fpdb.storage.records import Record
from fpdb.storage.snapshot import Snapshot

LONG: Final = 1 << 22  # symbols of both documents up to which the longest common passage is looked for


class ComparedDocument(NamedTuple):
    """A document to explain.

    Attributes:
        name: Its name.
        kind: Its kind.
        hashes: All of its hashes, sorted and distinct.
        seams: Those of them that it holds only in seams of boilerplate, see `fingerprint.marked_symbols`; sorted.
        sizes: The numbers of its symbols, k-grams and fingerprints.
        share: Of how much of all its hashes these are a sample, see file_format.WHOLE.
        digest: The digest of its content.
        document_id, record: None if it is not in the database.
        symbols: The symbols of its original; None if that cannot be read.
    """

    name: str
    kind: str
    hashes: U64
    seams: U64
    sizes: tuple[int, int, int]
    share: int
    digest: bytes
    document_id: int | None
    record: Record | None
    symbols: Symbols | None

    @property
    def is_complete(self) -> bool:
        """True if all k-grams were selected, or the hashes are the caller's own, so that nothing is estimated."""
        _, kgrams, fingerprints = self.sizes
        return self.kind not in KINDS or fingerprints >= kgrams


def find_document_to_compare(
    snapshot: Snapshot, recipe: Recipe, sources: Sources, name: str, content: str | bytes | None, *, kind: str
) -> ComparedDocument:
    """Return the document of a content, or of the database if no content is given; reads the run that it is in.

    Raises NoSuchDocument, Corrupt.
    """
    boilerplate = snapshot.boilerplate()
    if content is not None:
        found = recipe.fingerprint(content, kind, purpose="search", name=name)
        sizes, hashes = (found.symbols, found.kgrams, len(found.hashes)), sorted_distinct(found.hashes)
        digest, symbols = content_digest(content), found.source
        seams = seam_hashes(found.hashes, found.positions, boilerplate, recipe.rule_for(found.kind)[1].k)
        return ComparedDocument(name, found.kind, hashes, seams, sizes, found.share, digest, None, None, symbols)
    document_id, record = find_document(snapshot, name)
    ids = np.array([document_id], np.uint32)
    _, hashes, encoded_positions = next(scan_documents(snapshot, ids))
    k = record.symbols - record.kgrams + 1
    is_read = record.kind in KINDS and record.kgrams > 0
    seams = seam_hashes(hashes, encoded_positions - np.uint32(1), boilerplate, k) if is_read else hashes[:0]
    share = int(snapshot.catalogue.sizes(ids)["share"][0])
    sizes = record.symbols, record.kgrams, record.fingerprints
    original = read_document(snapshot, recipe, document_id, sources).original
    symbols = original.text.symbols if original else None
    hashes = sorted_distinct(hashes)
    return ComparedDocument(name, record.kind, hashes, seams, sizes, share, record.digest, document_id, record, symbols)


class _Held(NamedTuple):
    """The hashes that a document holds, and those of them in boilerplate or in seams of it; masks of shape (n,)."""

    all: Bools
    boilerplate: Bools


class _Hashes(NamedTuple):
    """The hashes of both documents together, sorted, those held by each, and which are common; shape (n,)."""

    hashes: U64
    a: _Held
    b: _Held
    common: Bools

    def counted(self, held: _Held) -> Bools:
        return held.all & ~(held.boilerplate | self.common)

    @property
    def shared(self) -> Bools:
        return self.counted(self.a) & self.counted(self.b)


def explain(
    reader: IndexReader, recipe: Recipe, a: ComparedDocument, b: ComparedDocument, options: PairOptions
) -> Explanation:
    """Explain why two documents are a pair that passes, or are not.

    Raises BadQuery if they are the same, or one is not of the subset of the options; Corrupt.
    """
    if a.document_id is not None and a.document_id == b.document_id:
        raise BadQuery("a document is compared with another one, not with itself")
    for document in (a, b):
        if document.record is not None and not options.subset.has(document.record.name, document.record.labels):
            raise BadQuery(f"{document.name!r} is not among the documents that labels, names and exclude_names choose")
    is_set_needed = options.weighted or options.frequency_cap(reader.document_count)
    compared_set = read_compared_set(reader, options) if is_set_needed else None
    cap = options.frequency_cap(0 if compared_set is None else len(compared_set))
    hashes = _compare_hashes(reader, a, b, CommonHashes(reader, compared_set, cap))
    both, boilerplate = hashes.a.all & hashes.b.all, hashes.a.boilerplate | hashes.b.boilerplate
    shared = int(hashes.shared.sum())
    rules = _rule(recipe, a.kind), _rule(recipe, b.kind)
    rule = rules[0][1] if rules[0] is not None and rules[0] == rules[1] else None
    weights = None if compared_set is None or not options.weighted else _weights(reader, hashes, a, b, compared_set)
    judged = _judge(reader, recipe, (a, b), hashes, weights, options)
    plain = judged.plain
    facts = Explanation(
        similar=False,
        a=_explained(a, rules[0], hashes, hashes.a),
        b=_explained(b, rules[1], hashes, hashes.b),
        shared=shared,
        shared_boilerplate=int((both & boilerplate).sum()),
        shared_common=int((both & hashes.common & ~boilerplate).sum()),
        containment_a=float(plain.containment_a[0]),
        containment_b=float(plain.containment_b[0]),
        resemblance=float(plain.resemblance[0]),
        by=options.by,
        measure=float(shared) if options.by == "shared" else judged.measure,
        min=float(options.min or 0),
        max_df=cap,
        k=None if rule is None else rule.k,
        surely_found=None if rule is None else rule.guarantee,
        longest=None if rule is None else _longest(a, b),
        evidence=judged.evidence,
        reasons=(),
    )
    same_owner = _same_owner(a, b, options)
    reasons = find_reasons(facts, options, same_content=_is_copy(a, b), same_owner=same_owner)
    return replace(facts, similar=any(reason.code == "similar" for reason in reasons), reasons=tuple(reasons))


class _Judged(NamedTuple):
    """The measures without weights, of shape (1,), the measure asked for, and what tells them."""

    plain: Measures
    measure: float
    evidence: Evidence


def _is_copy(a: ComparedDocument, b: ComparedDocument) -> bool:
    return a.digest == b.digest != content_digest(b"")


def _judge(
    reader: IndexReader,
    recipe: Recipe,
    documents: tuple[ComparedDocument, ComparedDocument],
    hashes: _Hashes,
    weights: F64 | None,
    options: PairOptions,
) -> _Judged:
    """Return measures that are no larger than is certain, see `pairs.evidence`."""
    ones, copies = np.ones(len(hashes.hashes)), _is_copy(*documents)
    if copies and not len(hashes.hashes):
        whole = Measures(*np.ones((3, 1)))
        return _Judged(whole, 1.0, "content")
    plain, sizes = _measures(hashes, ones, documents)
    known = tuple(np.array([copies or each.is_complete]) for each in documents)
    shared = np.array([int(hashes.shared.sum())])
    factors, certain = cautious_factors((known[0], known[1]), sizes, shared, options.few)
    evidence: Evidence = "content" if copies else "fingerprints" if certain[0] else "few"
    short = any(int((held.all & ~held.boilerplate).sum()) < options.few for held in (hashes.a, hashes.b))
    if evidence == "few" and short and plain.larger[0] >= CLAIM:
        exact = _compare_texts(reader, recipe, documents)
        if exact is not None:
            evidence, values = "texts", np.array(exact).reshape(3, 1)
            factors = Measures(*(np.minimum(value / of, 1.0) for value, of in zip(values, plain, strict=True)))
    measures = plain if weights is None else _measures(hashes, weights, documents)[0]
    by = "containment" if options.by == "shared" else options.by
    return _Judged(plain.times(factors), float(measures.times(factors).score(by)[0]), evidence)


def _compare_texts(
    reader: IndexReader, recipe: Recipe, documents: tuple[ComparedDocument, ComparedDocument]
) -> tuple[float, float, float] | None:
    """Compare all k-grams of both documents; None if one cannot be read."""
    boilerplate, kgrams = reader.boilerplate(), []
    for document in documents:
        if document.symbols is None or _rule(recipe, document.kind) is None:
            return None
        kgrams.append(sorted_distinct(counted_hashes(recipe, document.kind, document.symbols, boilerplate)))
    return compare_kgrams(*kgrams)


def _compare_hashes(reader: IndexReader, a: ComparedDocument, b: ComparedDocument, cap: CommonHashes) -> _Hashes:
    hashes = np.union1d(a.hashes, b.hashes)
    discarded = contains(reader.boilerplate(), hashes)
    held_a, held_b = (_Held(contains(each.hashes, hashes), discarded | contains(each.seams, hashes)) for each in (a, b))
    common = np.zeros(len(hashes), np.bool_)
    if not np.array_equal(held_a.all & ~held_a.boilerplate, held_b.all & ~held_b.boilerplate):
        common = contains(cap.among(hashes), hashes)  # of equal ones, no hash is left out
    return _Hashes(hashes, held_a, held_b, common & ~discarded)


def _explained(
    document: ComparedDocument, rule: tuple[str, Rule] | None, hashes: _Hashes, held: _Held
) -> ExplainedDocument:
    return ExplainedDocument(
        document.name,
        document.document_id is not None,
        document.kind,
        None if rule is None else rule[0],
        document.document_id is not None and document.document_id >= file_format.FIRST_BOILERPLATE,
        *document.sizes,
        len(document.hashes),
        *(
            int((held.all & which).sum())
            for which in (held.boilerplate, hashes.common & ~held.boilerplate, hashes.counted(held))
        ),
    )


def _measures(
    hashes: _Hashes, values: F64, documents: tuple[ComparedDocument, ComparedDocument]
) -> tuple[Measures, tuple[F64, F64]]:
    """Return the measures, of shape (1,), where hashes have these values, and the sizes that they come from."""
    parts = hashes.shared, hashes.counted(hashes.a), hashes.counted(hashes.b)
    shared, size_a, size_b = (np.array([values[part].sum()]) for part in parts)
    shares: list[U32] = [np.array([document.share], np.uint32) for document in documents]
    sizes = common_sizes(shared, (size_a, size_b), (shares[0], shares[1]))
    return Measures.compute(shared, sizes), sizes


def _weights(
    reader: IndexReader, hashes: _Hashes, a: ComparedDocument, b: ComparedDocument, compared_set: ComparedSet
) -> F64:
    """Return what each hash weighs if documents that are not in the database count as if they were."""
    hits = compared_set.seams.leave_out(reader, hashes.hashes, reader.look_up(hashes.hashes))
    ranks = compared_set.ranks.look_up(hits.document_ids)
    compared = ranks != NONE
    owners = compared_set.owner_of(ranks[compared])
    held = sorted_distinct(hits.hash_indices[compared].astype(np.uint64) << np.uint64(32) | owners)
    frequencies = np.bincount((held >> np.uint64(32)).astype(np.int64), minlength=len(hashes.hashes))
    count = len(compared_set.owner_names)
    for document, its in ((a, hashes.a), (b, hashes.b)):
        if document.document_id is None:
            frequencies = frequencies + (its.all & ~its.boilerplate)
            count += 1
    return weigh(frequencies, count)


def _rule(recipe: Recipe, kind: str) -> tuple[str, Rule] | None:
    try:
        return recipe.rule_for(kind)
    except UnknownKind:
        return None


def _longest(a: ComparedDocument, b: ComparedDocument) -> int | None:
    if a.symbols is None or b.symbols is None or len(a.symbols) + len(b.symbols) > LONG:
        return None
    return longest_common(a.symbols.values, b.symbols.values)


def _same_owner(a: ComparedDocument, b: ComparedDocument, options: PairOptions) -> bool:
    if a.record is None or b.record is None:
        return False
    owner = OwnerRule.parse(options.owners).owner
    return owner(a.record) is not None and owner(a.record) == owner(b.record)
