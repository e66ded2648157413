"""Documents taken over from another database or a folder: as if all had been added one after the other."""

import json
import os
import shutil
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb import keys
from fpdb.exchange import merge_database, parquet_import
from fpdb.storage import commit, file_format, ingest, store
from fpdb.storage.runs import writer
from fpdb.storage.runs.postings import Postings
from fpdb.storage.runs.writer import RunWriter
from fpdb.storage.snapshot import Snapshot
from tests.parquet_folders import DOCUMENTS, POSTINGS, document, rows, write, write_rows
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json

PROSE = "Four score and seven years ago our fathers brought forth on this continent, a new nation. " * 9
RECIPE = fpdb.Recipe.preset()
MOST = 2**64 - 1
QUICK = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))

NAMES = st.sampled_from(["a", "b", "c", "d", "long " * 100 + "1", "long " * 100 + "2", "\u00e9", "\udcff"])
HASHES = st.lists(st.one_of(st.integers(0, 12), st.just(MOST)), max_size=12)
CHANGES = st.lists(st.tuples(NAMES, st.none() | HASHES, st.sampled_from([False, False, True])), max_size=10)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch):
    """Batches of a few documents and postings, and a clock that stands still."""
    monkeypatch.setattr(writer, "POSTINGS_PER_TRANSACTION", 30)
    monkeypatch.setattr(ingest, "DOCUMENTS_PER_COMMIT", 3)
    monkeypatch.setattr(ingest, "TEXT_BYTES_PER_COMMIT", 200)
    monkeypatch.setattr(merge_database, "POSTINGS_PER_PART", 20)
    monkeypatch.setattr(merge_database, "NAMES_PER_LOOK_UP", 5)
    monkeypatch.setattr(parquet_import, "DOCUMENTS_PER_READ", 5)
    monkeypatch.setattr(parquet_import, "POSTINGS_PER_READ", 7)
    monkeypatch.setattr(time, "time", lambda: 1e9)


def change(db, plain, name, hashes, boilerplate, **options):
    """Add or remove a document in the database and in the reference."""
    if hashes is not None:
        db.add_fingerprints(name, hashes, range(len(hashes)), boilerplate=boilerplate, **options)
        plain.add(name, hashes, boilerplate)
        plain.given[name] = list(hashes), boilerplate
    elif name in plain:
        db.remove(name)
        plain.remove(name)
        del plain.given[name]


def grown(path, changes):
    """Return an open database, and the reference with the same documents."""
    db, plain = fpdb.open(path, "x"), ReferenceDatabase()
    plain.given = {}  # type: ignore[attr-defined]
    for start in range(0, len(changes), 4):
        with db.batch() as some:
            for each in changes[start : start + 4]:
                change(some, plain, *each)
    return db, plain


def compacted(db):
    db.compact()
    with open(db.path, "rb") as file:
        return file.read()


def same(db, plain):
    assert db.check() == []
    assert [each.name for each in db.documents()] == plain.names()
    for number, options in enumerate(OPTIONS):
        for hashes in ([0, 1, 2, 3, 4, 5, 6, 7], [MOST, 12, 11, 3, 4]) if number % 3 == 0 else (list(range(13)),):
            assert as_json(db.query_fingerprints(hashes, **options)) == as_json(plain.answer(hashes, **options))


FOLDERS = iter(range(10**9))


@QUICK
@given(
    ours=CHANGES,
    theirs=CHANGES,
    prefix=st.sampled_from(["", "p/"]),
    on_collision=st.sampled_from(merge_database.COLLISIONS),
)
@example(ours=[("a", [1], True)], theirs=[("a", [1, 2], False), ("b", [1], False)], prefix="", on_collision="replace")
@example(ours=[("a", [1], False)], theirs=[("a", [1], True), ("b", [1], False)], prefix="", on_collision="replace")
@pytest.mark.usefixtures("small_limits")
def test_merging_equals_adding_all(tmp_path, ours, theirs, prefix, on_collision):
    folder = tmp_path / str(next(FOLDERS))
    folder.mkdir()
    db, plain = grown(folder / "a", ours)
    other, given = grown(folder / "b", theirs)
    before = {name: other.document(name) for name in given.names()}
    with db, other:
        taken = {"added": 0, "replaced": 0, "unchanged": 0, "skipped": 0}
        come = []
        for name in sorted(given.names(), key=lambda name: given.given[name][1], reverse=True):
            hashes, boilerplate = given.given[name]
            there = plain.given.get(prefix + name)
            if there is None:
                taken["added"] += 1
            elif there == (hashes, boilerplate):
                taken["unchanged"] += 1
                continue
            elif on_collision == "replace":
                taken["replaced"] += 1
            else:
                taken["skipped"] += 1
                continue
            come.append((prefix + name, hashes, boilerplate))
        if on_collision == "refuse" and taken["skipped"]:
            contents = compacted(db)
            with pytest.raises(fpdb.NameTaken, match=rf"{taken['skipped']} in all"):
                db.merge(other, prefix=prefix, on_collision=on_collision)
            assert compacted(db) == contents
            return
        assert db.merge(other, prefix=prefix, on_collision=on_collision) == taken
        assert other.check() == []
        for name, hashes, boilerplate in come:
            plain.add(name, hashes, boilerplate)
            plain.given[name] = hashes, boilerplate
            now, then = db.document(name), before[name[len(prefix) :]]
            assert (now.digest, now.symbols, now.hashes, now.boilerplate) == (
                then.digest,
                then.symbols,
                then.hashes,
                then.boilerplate,
            )
        same(db, plain)
        again = db.merge(other, prefix=prefix, on_collision="skip")
        assert again["added"] == again["replaced"] == 0
        same(db, plain)


