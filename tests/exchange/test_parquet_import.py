"""Documents of a folder of Parquet files: as if all had been added one after the other."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from tests.exchange.merged_databases import (
    CHANGES,
    FOLDERS,
    PROSE,
    QUICK,
    RECIPE,
    compacted,
    grown,
    same,
)
from tests.parquet_folders import document, write, write_rows

pytestmark = pytest.mark.usefixtures("small_steps")


@QUICK
@given(ours=CHANGES, theirs=CHANGES, files=st.integers(1, 4), placed=st.booleans())
@pytest.mark.usefixtures("small_limits")
def test_adopting_equals_adding_all(tmp_path, ours, theirs, files, placed):
    """To the byte, also of the compacted file."""
    folder = tmp_path / str(next(FOLDERS))
    folder.mkdir()
    final = {}
    for name, hashes, _ in theirs:
        name = "p/" + name.replace("\udcff", "x")
        final.pop(name, None)
        if hashes is not None:
            final[name] = hashes
    db, _ = grown(folder / "a", ours)
    built, plain = grown(folder / "b", ours)
    listed = []
    for name, hashes in final.items():
        positions = range(len(hashes)) if placed else None
        built.add_fingerprints(name, hashes, positions, labels={"k": "v"}, source="here")
        plain.add(name, hashes)
        row = document(
            name,
            built.digest(name),
            symbols=len(hashes),
            kgrams=len(hashes),
            added=10**9,
            labels=[("k", "v")],
            source="here",
        )
        listed.append((row, zip(hashes, positions or [None] * len(hashes), strict=True)))
    with db, built:
        assert db.adopt(write(folder / "folder", RECIPE, listed, files=files))["added"] == len(final)
        same(db, plain)
        assert db.adopt(folder / "folder")["unchanged"] == len(final)
        assert compacted(db) == compacted(built)


def set_(which, row, **values):
    def spoil(tables):
        tables[which][row].update(values)

    return spoil


def swap(which, first, second):
    def spoil(tables):
        tables[which][first], tables[which][second] = tables[which][second], tables[which][first]

    return spoil


WRONG_ROWS = {
    "an ordinal is missing": (set_(0, 2, ordinal=3), r"row 3.* ordinal is 3, where 2"),
    "ordinals begin with 1": (lambda tables: [row.update(ordinal=row["ordinal"] + 1) for row in tables[0]], "where 0"),
    "an ordinal is null": (set_(0, 4, ordinal=None), r"row 5.*'ordinal' is null"),
    "a name is null": (set_(0, 1, name=None), r"row 2.*'name' is null"),
    "a name is empty": (set_(0, 1, name=""), r"row 2.*its name"),
    "a name comes twice": (set_(0, 3, name="1"), "documents 1 and 3 have one name"),
    "a digest is short": (set_(0, 1, digest=b"1"), r"row 2.*its digest"),
    "a count is negative": (set_(0, 1, symbols=-1), r"row 2.*its counts"),
    "a share is too large": (set_(0, 1, share=2**32), r"row 2.*its share"),
    "a label comes twice": (set_(0, 1, labels=[("a", "b"), ("a", "c")]), r"row 2.*its labels"),
    "a label is null": (set_(0, 1, labels=[("a", None)]), r"row 2.*its labels"),
    "a document has more postings": (
        lambda tables: (set_(0, 1, fingerprints=8)(tables), set_(0, 2, fingerprints=10)(tables)),
        "document 1 has 9 rows in postings/; its row in documents/ says 8",
    ),
    "counts do not add up": (set_(0, 1, fingerprints=8), "44 postings are told of.*45 rows"),
    "a hash is null": (set_(1, 1, hash=None), r"row 2.*'hash' is null"),
    "a document is null": (set_(1, 1, document=None), r"row 2.*'document' is null"),
    "a document is none": (set_(1, 44, document=5), r"row 45.*no such document, of 5"),
    "a document is negative": (set_(1, 7, document=-1), r"row 8.*0 or more"),
    "a position is too large": (set_(1, 20, position=2**32 - 1), r"row 21.*out of range"),
    "a position is negative": (set_(1, 20, position=-1), r"row 21.*out of range"),
    "postings are out of order": (swap(1, 20, 30), r"row 22.*does not come after"),
    "neighbours are out of order": (swap(1, 13, 14), r"row 15.*does not come after"),
    "a posting comes twice": (set_(1, 11, document=0), r"row 12.*does not come after"),
}


@pytest.mark.parametrize("wrong", WRONG_ROWS)
@pytest.mark.usefixtures("small_limits")
def test_what_is_wrong_in_a_folder_is_named_and_changes_nothing(db, tmp_path, folder_rows, wrong):
    spoil, message = WRONG_ROWS[wrong]
    db.add_fingerprints("here", [1, 2], boilerplate=True)
    before = compacted(db)
    spoil(folder_rows)
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *folder_rows, files=1)
    with pytest.raises(fpdb.BadFolder, match=message):
        db.adopt(folder)
    assert db.check() == []
    assert db.info()["runs"] == 1
    assert compacted(db) == before


def test_recipes_limit_hashes_and_positions(tmp_path, folder_rows):
    narrow = RECIPE.with_(hash_bits=16, positions=False)
    with fpdb.open(tmp_path / "db", recipe=narrow) as db:
        with pytest.raises(fpdb.BadFolder, match=r"row 1: it has a position"):
            db.adopt(write_rows(tmp_path / "1", narrow.to_record(), *folder_rows))
        for row in folder_rows[1]:
            row["position"] = None
        folder_rows[1][-1]["hash"] = 2**16 - 2**63
        with pytest.raises(fpdb.BadFolder, match=r"the hash has more than the recipe's 16 bits"):
            db.adopt(write_rows(tmp_path / "2", narrow.to_record(), *folder_rows))


def without(path):
    return lambda folder: (folder / path).unlink()


def rewrite(path, make):
    def spoil(folder):
        for file in folder.glob(path):
            pq.write_table(make(pq.read_table(file)), file)

    return spoil


def recast(column, type_):
    def make(table):
        at = table.schema.get_field_index(column)
        return table.set_column(at, column, pa.array([None] * len(table), type_))

    return make


def overwrite(path, content):
    return lambda folder: next(folder.glob(path)).write_bytes(content)


WRONG_FOLDERS = {
    "not finished": (without("_SUCCESS"), "_SUCCESS"),
    "documents not finished": (without("documents/_SUCCESS"), r"documents' has no _SUCCESS"),
    "postings not finished": (without("postings/_SUCCESS"), r"postings' has no _SUCCESS"),
    "no recipe": (without("recipe.json"), "holds no recipe"),
    "a recipe that is none": (overwrite("recipe.json", b"[]"), "holds no recipe"),
    "a recipe of nonsense": (overwrite("recipe.json", b"\xff{"), "holds no recipe"),
    "an unknown part of a recipe": (
        lambda folder: (folder / "recipe.json").write_text(json.dumps({**RECIPE.to_record(), "colour": "red"})),
        "holds no recipe",
    ),
    "a column is missing": (
        rewrite("postings/*.parquet", lambda table: table.drop_columns(["position"])),
        "'position'",
    ),
    "a needed column is missing": (
        rewrite("documents/*.parquet", lambda table: table.drop_columns(["note"])),
        "'note'",
    ),
    "a column too many": (
        rewrite("documents/*.parquet", lambda table: table.append_column("x", table.column(0))),
        "'x', which is not known",
    ),
    "a narrow type": (
        rewrite("postings/*.parquet", recast("document", pa.int32())),
        "'document' is of type int64, not",
    ),
    "an unsigned type": (rewrite("postings/*.parquet", recast("hash", pa.uint64())), "'hash' is of type int64, not"),
    "a string for bytes": (rewrite("documents/*.parquet", recast("digest", pa.string())), "'digest' is of type binary"),
    "labels of numbers": (
        rewrite("documents/*.parquet", recast("labels", pa.map_(pa.string(), pa.int64()))),
        "'labels' is of type map",
    ),
    "a damaged file": (overwrite("postings/*.parquet", b"PAR1 what is this PAR1"), "cannot be read"),
    "a file of another sort": (lambda folder: (folder / "postings" / "x.csv").touch(), "x.csv' is no Parquet file"),
    "a folder in it": (lambda folder: (folder / "postings" / "x=1").mkdir(), "x=1' is no Parquet file"),
    "no folder": (shutil.rmtree, "is no folder"),
}


@pytest.mark.parametrize("wrong", WRONG_FOLDERS)
def test_a_folder_that_is_none_is_refused(db, tmp_path, folder_rows, wrong):
    spoil, message = WRONG_FOLDERS[wrong]
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *folder_rows, files=1)
    spoil(folder)
    with pytest.raises(fpdb.BadFolder, match=message):
        db.adopt(folder)
    assert len(db) == 0


def test_names_that_are_there_are_refused_skipped_or_replaced(db, tmp_path, folder_rows):
    db.add_fingerprints("1", [100])
    db.add_fingerprints("2", [1, 2], boilerplate=True)
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *folder_rows)
    with pytest.raises(fpdb.NameTaken, match=r"'1', '2'; 2 in all"):
        db.adopt(folder)
    assert len(db) == 1
    assert db.adopt(folder, on_collision="skip") == {"added": 3, "replaced": 0, "unchanged": 0, "skipped": 2}
    assert db.query_fingerprints([100]).matches[0].name == "1"
    assert db.check() == []
    assert db.adopt(folder, on_collision="replace") == {"added": 0, "replaced": 2, "unchanged": 3, "skipped": 0}
    assert not db.query_fingerprints([100]).matches
    assert [match.shared for match in db.query_fingerprints([1, 2]).matches] == [2] * 5
    assert db.adopt(folder, prefix="again/")["added"] == 5


def test_a_content_fingerprinted_elsewhere_is_found(db, tmp_path):
    """Return the row that a worker writes for a document."""
    found = RECIPE.fingerprint(PROSE)
    row = document(
        "prose",
        fpdb.fingerprint.content_digest(PROSE),
        symbols=found.symbols,
        kgrams=found.kgrams,
        share=found.share,
        note=found.note,
        kind=found.kind,
        added=10**9,
    )
    pairs = list(zip(found.hashes.tolist(), found.positions.tolist(), strict=True))
    db.adopt(write(tmp_path / "folder", RECIPE, [(row, pairs)]))
    assert db.query(PROSE, name="prose", include_self=True).matches[0].containment == 1
    assert db.add("prose", PROSE) == "unchanged"
    assert db.document("prose").hashes == len(set(found.hashes.tolist()))
