"""Columns of results: each field is described once, for JSON, CSV, Parquet, tables and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

DEFAULT_FORMATS: Final = {int: ",", float: ".3f"}


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A field of a result.

    Attributes:
        name: The attribute, and the name in JSON, CSV and Parquet.
        type: What it holds beside None: str, int, float or bool.
        heading: The heading in a table; None if tables do not show it.
        format: A format specification for the value, or a function from the whole result to the text of a cell.
        group: What must be asked for to have the column; empty if it is always there.
        missing: The text of a cell for None.
        page: The heading on the page of a report; empty if the page does not show it.
        about: What it means, in words for the page.
    """

    name: str
    type: type = str
    heading: str | None = None
    format: str | Callable[[Any], str] | None = None
    group: str = ""
    missing: str = ""
    page: str = ""
    about: str = ""

    @property
    def is_number(self) -> bool:
        """Return True if cells line up on the right."""
        return self.type in DEFAULT_FORMATS

    def text(self, value: Any) -> str:
        """Format a value as the text of a cell."""
        return self.texts([value])[0]

    def texts(self, values: Iterable[Any]) -> list[str]:
        """Format values as the texts of cells."""
        specification = self.format if isinstance(self.format, str) else DEFAULT_FORMATS.get(self.type, "")
        return [self.missing if value is None else format(value, specification) for value in values]

    def cell(self, result: object) -> str:
        """Return the text of a result's cell."""
        return self.cells([result])[0]

    def cells(self, results: Iterable[object]) -> list[str]:
        """Return the texts of the cells of results."""
        if callable(self.format):
            return list(map(self.format, results))
        return self.texts(map(attrgetter(self.name), results))


Columns = tuple[ResultColumn, ...]

EVIDENCE_WORDS: Final[Mapping[str | None, str]] = {"few": "few fingerprints", "texts": "by their texts"}
"""Words by the evidence of a pair that fingerprints alone do not tell."""


def one_line(title: str, names: Iterable[object], values: Mapping[str, Any]) -> str:
    """Return `Title('name', measure=0.812, regions=3)`, for `repr`: numbers are rounded, lists are counted."""
    texts = [repr(name) for name in names]
    for name, value in values.items():
        if isinstance(value, list | tuple):
            value = len(value)
        texts.append(f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value!r}")
    return f"{title}({', '.join(texts)})"


def html_table(columns: Columns, results: Iterable[object], caption: str) -> str:
    """Return results as an HTML table, for notebooks."""
    from html import escape

    align = [' style="text-align: right"' if column.is_number else ' style="text-align: left"' for column in columns]

    def row(tag: str, texts: Iterable[str]) -> str:
        cells = (f"<{tag}{style}>{escape(text)}</{tag}>" for style, text in zip(align, texts, strict=True))
        return f"<tr>{''.join(cells)}</tr>"

    head = row("th", (column.heading or column.name.replace("_", " ") for column in columns))
    rows = (row("td", (column.cell(result) for column in columns)) for result in results)
    return "\n".join((f"<table><caption>{escape(caption)}</caption>", head, *rows, "</table>"))


def select(columns: Columns, groups: Iterable[str]) -> Columns:
    """Return the columns that are always there, and those of the groups."""
    return tuple(column for column in columns if not column.group or column.group in groups)


def named(columns: Columns, *names: str) -> Columns:
    """Return the columns of these names, in this order."""
    by_name = {column.name: column for column in columns}
    return tuple(by_name[name] for name in names)


def shown(columns: Columns) -> Columns:
    """Return the columns that tables show."""
    return tuple(column for column in columns if column.heading is not None)


def measure_groups(measure: str, *, regions: bool) -> set[str]:
    """Return the groups of columns that a ranking by this measure fills, with or without regions."""
    groups = {
        "regions": regions,
        "coverage": regions or measure.endswith("coverage"),
        "weighted": measure.startswith("weighted"),
        "similarity": measure == "similarity",
        "pair_weights": measure.startswith("weighted") or measure == "similarity",
    }
    return {group for group, is_filled in groups.items() if is_filled}