@QUICK
@given(ours=CHANGES, theirs=CHANGES)
@pytest.mark.usefixtures("small_limits")
def test_after_compact_the_file_is_that_of_a_database_built_here(tmp_path, ours, theirs):
    """Where names differ, so that the order is the same."""
    folder = tmp_path / str(next(FOLDERS))
    folder.mkdir()
    theirs = [("p/" + name, *rest) for name, *rest in theirs]
    db, _ = grown(folder / "a", ours)
    other, _ = grown(folder / "b", theirs)
    built, _ = grown(folder / "c", [*ours, *theirs])
    with db, other, built:
        db.merge(other)
        assert compacted(db) == compacted(built)


def test_all_that_is_known_of_a_document_comes_with_it(db, tmp_path, rng):
    recipe = RECIPE
    with fpdb.open(tmp_path / "b", recipe=recipe) as other:
        other.add("kept", PROSE, keep_text=True, source="/a/b", contact="ann@example.org", labels={"ä": "\udcff"})
        other.add("bytes", PROSE.encode() + b"!", keep_text=True)
        other.add(
            "template",
            "Fill in this form, sign it, and send it to the office of the society. " * 3,
            boilerplate=True,
            keep_text=True,
        )
        other.add_fingerprints("placed", rng.integers(0, MOST, 500, np.uint64), rng.integers(0, 2**32 - 1, 500))
        other.add("empty", "")
        db.add("mine", PROSE[:400])
        assert db.merge(other, prefix="b/")["added"] == 5
        expected = [
            (f"b/{each.name}", *[getattr(each, field) for field in each.__slots__ if field != "name"])
            for each in other.documents()
        ]
        found = [
            (each.name, *[getattr(each, field) for field in each.__slots__ if field != "name"])
            for each in db.documents("b/*")
        ]
        assert found == expected
        assert [db.text(f"b/{name}") for name in ("kept", "bytes", "template")] == [
            other.text(name) for name in ("kept", "bytes", "template")
        ]
        assert isinstance(db.original("b/kept"), str)
        regions = db.query(PROSE, regions=True).matches[0].regions
        assert regions == other.query(PROSE, regions=True).matches[0].regions


@pytest.mark.parametrize("preset", ["koala", "sample", "code"])
def test_samples_and_rotations_come_along(tmp_path, preset):
    recipe = fpdb.Recipe.preset(preset)
    texts = [" ".join(f"word{(seed * 7919 + number) % 5000}" for number in range(400 * seed)) for seed in range(1, 5)]
    with (
        fpdb.open(tmp_path / "a", recipe=recipe) as db,
        fpdb.open(tmp_path / "b", recipe=recipe) as other,
        fpdb.open(tmp_path / "c", recipe=recipe) as built,
    ):
        for number, text in enumerate(texts):
            for into in (db if number < 2 else other, built):
                into.add(f"{number}", text)
        if preset == "koala":
            for into in (other, built):
                into.rotate("3", texts[3], rotation=5)
        db.merge(other)
        assert db.check() == []
        assert [*db.documents()] == [*built.documents()]
        for text in texts:
            assert db.query(text[100:5000]).to_dict() == built.query(text[100:5000]).to_dict()
        if preset != "koala":  # a rotated document is the last one there, and would be in another order
            assert compacted(db) == compacted(built)


def differing(recipe):
    return {
        "the key": recipe.with_(key=1),
        "the rule for characters (k=30 robust-winnow w=21, not k=31 robust-winnow w=21)": recipe.with_(k=31),
        "hash_bits (64, not 40)": recipe.with_(hash_bits=40),
        "positions (True, not False)": recipe.with_(positions=False),
        "the rule for tokens (none, not k=16 robust-winnow w=8)": fpdb.Recipe.preset("code"),
    }


