"""Documents of another database: as if all had been added one after the other."""

import os
import shutil

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fpdb
from fpdb import keys
from fpdb.exchange import merge_database
from fpdb.storage import commit, file_format, store
from fpdb.storage.runs.writer import RunWriter
from tests.exchange.merged_databases import (
    CHANGES,
    FOLDERS,
    MOST,
    PROSE,
    QUICK,
    RECIPE,
    compacted,
    grown,
    same,
)
from tests.parquet_folders import document, rows, write, write_rows
from tests.storage.raw import Raw

pytestmark = pytest.mark.usefixtures("small_steps")


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
    """For databases whose names differ, so that the order is the same."""
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
            (f"b/{each.name}", *[getattr(each, field) for field in each._fields if field != "name"])
            for each in other.documents()
        ]
        found = [
            (each.name, *[getattr(each, field) for field in each._fields if field != "name"])
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
        "the rule for tokens (none, not k=16 robust-winnow w=5)": fpdb.Recipe.preset("code"),
        "reader_version (2, not 1)": recipe.with_(reader_version=1),
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


def two_names(raw):
    raw.set_names(d=0)
    raw.change_state(documents=raw.state.documents + 1)


FAULTS = {
    "the last id is the last there can be": lambda raw: raw.change_run(0, last_id=file_format.LAST_DOCUMENT),
    "every id is given": lambda raw: (
        raw.change_state(next_document=file_format.FIRST_BOILERPLATE),
        raw.change_run(0, last_id=file_format.LAST_DOCUMENT),
    ),
    "two names of a document": two_names,
    "a record with another name": lambda raw: raw.change_record(0, name=b"b"),
    "a record of more postings": lambda raw: raw.change_record(0, fingerprints=101),
    "a boilerplate document of more postings": lambda raw: raw.change_record(2**31, fingerprints=101),
    "a size of fewer hashes": lambda raw: raw.change_sizes(0, hashes=99),
    "a text of another content": lambda raw: raw.change_record(1, digest=bytes(16)),
    "more dead postings than there are": lambda raw: raw.change_run(0, dead=10),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_is_taken_of_a_database_that_is_not_sound(db, tmp_path, fault):
    """Checksums keep out damage only: whoever forges a value computes them."""
    db.add("mine", PROSE)
    path = str(tmp_path / "b")
    with fpdb.open(path) as other:
        other.add_fingerprints("a", range(100))
        other.add("b", PROSE, keep_text=True)
        other.add_fingerprints("c", range(50, 90), boilerplate=True)
    with Raw(path) as raw:
        FAULTS[fault](raw)
    before = compacted(db)
    with fpdb.open(path, "r") as other, pytest.raises(fpdb.Corrupt):
        db.merge(other, on_collision="replace")
    assert compacted(db) == before
