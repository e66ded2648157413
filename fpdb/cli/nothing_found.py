"""Say why a comparison or a query found nothing, in numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from fpdb.cli.similar_names import did_you_mean
from fpdb.cli.terminal import count_text
from fpdb.errors import UnknownKind

if TYPE_CHECKING:
    from fpdb import Answer, Database, Match, Results
    from fpdb.documents.document import Document

LIMITS: Final = ("min", "min_shared", "shortest", "top")
SIZES: Final = ("min_shared", "shortest")
SUBSET: Final = ("labels", "names", "exclude_names")
NO_DOCUMENT: Final = "the database has no document"
OWN_HASHES: Final = "hashes of one's own"
"""Stands for the alphabet of documents that are no text."""


class NothingFound:
    """Looks for the reasons why nothing was found in a database, once something was not."""

    def __init__(self, *databases: "Database") -> None:
        """Take the database, or those that are queried as one; nothing is read yet."""
        self._databases, self._recipe = databases, databases[0].recipe

    def no_pair(self, text: str, results: "Results[Any]", options: Mapping[str, Any]) -> str:
        """Return what to say if a comparison has no result.

        Args:
            text: What was not found, such as "no pair".
            results: What the comparison returned.
            options: Its options, of those of `Database.pairs`.
        """
        advice = results.advice
        if advice is not None and not advice.compared:
            subset = self._subset_text(options)
            return f"{advice.text('--owners')}{subset and f': {subset}'}"
        if reason := self._nothing_new(options):
            return f"{text}: {reason}"
        reasons = [self._nearest_pair(options), *self._counts]
        if results.ignored.hashes:
            reasons.append(f"{count_text(results.ignored.hashes, 'hash', 'hashes')} ignored as common")
        return f"{text}: {'; '.join(reasons)}"

    def no_match(
        self,
        answer: "Answer",
        options: Mapping[str, Any],
        measure: str,
        ask: "Callable[..., Answer] | None",
        *,
        omits_query: bool,
    ) -> str:
        """Return why a query that has fingerprints has no match; empty if there is nothing to say.

        Args:
            answer: The answer without a match.
            options: The options of the query.
            measure: The measure that ranks matches.
            ask: Asks the same query with the given options; None if it cannot be asked again.
            omits_query: A document was left out that is the query itself.
        """
        if not self._documents:
            return NO_DOCUMENT if len(self._databases) == 1 else "the databases have no document"
        kinds = Counter(document.kind for document in self._documents)
        asked = self._alphabet(answer.query.kind)
        if asked not in set(map(self._alphabet, kinds)):
            kind = kinds.most_common(1)[0][0]
            if self._alphabet(kind) == OWN_HASHES:
                return (
                    "the documents are hashes that a program gave, with which no text is compared; ask with "
                    "--stored NAME, or in Python with query_fingerprints"
                )
            return f"read as {answer.query.kind}, and no document is; give --kind {kind}, or a name that tells the kind"
        subset = self._subset_text(options)
        if subset:
            return subset
        if options.get("min") is None:
            other = "other " if omits_query else ""
            return "" if answer.query.ignored_common else f"no {other}document shares a fingerprint with it"
        if ask is None:
            return ""
        nearest = ask(**{name: value for name, value in options.items() if name not in LIMITS}, top=1).matches
        if not nearest:
            return "no document shares a fingerprint that counts"
        return (
            f"the most alike, {_match_name(nearest[0])}, has a {_words(measure)} of {getattr(nearest[0], measure):.3g}"
        )

    def no_span(
        self, ask: "Callable[..., Answer]", options: Mapping[str, Any], sizes: Mapping[str, int], *, is_stored: bool
    ) -> str:
        """Return why nothing of a document is to be cut.

        Args:
            ask: Queries by the document with the given options.
            options: The options of the query whose matches were looked at; by is one of them.
            sizes: What a span must have, by the names in SIZES.
            is_stored: The document is in the database.
        """
        answer = ask(**options, top=1)
        if answer.matches:
            nearest = answer.matches[0]
            shared = count_text(nearest.shared, "fingerprint")
            return f"the most alike, {nearest.name}, shares {shared}{_sizes_text(sizes)}"
        if note := answer.query.note:
            return note
        if ignored := answer.query.ignored_common:
            return f"{count_text(ignored, 'hash', 'hashes')} ignored as common"
        return self.no_match(answer, options, options["by"], ask, omits_query=is_stored)

    def no_passage(self, min_df: int) -> str:
        """Return what to say if no passage is in so many documents."""
        if not self._documents:
            return NO_DOCUMENT
        return f"no passage is in {min_df:,} of {count_text(len(self._documents), 'document')}"

    def no_document(self, labels: Iterable[tuple[str, str]]) -> str:
        """Return what to say if no document, boilerplate or not, fits the options of `fpdb list`, such as labels."""
        documents = list(self._all_documents())
        if not documents:
            return NO_DOCUMENT
        count, unknown = count_text(len(documents), "document"), _unknown_key_text(documents, labels)
        return f"of {count}, none fits the labels, names and times asked for{unknown}"

    def _nearest_pair(self, options: Mapping[str, Any]) -> str:
        measure = options.get("by") or self._recipe.pair_measure
        asked = {name: value for name, value in options.items() if name not in LIMITS} | {"by": measure}
        (db,) = self._databases
        nearest = next(db.pairs(**asked, top=1), None)
        if nearest is None:
            return f"no two {'owners' if options.get('by_owner') else 'documents'} share a fingerprint that counts"
        figure = "" if measure == "shared" else f" have a {_words(measure)} of {nearest.score(measure):.3f} and"
        shared = count_text(nearest.shared, "fingerprint")
        return f"the most alike, {nearest.a} and {nearest.b},{figure} share {shared}{_sizes_text(options)}"

    @cached_property
    def _documents(self) -> "list[Document]":
        return [document for document in self._all_documents() if not document.boilerplate]

    def _all_documents(self) -> "Iterator[Document]":
        return chain.from_iterable(db.documents() for db in self._databases)

    @cached_property
    def _counts(self) -> list[str]:
        """Sentences with the number of documents without a fingerprint, and of those in each of several alphabets."""
        short = sum(not document.fingerprints for document in self._documents)
        reasons = []
        if short:
            reasons.append(f"{count_text(short, 'document')} of {len(self._documents):,} too short for a fingerprint")
        alphabets = Counter(self._alphabet(document.kind) for document in self._documents)
        if len(alphabets) > 1:
            counts = ", ".join(f"{count:,} in {alphabet}" for alphabet, count in alphabets.most_common())
            reasons.append(f"documents read in different alphabets are not compared ({counts})")
        return reasons

    def _nothing_new(self, options: Mapping[str, Any]) -> str:
        """Return that no document is new, if only pairs with one that is are asked for; else nothing."""
        new, since = options.get("new"), options.get("since")
        wanted = [] if new is None else [f"the label {new[0]}={new[1]}"]
        wanted += [] if since is None else [f"been added since {since}"]
        is_new = (
            (new is None or document.labels.get(new[0]) == new[1])
            and (since is None or document.added.timestamp() >= since.timestamp())
            for document in self._chosen(options)
        )
        if not wanted or any(is_new):
            return ""
        fitting = " that fits the labels and names asked for" if _has_subset(options) else ""
        unknown = "" if new is None else _unknown_key_text(self._documents, [new])
        return f"no document{fitting} has {' and '.join(wanted)}{unknown}"

    def _chosen(self, options: Mapping[str, Any]) -> "list[Document]":
        """Return the documents of the subset that the options choose."""
        from fpdb.subset import Subset

        subset = Subset.of(*(options.get(name) for name in SUBSET))
        names = (document.name.encode("utf-8", "surrogateescape") for document in self._documents)
        return [each for each, name in zip(self._documents, names, strict=True) if subset.has(name, each.labels)]

    def _subset_text(self, options: Mapping[str, Any]) -> str:
        """Return how many documents a subset leaves, if it is none or one; empty if there are more, or no subset."""
        chosen = len(self._chosen(options))
        if chosen > 1 or not _has_subset(options):
            return ""
        count = count_text(len(self._documents), "document")
        unknown = _unknown_key_text(self._documents, options.get("labels") or ())
        return f"of {count}, {chosen or 'none'} fits the labels and names asked for{unknown}"

    def _alphabet(self, kind: str) -> str:
        try:
            return self._recipe.rule_for(kind)[0]
        except UnknownKind:
            return OWN_HASHES


def _has_subset(options: Mapping[str, Any]) -> bool:
    return any(options.get(name) for name in SUBSET)


def _unknown_key_text(documents: "Sequence[Document]", labels: Iterable[tuple[str, str]]) -> str:
    """Return the first key of labels that no document has, to end a sentence; empty if there is none."""
    keys = sorted({key for document in documents for key in document.labels})
    unknown = sorted({key for key, _ in labels}.difference(keys))
    return f": none has a label {unknown[0]!r}{did_you_mean(keys, unknown[0])}" if unknown else ""


def _sizes_text(options: Mapping[str, Any]) -> str:
    """Return the sizes that were asked for, in parentheses; empty if any is enough."""
    asked = [f"--{name.replace('_', '-')} {options[name]}" for name in SIZES if options.get(name, 1) > 1]
    return f" (asked for: {', '.join(asked)})" if asked else ""


def _match_name(match: "Match") -> str:
    return match.name if match.database is None else f"{match.name} in {match.database}"


def _words(measure: str) -> str:
    return measure.replace("_", " ")
