"""Searchable: what is asked by content or by hashes, of one database or of several as if they were one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache, partial
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any, TypeVar

from fpdb.arrays import I64, U64
from fpdb.errors import BadName, Error, UnknownKind, Unreadable
from fpdb.fingerprint import SHORT_TEXT, Fingerprints, Recipe, content_digest, find_scheme
from fpdb.ingest.document_frequencies import Rarity, document_frequencies
from fpdb.ingest.prepare import Integers, check_hashes
from fpdb.search.candidates import Asked
from fpdb.search.ranking import Ranked, search, search_all
from fpdb.search.results import Answer, Options
from fpdb.search.samples import Sample
from fpdb.storage import file_format
from fpdb.storage.reader import Reader

if TYPE_CHECKING:
    from fpdb.documents import Document
    from fpdb.regions.sources import Sources

T = TypeVar("T")


class Searchable(ABC):
    """What `Database` and `MultiDatabase` can be asked alike. recipe: of what they hold."""

    recipe: Recipe

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Reader]:
        """What is there now."""

    @abstractmethod
    def _sources(self, texts: Callable[[Document], str | bytes | None] | None = None) -> Sources:
        """Where the documents' contents are had from: what the caller gives, if he gives them."""

    @abstractmethod
    def _placed(self, view: Reader, ranked: Ranked) -> Ranked:
        """The answer, with what is said of where its matches are kept."""

    def _answers(self, view: Reader, asked: Sequence[Asked], options: Options) -> Iterator[Answer]:
        """To each query, in order."""
        return (self._placed(view, ranked).answer for ranked in search_all(view, asked, options))

    def _lines(self, view: Reader, asked: Sequence[Asked], options: Options) -> Iterator[bytes]:
        """The answers as lines of JSON."""
        return (answer.to_json().encode() for answer in self._answers(view, asked, options))

    def __len__(self) -> int:
        """The number of documents, boilerplate not counted."""
        with self._snapshot() as view:
            return view.document_count

    def holds(self, name: str, content: str | bytes) -> bool:
        """Whether there is a document of this name and content, boilerplate left out. Raises BadName."""
        with self._snapshot() as view:
            return bool(_of_content(view, name, content))

    def query(
        self,
        content: str | bytes,
        *,
        name: str | None = None,
        kind: str = "text",
        window: int | None = None,
        rarity: Rarity = "document",
        include_self: bool = False,
        regions: bool = False,
        gap: int = 0,
        texts: Callable[[Document], str | bytes | None] | None = None,
        **options: Any,
    ) -> Answer:
        """Which documents share text with this content.

        kind: one of `fingerprint.KINDS`, or "auto". name: the content's own; a document of this name and content is
        left out unless include_self. window: wider than the recipe's, for fewer look-ups and a coarser answer. rarity:
        see `WriteBatch.add`.

        regions: also tell where each match is, see `Match`, by all fingerprints of the query; gap: join those that are
        no more symbols apart. texts: gives a document's content, or None; by default it is the text that was kept, else
        what is in the file that is the document's source. options: see `match.answers.Options`: by, smallest, max_df,
        max_ignored, min, top; by, max_df and max_ignored are the recipe's unless given. Raises BadQuery, BadRecipe,
        UnknownKind, Unreadable, MissingPackage, Corrupt.
        """
        with self._snapshot() as view:
            itself = _of_content(view, name, content)
            asked, found, search_with = self._ask(view, content, name, kind, itself, window, rarity, include_self)
            checked = self._options(asked.kind, options)
            ranked = self._placed(view, search(view, asked, checked.of_all() if checked.regional else checked))
            if not regions and not checked.regional:
                return ranked.answer
            if window is not None:
                found = search_with()
            from fpdb.regions.pair_aligner import PairAligner
            from fpdb.search.region_matches import attach_regions, rank_by_coverage

            aligner = PairAligner(view, self.recipe, self._sources(texts), gap=gap)
            align = partial(aligner.align_query, aligner.query(found, ranked.ignored))
            if checked.regional:
                ranked = rank_by_coverage(ranked, align(ranked.documents), checked)
            return attach_regions(ranked, align(ranked.documents)) if regions else ranked.answer

    def queries(
        self,
        documents: Iterable[tuple[str | None, str | bytes]],
        *,
        kind: str = "text",
        window: int | None = None,
        rarity: Rarity = "document",
        include_self: bool = False,
        **options: Any,
    ) -> list[Answer | Error]:
        """What `query` answers for each of these names and contents, without regions: looked up together, which is
        quicker the more there are; some thousands are a good number. They are held in memory.

        An error takes the place of the answer for a document that cannot be read. Options and what is raised: as for
        `query`.
        """
        more: dict[str, Any] = {"window": window, "rarity": rarity, "include_self": include_self}
        given = [(name, content, kind) for name, content in documents]
        return list(self._queries(self._answers, given, **more, **options))

    def _queries(
        self,
        answer: Callable[[Reader, Sequence[Asked], Options], Iterator[T]],
        documents: Sequence[tuple[str | None, str | bytes, str]],
        *,
        window: int | None = None,
        rarity: Rarity = "document",
        include_self: bool = False,
        **options: Any,
    ) -> Iterator[T | Error]:
        """The same one by one, so that the answers need not be held. answer: `_answers` or `_lines`. documents: names,
        contents and kinds."""
        with self._snapshot() as view:
            together = window is None and rarity == "document"
            every_hashes = self._hashes_of_texts(documents) if together else repeat(None)
            asked: list[Asked | Error] = []
            for (name, content, kind), itself, hashes in zip(
                documents, _of_contents(view, documents), every_hashes, strict=False
            ):
                try:
                    if isinstance(itself, Error):
                        asked.append(itself)
                    elif hashes is None:
                        asked.append(self._ask(view, content, name, kind, itself, window, rarity, include_self)[0])
                    else:
                        asked.append(Asked(hashes, name, kind, itself, include_self))
                except (UnknownKind, Unreadable) as error:
                    asked.append(error)
            options_of = cache(partial(self._options, options=options))
            alike: defaultdict[Options, list[Asked]] = defaultdict(list)
            for one in asked:
                if isinstance(one, Asked):
                    alike[options_of(one.kind)].append(one)
            found = {given: answer(view, some, given) for given, some in alike.items()}
            for one in asked:
                if isinstance(one, Error):
                    yield one
                else:
                    yield next(found[options_of(one.kind)])

    def _hashes_of_texts(self, documents: Sequence[tuple[str | None, str | bytes, str]]) -> Iterator[U64 | None]:
        """The hashes of each document that is a text; None where they must be had one by one."""
        short = [kind == "text" and len(content) <= SHORT_TEXT for _, content, kind in documents]
        contents = [content for _, content, _ in compress(documents, short)]
        texts = self.recipe.fingerprint_texts(contents, purpose="search")
        if texts is None:
            yield from repeat(None, len(documents))
            return
        start = number = 0
        for is_short in short:
            if not is_short:
                yield None
                continue
            end = start + texts.counts[number]
            yield texts.hashes[start:end] if texts.symbols[number] >= 0 else None
            start, number = end, number + 1

    def _ask(
        self,
        view: Reader,
        content: str | bytes,
        name: str | None,
        kind: str,
        itself: Sequence[int],
        window: int | None,
        rarity: Rarity,
        include_self: bool,
    ) -> tuple[Asked, Fingerprints, Callable[..., Fingerprints]]:
        """The query, its fingerprints, and what makes them, which takes another window."""
        kind = self.recipe.resolve_kind(kind, content, name)
        counts = document_frequencies(view) if rarity == "corpus" else None
        search_with = partial(self.recipe.fingerprint, content, kind, purpose="search", frequencies=counts, name=name)
        found = search_with(window=window)
        scheme = find_scheme(self.recipe.rule_for(kind)[1].scheme)
        sample = Sample(scheme.sampling, found.share, self.recipe.hash_bits) if scheme.sampling else None
        kgrams = found.kgrams if scheme.fixed_size else 0
        return Asked(found.hashes, name, kind, itself, include_self, sample, kgrams), found, search_with

    def _options(self, kind: str, options: Mapping[str, Any]) -> Options:
        return Options(**{"by": self.recipe.measure(kind), **self._caps(options)})

    def query_fingerprints(
        self,
        hashes: Integers,
        *,
        name: str | None = None,
        kind: str = "hashes",
        digest: bytes | None = None,
        **options: Any,
    ) -> Answer:
        """Which documents share these hashes: uint64, shape (n,), in any order, repeats allowed.

        digest: a document of this name and digest is the query itself, and is left out. options: as for `query`. Raises
        BadQuery, BadFingerprints, Corrupt.
        """
        checked = Options(**self._caps(options))
        array = check_hashes(hashes)
        with self._snapshot() as view:
            itself = [] if name is None or digest is None else _itself(view, name, lambda: digest)
            asked = Asked(array, name, kind, itself)
            return self._placed(view, search(view, asked, checked)).answer

    def frequencies(self, hashes: Integers) -> I64:
        """The document frequency of each hash, shape (n,): how many documents hold it, boilerplate not counted."""
        with self._snapshot() as view:
            return document_frequencies(view)(check_hashes(hashes))

    def _caps(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options, with the recipe's caps where the caller gives none."""
        if options.get("max_df") is None and options.get("max_ignored") is None:
            return {**options, "max_df": self.recipe.max_df, "max_ignored": self.recipe.max_ignored}
        return options


def _of_content(view: Reader, name: str | None, content: str | bytes) -> list[int]:
    return [] if name is None else _itself(view, name, partial(content_digest, content))


def _itself(view: Reader, name: str, digest: Callable[[], bytes]) -> list[int]:
    """The documents, boilerplate left out, that are the query itself; few have its name, so the digest can wait."""
    key = file_format.name_bytes(name)
    return [
        number for number in view.find_by_name([key]).get(key, ()) if view.catalogue.record(number).digest == digest()
    ]


def _of_contents(
    view: Reader, documents: Sequence[tuple[str | None, str | bytes, str]]
) -> Iterator[list[int] | BadName]:
    """As `_of_content`; the names are looked up together."""
    keys: list[bytes | BadName | None] = []
    for name, *_ in documents:
        try:
            keys.append(None if name is None else file_format.name_bytes(name))
        except BadName as error:
            keys.append(error)
    named = view.find_by_name({key for key in keys if isinstance(key, bytes)})
    for key, (_, content, _) in zip(keys, documents, strict=True):
        if isinstance(key, BadName):
            yield key
        elif numbers := named.get(key, ()) if key is not None else ():
            digest = content_digest(content)
            yield [number for number in numbers if view.catalogue.record(number).digest == digest]
        else:
            yield []
