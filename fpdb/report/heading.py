"""The heading of a page: the comparison in words, and the meaning of its numbers. Knows no HTML."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final, NamedTuple

from fpdb.fingerprint import Recipe
from fpdb.report.contents import Heading, PageContents, PageSource, Row
from fpdb.report.recipe_words import recipe_words
from fpdb.storage.index_reader import IndexReader

_MEANINGS: Final = {
    "similarity": "The mean of both weighted containments: a fingerprint counts the more, the fewer documents have it.",
    "mean containment": "The mean of both containments: how much of A is in B, and of B in A.",
    "containment": "The larger of both containments: how much of A is in B, or of B in A.",
    "weighted containment": "The larger of both containments; rare fingerprints count more.",
    "weighted reverse containment": "How much of the document is in the query; rare fingerprints count more.",
    "weighted resemblance": "How much of both together they share; rare fingerprints count more.",
    "coverage": "The larger share of the two that lies in regions.",
}
"""Sentences on measures that have no column of their own."""


def describe(reader: IndexReader, recipe: Recipe, heading: Heading, noun: str) -> Iterator[tuple[str, str]]:
    """Yield what was compared: terms, and a sentence on each. noun: what pairs are made of, "" for queries."""
    count = reader.document_count
    documents = "1 document" if count == 1 else f"{count:,} documents"
    yield (
        "Database",
        f"{heading.database}: {documents}." if heading.database else f"{documents[:1].upper()}{documents[1:]}.",
    )
    how = f"All {noun}s with each other." if noun else "Queries with all documents."
    yield "Compared", " ".join([how, *recipe_words(recipe)])
    hashes = len(reader.boilerplate())
    what = f"{hashes:,} fingerprints of boilerplate do not count, wherever they occur." if hashes else "None."
    yield "Template", what
    if heading.options and not heading.anonymous:
        yield "Options", " ".join(heading.options)


def meanings(contents: PageContents) -> Iterator[tuple[str, str]]:
    """Yield the measures on a page, and a sentence on each."""
    if contents.score in _MEANINGS and contents.score not in {column.page for column in contents.columns}:
        yield contents.score, _MEANINGS[contents.score]
    for column in contents.columns:
        yield column.page, column.about
    yield (
        "fingerprint",
        "A short passage of a fixed number of letters or tokens, of those that count. So many of a document's passages "
        "are kept that no shared passage beyond some length is missed.",
    )


class ShortName(NamedTuple):
    """A name without the folders that all names begin with; its owner and the rest apart, None for no owner."""

    whole: str
    owner: str | None
    rest: str


def short_names(sources: Sequence[PageSource]) -> list[ShortName]:
    """Return the names of sources as lists show them."""
    folders = [source.name.split("/")[:-1] for source in sources if source.is_document]
    common = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False)) if len(folders) > 1 else ()
    begin = "".join(f"{parts[0]}/" for parts in common)
    names = []
    for source in sources:
        whole, owner = _without(source.name, begin), None if source.owner is None else _without(source.owner, begin)
        names.append(ShortName(whole, owner, _without(whole, f"{owner}/")))
    return names


def _without(name: str, begin: str) -> str:
    return name.removeprefix(begin) or name


def anonymise(contents: PageContents) -> tuple[PageContents, list[tuple[str, str]]]:
    """Return contents with numbers for names, in the order of the rows, and whose numbers these are."""
    numbers: dict[tuple[str, str], str] = {}

    def number(noun: str, name: str) -> str:
        count = sum(other == noun for other, _ in numbers)
        return numbers.setdefault((noun, name), f"{noun} {count + 1}")

    order: dict[int, PageSource] = {}
    for index in (index for row in contents.rows for index in (row.a, row.b)):
        if index not in order:
            source = contents.sources[index]
            owner = None if source.owner is None else number("Owner", source.owner)
            name = number("Document" if source.is_document else "Owner", source.name)
            order[index] = replace(source, name=name, owner=owner)
    places = {index: place for place, index in enumerate(order)}
    rows: list[Row] = [replace(row, a=places[row.a], b=places[row.b]) for row in contents.rows]
    listed = [(shown, name) for (_, name), shown in numbers.items()]
    return replace(contents, rows=rows, sources=list(order.values())), listed