def score_heading(measure: str) -> str | None:
    """Return the heading of a column with the measure; None if the result has a column of its own for it."""
    headings = {"similarity": "similarity", "mean_containment": "mean"}
    if measure in headings:
        return headings[measure]
    return "weighted" if measure.startswith("weighted") else "coverage" if measure.endswith("coverage") else None


def _unread(source: str) -> str:
    reason = "not below a folder of --sources" if source == "outside" else source.replace("_", " ")
    return "" if source == "same" else f"cannot be read: {reason}"


def labels_text(labels: Any) -> str:
    """Write labels as words: `KEY=VALUE`."""
    return " ".join(f"{key}={label}" for key, label in labels.items())


@lru_cache(1 << 10)
def _minute_text(time: datetime) -> str:
    return time.astimezone().strftime("%Y-%m-%d %H:%M")


def _passage_text(passage: Any) -> str:
    text = " ".join((passage.text or _unread(passage.source)).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _floats(group: str, *names: str) -> Columns:
    return tuple(ResultColumn(name, float, group=group) for name in names)


def _share(name: str, heading: str | None, page: str, about: str) -> ResultColumn:
    """Return a column of shares, which belongs to coverage if tables do not show it."""
    return ResultColumn(name, float, heading, ".1%", "" if heading else "coverage", page=page, about=about)


RANK: Final = ResultColumn("rank", int, "#", "d")
SHARED: Final = ResultColumn("shared", int, "shared", page="shared", about="The number of fingerprints that both have.")
RESEMBLANCE: Final = ResultColumn(
    "resemblance",
    float,
    "resemblance",
    page="resemblance",
    about="The share of the fingerprints of both together that they have in common.",
)
REGIONS: Final = ResultColumn(
    "regions",
    int,
    group="page",
    page="regions",
    about="The number of passages that agree; they are shown side by side.",
)

MATCH: Final[Columns] = (
    ResultColumn("name", str, "name"),
    SHARED,
    _share(
        "containment", "containment", "containment", "The share of the query's fingerprints that are in the document."
    ),
    _share(
        "reverse_containment", "reverse", "reverse", "The share of the document's fingerprints that are in the query."
    ),
    RESEMBLANCE,
    *_floats("similarity", "similarity"),
    *_floats("weighted", "weighted_containment"),
    REGIONS,
    _share("query_coverage", None, "query covered", "The share of the query that lies in regions."),
    _share("document_coverage", None, "document covered", "The share of the document that lies in regions."),
    ResultColumn("source", group="coverage"),
    ResultColumn("database", str, "database", group="databases"),
    ResultColumn("offset", int, group="offsets"),
    ResultColumn("aligned", int, group="offsets"),
    ResultColumn("identical", bool, group="identity"),
    ResultColumn("labels", str, "labels", lambda match: labels_text(match.labels), group="labels"),
)

PAIR: Final[Columns] = (
    ResultColumn("a", str, "a"),
    ResultColumn("b", str, "b"),
    SHARED,
    _share("containment_a", "a in b", "A in B", "The share of A's fingerprints that are in B."),
    _share("containment_b", "b in a", "B in A", "The share of B's fingerprints that are in A."),
    RESEMBLANCE,
    *_floats("pair_weights", "weighted_containment_a", "weighted_containment_b", "weighted_resemblance", "similarity"),
    ResultColumn("evidence"),
    REGIONS,
    _share("coverage_a", None, "A covered", "The share of A that lies in regions."),
    _share("coverage_b", None, "B covered", "The share of B that lies in regions."),
    ResultColumn("source_a", group="regions"),
    ResultColumn("source_b", group="regions"),
    ResultColumn("labels_a", str, "labels of a", lambda pair: labels_text(pair.labels_a), group="labels"),
    ResultColumn("labels_b", str, "labels of b", lambda pair: labels_text(pair.labels_b), group="labels"),
)

CLUSTER: Final[Columns] = (
    ResultColumn("cluster"),
    ResultColumn("size", int, "size", "d"),
    ResultColumn("pairs", int, "pairs"),
    ResultColumn("member", str, "members"),
    ResultColumn("kept", str, ""),
)
"""A row is a member of a cluster."""

DROP: Final[Columns] = (
    ResultColumn("name", str, "drop"),
    ResultColumn("kept", str, "keep"),
    ResultColumn("cluster"),
    ResultColumn("size", int, "cluster of"),
    ResultColumn("shared", int, "shared"),
    ResultColumn("measure", float, "measure", lambda drop: format(drop.measure, ",.0f" if drop.measure > 1 else ".3f")),
    ResultColumn("reason", str, "reason"),
    ResultColumn("evidence"),
)

KEPT: Final[Columns] = (ResultColumn("name", str, "keep"), ResultColumn("dropped", int, "dropped for it"))

SPAN: Final[Columns] = (
    ResultColumn("name", str, "name"),
    ResultColumn("start", int, "start", missing="-"),
    ResultColumn("end", int, "end", missing="-"),
    ResultColumn("with", str, "with", lambda span: span.with_),
    ResultColumn("shared", int, "shared"),
    ResultColumn("documents", int, "documents"),
    ResultColumn("source", str, "", lambda span: _unread(span.source)),
)

COMMON_PASSAGE: Final[Columns] = (
    ResultColumn("documents", int, "documents"),
    ResultColumn("fingerprints", int, "fingerprints"),
    ResultColumn("name", str, "for instance in"),
    ResultColumn("start", int),
    ResultColumn("end", int),
    ResultColumn("text", str, "passage", _passage_text),
    ResultColumn("source"),
)

DOCUMENT: Final[Columns] = (
    ResultColumn("name", str, "name"),
    ResultColumn(
        "kind", str, "kind", lambda document: document.kind + (" (boilerplate)" if document.boilerplate else "")
    ),
    ResultColumn("boilerplate", bool),
    ResultColumn("symbols", int, "symbols"),
    ResultColumn("kgrams", int),
    ResultColumn("fingerprints", int, "fingerprints"),
    ResultColumn("hashes", int),
    ResultColumn("digest"),
    ResultColumn("source"),
    ResultColumn("contact"),
    ResultColumn("labels", str, "labels", lambda document: labels_text(document.labels)),
    ResultColumn("added", str, "added", lambda document: _minute_text(document.added)),
    ResultColumn("note"),
    ResultColumn("rotation", int),
    ResultColumn("text_bytes", int),
)

FINGERPRINT: Final[Columns] = (
    ResultColumn("hash", int, "hash", "d"),
    ResultColumn("position", int, "position", "d"),
    ResultColumn("start", int, "start", "d"),
)

EXPLAINED_DOCUMENT: Final[Columns] = (
    ResultColumn("kind", str, "kind"),
    ResultColumn("alphabet", str, "alphabet", missing="-"),
    ResultColumn("symbols", int, "symbols"),
    ResultColumn("kgrams", int, "k-grams"),
    ResultColumn("fingerprints", int, "fingerprints"),
    ResultColumn("hashes", int, "distinct fingerprints"),
    ResultColumn("ignored_boilerplate", int, "ignored as boilerplate"),
    ResultColumn("ignored_common", int, "ignored as common"),
    ResultColumn("counted", int, "that count"),
)

EXPLANATION: Final[Columns] = (
    ResultColumn("shared", int, "shared, that count"),
    ResultColumn("shared_boilerplate", int, "shared boilerplate"),
    ResultColumn("shared_common", int, "shared and common"),
    ResultColumn("resemblance", float, "resemblance"),
    ResultColumn("longest", int, "longest shared passage, in symbols", missing="-"),
    ResultColumn("surely_found", int, "surely found from, in symbols", missing="-"),
)
