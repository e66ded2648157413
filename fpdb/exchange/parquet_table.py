"""Tables of Parquet files with columns of known types; every error names the file, and the row where there is one."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from fpdb.arrays import I64, Bools
from fpdb.errors import BadFolder, MissingPackage

if TYPE_CHECKING:
    from pyarrow import DataType, RecordBatch

SUCCESS: Final = "_SUCCESS"
INTEGER, STRING, BINARY, MAP = "int64", "string", "binary", "map<string, string>"


class ParquetColumn(NamedTuple):
    """A column: its type, whether it may be null, and whether it may be left out."""

    type: str
    nullable: bool = False
    optional: bool = False


class RowLocation(NamedTuple):
    """The location of a batch of rows: the file, and the number of rows before."""

    path: str
    before: int

    def error(self, row: int, what: str) -> BadFolder:
        """Return an error on a row of the batch."""
        return BadFolder(f"{self.path!r}, row {self.before + row + 1}: {what}")

    def to_list(self, column: Any) -> list[Any]:
        """Return a column's values. Raises BadFolder."""
        try:
            values: list[Any] = column.to_pylist()
        except UnicodeDecodeError as error:
            raise BadFolder(f"{self.path!r}, after row {self.before}: it is not UTF-8: {error}") from error
        return values

    def refuse(self, wrong: Bools, what: str) -> None:
        """Raise BadFolder on the first row that is wrong, if any."""
        if wrong.any():
            raise self.error(int(np.argmax(wrong)), what)


class ParquetTable:
    """The Parquet files of a folder, in the order of their first rows.

    Attributes:
        rows: The number of rows of all files.
    """

    def __init__(self, path: str, columns: Mapping[str, ParquetColumn], key: tuple[str, ...]) -> None:
        """Read the schemas, and the columns of the key in the first rows. Raises BadFolder, MissingPackage."""
        self._columns = columns
        self.rows = 0
        check_success(path)
        first_keys = []
        for name in sorted(os.listdir(path)):
            file = os.path.join(path, name)
            if name.startswith(("_", ".")):
                continue
            if not name.endswith(".parquet") or not os.path.isfile(file):
                raise BadFolder(f"{file!r} is no Parquet file; only such belong there")
            with _open(file) as opened:
                self._check_schema(file, opened.schema_arrow)
                self.rows += opened.metadata.num_rows
                for batch in opened.iter_batches(1, columns=list(key)):
                    if batch.num_rows:
                        # Null is before every number, and what else is wrong with the row is said when it is read.
                        values = [batch.column(name)[0].as_py() for name in key]
                        first_keys.append(([(value is not None, value or 0) for value in values], file))
                        break
        self._files = [file for _, file in sorted(first_keys)]

    def _check_schema(self, file: str, schema: Any) -> None:
        for name in schema.names:
            if name not in self._columns or schema.names.count(name) > 1:
                raise BadFolder(f"{file!r} has a column {name!r}, which is not known, or is there twice")
        for name, column in self._columns.items():
            if name not in schema.names:
                if column.optional:
                    continue
                raise BadFolder(f"{file!r} has no column {name!r}")
            actual = schema.field(name).type
            if not _is_type(actual, column.type):
                raise BadFolder(f"{file!r}: the column {name!r} is of type {column.type}, not {actual}")

    def batches(self, rows: int) -> Iterator[tuple[RowLocation, "RecordBatch"]]:
        """Yield the rows of all files, so many at once, with null only where it may be. Raises BadFolder."""
        for file in self._files:
            with _open(file) as opened:
                before = 0
                for batch in opened.iter_batches(rows):
                    location = RowLocation(file, before)
                    for name in batch.schema.names:
                        if batch.column(name).null_count and not self._columns[name].nullable:
                            location.refuse(~np.asarray(batch.column(name).is_valid()), f"{name!r} is null")
                    if batch.num_rows:
                        yield location, batch
                    before += batch.num_rows


@contextmanager
def _open(path: str) -> Iterator[Any]:
    """Open a Parquet file for the block. Raises BadFolder, MissingPackage."""
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingPackage("pyarrow is needed to read Parquet files: pip install 'fpdb[parquet]'") from error
    try:
        with ParquetFile(path) as file:
            yield file
    except (pyarrow.ArrowException, OSError) as error:
        raise BadFolder(f"{path!r} cannot be read: {error}") from error


def _is_type(actual: "DataType", expected: str) -> bool:
    from pyarrow import types

    checks: Mapping[str, Callable[[DataType], bool]] = {
        INTEGER: types.is_int64,
        STRING: lambda type_: types.is_string(type_) or types.is_large_string(type_),
        BINARY: lambda type_: types.is_binary(type_) or types.is_large_binary(type_),
        MAP: lambda type_: (
            types.is_map(type_) and all(_is_type(part, STRING) for part in (type_.key_type, type_.item_type))
        ),
    }
    return checks[expected](actual)


def check_success(path: str) -> None:
    """Raise BadFolder if a folder is not finished."""
    if not os.path.isfile(os.path.join(path, SUCCESS)):
        raise BadFolder(
            f"{path!r} has no {SUCCESS}: whoever writes it has not come to the end, or failed; wait, or redo it"
        )


def integers(batch: "RecordBatch", name: str) -> I64:
    """Return a column of integers as an array."""
    return np.asarray(batch.column(name), np.int64)
