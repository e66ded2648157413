"""Tables of Arrow from results, for pandas, Polars and whatever else reads them. Needs the extra `parquet`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from fpdb.columns import Columns, ResultColumn
from fpdb.errors import BadName, MissingPackage

ARROW_TYPES: Final = {str: "string", int: "int64", float: "double", bool: "bool"}


LABELS: Final = ("labels", "labels_a", "labels_b")
NESTED: Final = ("regions", *LABELS)


class ToArrow(ABC):
    """Results that go into Arrow, and so into pandas and Polars: `pl.DataFrame(results)` takes them as they are."""

    __slots__ = ()

    @abstractmethod
    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`. Raises MissingPackage; BadName: a name is not UTF-8."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table by the Arrow PyCapsule interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def import_arrow(use: str = "Arrow") -> Any:
    """Return the module `pyarrow`. Raises MissingPackage, which names the use."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPackage(f"{use} takes the package pyarrow: pip install 'fpdb[parquet]'") from None
    return pyarrow


def schema_of(columns: Columns) -> Any:
    """Return the schema of columns; every one may hold null."""
    arrow = import_arrow()
    return arrow.schema([(column.name, arrow.type_for_alias(ARROW_TYPES[column.type])) for column in columns])


def batch_of(schema: Any, rows: Sequence[Sequence[object]]) -> Any:
    """Return rows as a record batch. Raises BadName."""
    arrow = import_arrow()
    values = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [arrow.array(_check_utf8(column), field.type) for column, field in zip(values, schema, strict=True)]
    return arrow.record_batch(arrays, schema)


def table_of(columns: Columns, results: Iterable[object]) -> Any:
    """Return the attributes of results, by columns that are never all null, as a table; regions as lists of structs.

    A column of a group is left out if no result has a value.
    """
    arrow = import_arrow()
    results = list(results)
    given = tuple(column for column in columns if column.name not in NESTED and _is_given(column, results))
    rows = [tuple(getattr(result, column.name) for column in given) for result in results]
    table = arrow.Table.from_batches([batch_of(schema_of(given), rows)])
    if any(getattr(result, "regions", None) is not None for result in results):
        regions = [cast("Any", result).to_dict().get("regions") for result in results]
        table = table.append_column("regions", arrow.array(regions))
    for column in columns:
        if column.name in LABELS and _is_given(column, results):
            labels = [list(getattr(result, column.name).items()) for result in results]
            table = table.append_column(column.name, arrow.array(labels, arrow.map_(arrow.string(), arrow.string())))
    return table


def _is_given(column: ResultColumn, results: Sequence[object]) -> bool:
    return not column.group or any(getattr(result, column.name) is not None for result in results)


def _check_utf8(values: Sequence[Any]) -> Sequence[Any]:
    for text in values:
        if isinstance(text, str) and not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise BadName(
                    f"the name {text!r} is not UTF-8, and Parquet holds no other text: use --format json or csv"
                ) from None
    return values
