"""Fingerprint queries, and find the documents that are the queries themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, repeat
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from fpdb.arrays import U32, U64, contains
from fpdb.errors import BadName, Error, UnknownKind, Unreadable
from fpdb.fingerprint import AUTO, SHORT_TEXT, Fingerprints, Frequencies, Recipe, content_digest, find_scheme
from fpdb.search.options import ContentOptions
from fpdb.storage import file_format
from fpdb.storage.index_reader import IndexReader

if TYPE_CHECKING:
    from fpdb.readers.signs import Signs
    from fpdb.search.samples import Sample


class QueryDocument(NamedTuple):
    """A document that is queried by its content; kind: one of `fingerprint.KINDS`, or "auto"."""

    name: str | None
    content: str | bytes
    kind: str


NO_HASHES: Final[U64] = np.empty(0, np.uint64)


class QueryFingerprints(NamedTuple):
    """The fingerprints of a query."""

    hashes: U64  # in any order, repeats allowed; shape (n,)
    name: str | None
    kind: str
    own_ids: Sequence[int] = ()  # the documents that are the query itself, at most one in each database
    include_self: bool = False  # whether these are matches like others
    sample: Sample | None = None  # if the database keeps samples
    kgrams: int = 0  # if documents of any length have as many fingerprints
    document: Fingerprints | None = None  # all fingerprints, with symbols, if regions are needed
    content: str | bytes | None = None  # the query itself, or None for hashes,
    given_digest: bytes | None = None  # whose digest may be known
    positions: U32 | None = None  # of the hashes, if the offset to each match is asked for
    signs: Signs | None = None  # of a disguise
    seams: U64 = NO_HASHES  # those that are held in seams of boilerplate only, see `marks`; sorted, distinct

    @property
    def hashes_to_find(self) -> U64:
        """All hashes but those in seams of boilerplate; in any order, repeats allowed."""
        return self.hashes[~contains(self.seams, self.hashes)] if len(self.seams) else self.hashes

    @property
    def omitted_ids(self) -> Sequence[int]:
        """The documents that are left out."""
        return () if self.include_self else self.own_ids

    @property
    def digest(self) -> bytes | None:
        """The digest of the content, if it is known."""
        return self.given_digest if self.content is None else content_digest(self.content)

    @property
    def text(self) -> str:
        """The decoded text, if regions are needed."""
        return self.document.source.text if self.document is not None and self.document.source is not None else ""


def fingerprint_queries(
    recipe: Recipe, reader: IndexReader, documents: Sequence[QueryDocument], options: ContentOptions
) -> list[QueryFingerprints | Error]:
    """Return the fingerprints of each document, or why it has none: BadName, UnknownKind, Unreadable.

    Raises BadRecipe: the window is narrower than the recipe's; MissingKey, MissingPackage, Corrupt.
    """
    documents = [_with_kind(recipe, document) for document in documents]
    boilerplate = reader.boilerplate()
    together = options.window is None and options.encoding is None
    together = together and options.rarity == "document" and not options.needs_regions
    short_texts = _short_text_hashes(recipe, documents) if together else repeat(None, len(documents))
    counts: Frequencies | None = None
    if options.rarity == "corpus":
        from fpdb.ingest.document_frequencies import document_frequencies

        counts = document_frequencies(reader)
    queries: list[QueryFingerprints | Error] = []
    for document, own_ids, hashes in zip(documents, _find_own_ids(reader, documents), short_texts, strict=True):
        try:
            if isinstance(own_ids, BadName):
                queries.append(own_ids)
            elif hashes is not None and not contains(boilerplate, hashes).any():
                identity = document.name, document.kind, own_ids, options.include_self
                query = QueryFingerprints(hashes, *identity, content=document.content)
                queries.append(query if document.content.isascii() else query._replace(signs=_text_signs(document)))
            else:
                query = _fingerprint_alone(recipe, document, counts, boilerplate, options)
                include_self, content = options.include_self, document.content
                queries.append(query._replace(own_ids=own_ids, include_self=include_self, content=content))
        except (UnknownKind, Unreadable) as error:
            queries.append(error)
    return queries


def _with_kind(recipe: Recipe, document: QueryDocument) -> QueryDocument:
    """Return the document, with the detected kind if it says none."""
    if document.kind != AUTO:
        return document
    return document._replace(kind=recipe.resolve_kind(AUTO, document.content, document.name))


def own_document_ids(reader: IndexReader, name: str, digest: bytes) -> list[int]:
    """Return the documents of this name and content digest, boilerplate left out: at most one in each database.

    Raises BadName, Corrupt.
    """
    key = file_format.name_bytes(name)
    return _with_digest(reader, reader.find_by_name([key]).get(key, ()), digest)


def _with_digest(reader: IndexReader, document_ids: Iterable[int], digest: bytes) -> list[int]:
    return [document_id for document_id in document_ids if reader.catalogue.record(document_id).digest == digest]


def _find_own_ids(reader: IndexReader, documents: Sequence[QueryDocument]) -> Iterator[list[int] | BadName]:
    """Yield the documents that each query is itself; their names are looked up together."""
    keys: list[bytes | BadName | None] = []
    for document in documents:
        try:
            keys.append(None if document.name is None else file_format.name_bytes(document.name))
        except BadName as error:
            keys.append(error)
    ids_by_name = reader.find_by_name({key for key in keys if isinstance(key, bytes)})
    for key, document in zip(keys, documents, strict=True):
        if isinstance(key, BadName):
            yield key
        else:
            same_name = ids_by_name.get(key) if key is not None else None
            yield _with_digest(reader, same_name, content_digest(document.content)) if same_name else []


def _short_text_hashes(recipe: Recipe, documents: Sequence[QueryDocument]) -> Iterator[U64 | None]:
    """Yield the hashes of each short text, fingerprinted together; None for a document to be fingerprinted alone."""
    is_short = [document.kind == "text" and len(document.content) <= SHORT_TEXT for document in documents]
    contents = [document.content for document in compress(documents, is_short)]
    texts = recipe.fingerprint_texts(contents, purpose="search")
    if texts is None:
        yield from repeat(None, len(documents))
        return
    start = 0
    rows = zip(texts.counts, texts.symbols, strict=True)
    for short in is_short:
        if short:
            count, symbols = next(rows)
            yield texts.hashes[start : start + count] if symbols >= 0 else None
            start += count
        else:
            yield None


def _text_signs(document: QueryDocument) -> Signs | None:
    """Return the signs of a disguise that a plain text has."""
    from fpdb.readers import text
    from fpdb.readers.signs import find_signs

    return find_signs(text.read(document.content), document.kind)


def _fingerprint_alone(
    recipe: Recipe, document: QueryDocument, counts: Frequencies | None, boilerplate: U64, options: ContentOptions
) -> QueryFingerprints:
    """Fingerprint one document of any kind; counts: the document frequencies, if rarity is counted in the corpus."""
    name, content, kind = document
    found = recipe.fingerprint(
        content,
        kind,
        purpose="search",
        window=options.window,
        frequencies=counts,
        name=name,
        encoding=options.encoding,
    )
    rule = recipe.rule_for(kind)[1]
    scheme = find_scheme(rule.scheme)
    query = QueryFingerprints(found.hashes, name, kind, kgrams=found.kgrams if scheme.fixed_size else 0)
    query = query._replace(signs=found.signs)
    if len(boilerplate):
        from fpdb.fingerprint.marked_symbols import seam_hashes

        query = query._replace(seams=seam_hashes(found.hashes, found.positions, boilerplate, rule.k))
    if scheme.sampling:
        from fpdb.search.samples import Sample

        query = query._replace(sample=Sample(scheme.sampling, found.share, recipe.hash_bits))
    if not options.needs_regions:
        return query
    if options.window is not None and found.source is not None:  # regions are told by all fingerprints
        found = recipe.fingerprint_symbols(found.source, kind, purpose="search", frequencies=counts)
    return query._replace(document=found)