@pytest.mark.parametrize("what", differing(RECIPE))
def test_another_recipe_is_refused_and_what_differs_is_said(db, tmp_path, what):
    recipe = differing(RECIPE)[what]
    with fpdb.open(tmp_path / "b", recipe=recipe) as other, pytest.raises(fpdb.RecipeMismatch) as caught:
        db.merge(other)
    assert str(caught.value).endswith(f"different recipes: {what}")
    folder = write(tmp_path / "folder", recipe, [])
    with pytest.raises(fpdb.RecipeMismatch) as caught:
        db.adopt(folder)
    assert str(caught.value).endswith(f"different recipes: {what}")


def test_caps_of_queries_may_differ(db, tmp_path):
    with fpdb.open(tmp_path / "b", recipe=RECIPE.with_(max_df=3)) as other:
        other.add_fingerprints("a", [1])
        assert db.merge(other)["added"] == 1


def test_key_files_are_compared(tmp_path):
    for name in "ab":
        keys.create(tmp_path / f"{name}.key")
    paths = [tmp_path / name for name in ("1", "2", "3")]
    for path, key in zip(paths, "aab", strict=True):
        fpdb.open(path, key_file=tmp_path / f"{key}.key").close()
    with fpdb.open(paths[0]) as db, fpdb.open(paths[1]) as same_key, fpdb.open(paths[2]) as other_key:
        same_key.add_fingerprints("a", [1])
        assert db.merge(same_key)["added"] == 1
        with pytest.raises(fpdb.RecipeMismatch, match="different recipes: the key file"):
            db.merge(other_key)
        with fpdb.open(tmp_path / "public") as public, pytest.raises(fpdb.RecipeMismatch, match="where the key is"):
            db.merge(public)
        record = {**RECIPE.to_record(), "key_digest": keys.read(tmp_path / "a.key").digest}
        del record["key"]
        assert db.adopt(write_rows(tmp_path / "folder", record, *rows([(document("b", b"b" * 16), [])])))["added"] == 1


def test_a_database_is_not_merged_with_itself_nor_into_one_that_is_read_only(db, path, tmp_path):
    with pytest.raises(fpdb.Error, match="itself"):
        db.merge(db)
    fpdb.open(tmp_path / "b").close()
    with fpdb.open(tmp_path / "b", "r") as other, pytest.raises(fpdb.ReadOnly):
        other.merge(db)
    with pytest.raises(ValueError, match="on_collision"):
        db.adopt(write(tmp_path / "folder", RECIPE, []), on_collision="maybe")
    assert os.path.exists(path)


def test_a_name_that_gets_too_long_is_refused(db, tmp_path):
    with fpdb.open(tmp_path / "b") as other:
        other.add_fingerprints("n" * 65_535, [1])
        with pytest.raises(fpdb.BadName):
            db.merge(other, prefix="p")
        assert len(db) == 0
        assert db.merge(other)["added"] == 1


# ---------------------------------------------------------------- interruptions


class Interrupted(Exception):
    pass


def interrupt(monkeypatch, nth):
    """Fails the nth write transaction from now on; returns how many there were."""
    done = [0]
    apply, append = commit.apply, RunWriter.append

    def counted(step):
        def call(*arguments):
            done[0] += 1
            if done[0] == nth:
                raise Interrupted
            return step(*arguments)

        return call

    monkeypatch.setattr(commit, "apply", counted(apply))
    monkeypatch.setattr(RunWriter, "append", counted(append))
    return done


@pytest.mark.usefixtures("small_limits")
def test_an_interrupted_merge_leaves_a_sound_database_and_goes_on(tmp_path, rng, monkeypatch):
    def fill(db, letter, count):
        for number in range(count):
            hashes = rng.integers(0, 60, 12, np.uint64)
            db.add_fingerprints(f"{letter}{number}", hashes, range(12), boilerplate=number % 9 == 5)

    with fpdb.open(tmp_path / "a") as db, fpdb.open(tmp_path / "b") as other:
        fill(db, "a", 7)
        fill(other, "b", 17)
        original = compacted(db)
        shutil.copy(db.path, tmp_path / "whole")
        with fpdb.open(tmp_path / "whole") as whole:
            with monkeypatch.context() as patch:
                steps = interrupt(patch, -1)
                whole.merge(other)
            expected = compacted(whole)
        states = set()
        for nth in range(1, steps[0] + 1):
            shutil.copy(tmp_path / "a", tmp_path / f"{nth}")
            with fpdb.open(tmp_path / f"{nth}") as broken:
                with monkeypatch.context() as patch:
                    interrupt(patch, nth)
                    if nth % 3:  # killed, so that nothing is swept
                        patch.setattr(store.Store, "sweep", lambda _: None)
                    with pytest.raises(Interrupted):
                        broken.merge(other)
                assert broken.check() == []
                states.add(len(broken))
                if nth % 2:  # another change in between, which may merge runs
                    broken.add_fingerprints("between", [1, 2, 3])
                    broken.remove("between")
                assert broken.check() == []
                broken.merge(other)
                assert broken.check() == []
                assert compacted(broken) == expected
        assert len(states) > 3
        assert compacted(db) == original


