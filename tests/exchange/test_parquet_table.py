"""Tables of Parquet files: their columns, the order of their files, and files that cannot be read."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fpdb
from fpdb.exchange.parquet_table import INTEGER, STRING, ParquetColumn, ParquetTable
from tests.exchange.merged_databases import RECIPE
from tests.parquet_folders import DOCUMENTS, POSTINGS, document, write, write_rows

pytestmark = pytest.mark.usefixtures("small_steps")

COLUMNS = {
    "key": ParquetColumn(INTEGER),
    "name": ParquetColumn(STRING, nullable=True),
    "note": ParquetColumn(STRING, optional=True),
}


def write_table(folder, files):
    folder.mkdir()
    for name, values in files.items():
        pq.write_table(pa.table(values), folder / name)
    (folder / "_SUCCESS").touch()
    return str(folder)


def test_postings_cut_short_in_a_file_are_found(db, tmp_path, folder_rows):
    """The footer is sound, and a page is not."""
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *folder_rows, files=1)
    file = next((folder / "postings").glob("*.parquet"))
    content = bytearray(file.read_bytes())
    content[4:200] = bytes(196)
    file.write_bytes(content)
    with pytest.raises(fpdb.BadFolder, match="cannot be read"):
        db.adopt(folder)
    assert len(db) == 0


def test_optional_columns_and_empty_folders(db, tmp_path, folder_rows):
    least = pa.schema([field for field in DOCUMENTS if field.name not in ("source", "contact", "labels")])
    large = pa.schema(
        [pa.field(each.name, {pa.string(): pa.large_string()}.get(each.type, each.type)) for each in least]
    )
    for path, schema, status in ((tmp_path / "1", least, "added"), (tmp_path / "2", large, "unchanged")):
        folder = write_rows(path, RECIPE.to_record(), *folder_rows, schemas=(schema, POSTINGS))
        assert db.adopt(folder)[status] == 5
    assert sum(db.adopt(write_rows(tmp_path / "3", RECIPE.to_record(), [], [], files=0)).values()) == 0
    with pytest.raises(fpdb.BadFolder, match=r"0 postings are told of.*45 rows"):
        db.adopt(write_rows(tmp_path / "4", RECIPE.to_record(), [], folder_rows[1]))


def test_parquet_needs_its_package(db, tmp_path, monkeypatch):
    folder = write(tmp_path / "folder", RECIPE, [(document("a", b"a" * 16), [])])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(fpdb.MissingPackage, match=r"fpdb\[parquet\]"):
        db.adopt(folder)


def test_files_are_read_in_the_order_of_their_first_rows(tmp_path):
    files = {
        "a.parquet": {"key": [7, 8, 9], "name": ["seven", None, "nine"]},
        "b.parquet": {"key": pa.array([], pa.int64()), "name": pa.array([], pa.string())},
        "c.parquet": {"key": [1, 2], "name": ["one", "two"]},
        "_c.parquet": {"other": [1]},
    }
    table = ParquetTable(write_table(tmp_path / "table", files), COLUMNS, ("key",))
    assert table.rows == 5
    batches = list(table.batches(2))
    assert [batch.column("key").to_pylist() for _, batch in batches] == [[1, 2], [7, 8], [9]]
    assert [(location.path[-9:], location.before) for location, _ in batches] == [
        ("c.parquet", 0),
        ("a.parquet", 0),
        ("a.parquet", 2),
    ]
    assert str(batches[2][0].error(0, "it is wrong")).endswith("a.parquet', row 3: it is wrong")


def test_null_is_refused_where_it_may_not_be(tmp_path):
    path = write_table(tmp_path / "table", {"a.parquet": {"key": [1, 2, None], "name": ["one", None, "three"]}})
    table = ParquetTable(path, COLUMNS, ("key",))
    with pytest.raises(fpdb.BadFolder, match="row 3: 'key' is null"):
        list(table.batches(10))