# ---------------------------------------------------------------- folders


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


@pytest.fixture
def some():
    """Rows of a sound folder."""
    return rows(
        [(document(f"{number}", bytes([number]) * 16), [(hash_, hash_) for hash_ in range(9)]) for number in range(5)]
    )


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
def test_what_is_wrong_in_a_folder_is_named_and_changes_nothing(db, tmp_path, some, wrong):
    spoil, message = WRONG_ROWS[wrong]
    db.add_fingerprints("here", [1, 2], boilerplate=True)
    before = compacted(db)
    spoil(some)
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *some, files=1)
    with pytest.raises(fpdb.BadFolder, match=message):
        db.adopt(folder)
    assert db.check() == []
    assert db.info()["runs"] == 1
    assert compacted(db) == before


def test_recipes_limit_hashes_and_positions(tmp_path, some):
    narrow = RECIPE.with_(hash_bits=16, positions=False)
    with fpdb.open(tmp_path / "db", recipe=narrow) as db:
        with pytest.raises(fpdb.BadFolder, match=r"row 1: it has a position"):
            db.adopt(write_rows(tmp_path / "1", narrow.to_record(), *some))
        for row in some[1]:
            row["position"] = None
        some[1][-1]["hash"] = 2**16 - 2**63
        with pytest.raises(fpdb.BadFolder, match=r"the hash has more than the recipe's 16 bits"):
            db.adopt(write_rows(tmp_path / "2", narrow.to_record(), *some))


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
def test_a_folder_that_is_none_is_refused(db, tmp_path, some, wrong):
    spoil, message = WRONG_FOLDERS[wrong]
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *some, files=1)
    spoil(folder)
    with pytest.raises(fpdb.BadFolder, match=message):
        db.adopt(folder)
    assert len(db) == 0


def test_postings_cut_short_in_a_file_are_found(db, tmp_path, some):
    """Where the footer is sound and a page is not."""
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *some, files=1)
    file = next((folder / "postings").glob("*.parquet"))
    content = bytearray(file.read_bytes())
    content[4:200] = bytes(196)
    file.write_bytes(content)
    with pytest.raises(fpdb.BadFolder, match="cannot be read"):
        db.adopt(folder)
    assert len(db) == 0


def test_optional_columns_and_empty_folders(db, tmp_path, some):
    least = pa.schema([field for field in DOCUMENTS if field.name not in ("source", "contact", "labels")])
    large = pa.schema(
        [pa.field(each.name, {pa.string(): pa.large_string()}.get(each.type, each.type)) for each in least]
    )
    assert db.adopt(write_rows(tmp_path / "1", RECIPE.to_record(), *some, schemas=(least, POSTINGS)))["added"] == 5
    assert db.adopt(write_rows(tmp_path / "2", RECIPE.to_record(), *some, schemas=(large, POSTINGS)))["unchanged"] == 5
    assert sum(db.adopt(write_rows(tmp_path / "3", RECIPE.to_record(), [], [], files=0)).values()) == 0
    with pytest.raises(fpdb.BadFolder, match=r"0 postings are told of.*45 rows"):
        db.adopt(write_rows(tmp_path / "4", RECIPE.to_record(), [], some[1]))


def test_names_that_are_there_are_refused_skipped_or_replaced(db, tmp_path, some):
    db.add_fingerprints("1", [100])
    db.add_fingerprints("2", [1, 2], boilerplate=True)
    folder = write_rows(tmp_path / "folder", RECIPE.to_record(), *some)
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
    """What a worker would do: `Recipe.fingerprint`, and the row of what it gives."""
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


def test_parquet_needs_its_package(db, tmp_path, monkeypatch):
    folder = write(tmp_path / "folder", RECIPE, [(document("a", b"a" * 16), [])])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(fpdb.MissingPackage, match=r"fpdb\[parquet\]"):
        db.adopt(folder)


def test_a_hostile_database_cannot_bring_disorder(db, tmp_path, monkeypatch):
    """Checksums keep out damage only."""
    with fpdb.open(tmp_path / "b") as other:
        other.add_fingerprints("a", range(100))
        scan = Snapshot.scan

        def disordered(snapshot, run):
            for piece in scan(snapshot, run):
                yield Postings(piece.hashes[::-1].copy(), piece.document_ids, piece.encoded_positions)

        monkeypatch.setattr(Snapshot, "scan", disordered)
        with pytest.raises(fpdb.Corrupt, match="out of order"):
            db.merge(other)
        monkeypatch.setattr(Snapshot, "scan", scan)
    assert len(db) == db.info()["runs"] == 0
    assert file_format.FORMAT_VERSION == 1
