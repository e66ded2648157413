"""Secret keys: in a file of their own the database does not have them, and nothing ever tells them."""

import os
import stat
import traceback
from pathlib import Path

import numpy as np
import pytest

import fpdb
from fpdb import keys
from fpdb.errors import BadKeyFile, BadRecipe, MissingKey, RecipeMismatch
from fpdb.fingerprint import DEFAULT_KEY, Recipe

TEXT = "Four score and seven years ago our fathers brought forth on this continent a new nation. " * 3


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "its key"
    keys.create(path)
    return path


@pytest.fixture
def kept_apart(path, key_file):
    """Make a database with one document, whose key is in `key_file`, and return its path."""
    with fpdb.open(path, key_file=key_file) as db:
        db.add("a", TEXT, keep_text=True)
        assert db.check() == []
    return path


def test_a_key_file_is_its_owners_alone_whatever_the_mask(tmp_path):
    before = os.umask(0)
    try:
        keys.create(tmp_path / "k")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600


def test_a_key_file_reads_back_and_no_two_are_alike(tmp_path):
    made = [keys.create(tmp_path / str(number)) for number in range(8)]
    assert [keys.read(tmp_path / str(number)) for number in range(8)] == made
    assert len({one.key for one in made}) == len({one.digest for one in made}) == 8


def test_a_key_file_is_never_overwritten(key_file, tmp_path):
    before = key_file.read_bytes()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for path in (key_file, tmp_path / "link"):
        with pytest.raises(BadKeyFile, match="never overwritten"):
            keys.create(path)
    assert key_file.read_bytes() == before
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "content", [b"", b"fpdb key \n", b"fpdb key " + b"0" * 63 + b"\n", b"fpdb key " + b"g" * 64, b"\0" * 9999]
)
def test_what_is_no_key_file_is_refused_and_not_repeated(tmp_path, content):
    (tmp_path / "k").write_bytes(content)
    with pytest.raises(BadKeyFile, match="is no key file, or is damaged") as caught:
        keys.read(tmp_path / "k")
    assert "000" not in str(caught.value)


def test_missing_files_folders_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, said in ((tmp_path / "none", "No such file"), (tmp_path, "regular"), (tmp_path / "pipe", "regular")):
        with pytest.raises(BadKeyFile, match=said):
            keys.read(path)
    with pytest.raises(BadKeyFile, match="cannot be made"):
        keys.create(tmp_path / "none" / "k")


def test_a_file_that_others_may_read_is_told(kept_apart, key_file):
    for mode, exposed in ((0o600, False), (0o400, False), (0o640, True), (0o604, True)):
        key_file.chmod(mode)
        with fpdb.open(kept_apart, "r", key_file=key_file) as db:
            assert db.key_exposed is exposed


def test_the_database_holds_neither_secret_nor_key(kept_apart, key_file):
    secret = key_file.read_bytes().split()[2]
    key = keys.read(key_file).key
    stored = Path(kept_apart).read_bytes()
    for form in (secret, bytes.fromhex(secret.decode()), str(key).encode(), key.to_bytes(8), key.to_bytes(8, "little")):
        assert form not in stored


def test_with_the_file_it_is_like_any_other_database(kept_apart, key_file):
    with fpdb.open(kept_apart, key_file=key_file) as db:
        assert [match.containment for match in db.query(TEXT).matches] == [1.0]
        assert db.recipe.key == keys.read(key_file).key != DEFAULT_KEY
        db.compact()
        db.backup(kept_apart + ".copy")
    for path in (kept_apart, kept_apart + ".copy"):
        with fpdb.open(path, key_file=key_file) as db:
            assert len(db.query(TEXT).matches) == 1


def test_without_the_file_what_needs_no_key_can_be_done(kept_apart):
    with fpdb.open(kept_apart) as db:
        assert [document.name for document in db.documents()] == ["a"]
        assert db.info()["recipe"]["key_file"] is db.info()["recipe"]["secret_key"] is True
        assert db.text("a") == TEXT.encode()
        hashes = np.arange(5, dtype=np.uint64)
        db.add_fingerprints("b", hashes)
        assert [match.name for match in db.query_fingerprints(hashes).matches] == ["b"]
        assert list(db.pairs()) == []
        for needs_it in (
            lambda: db.add("c", TEXT),
            lambda: db.query(TEXT),
            lambda: db.recipe.hash_kgrams("text", None),
            lambda: db.query(TEXT, regions=True),
        ):
            with pytest.raises(MissingKey, match="--key-file"):
                needs_it()
        db.remove("a")
        assert db.check() == []


def test_the_key_file_of_another_database_is_refused(kept_apart, tmp_path):
    keys.create(tmp_path / "other")
    with pytest.raises(BadKeyFile, match="another database"):
        fpdb.open(kept_apart, key_file=tmp_path / "other")


def test_a_database_with_its_own_key_does_not_look_at_key_files(path):
    with fpdb.open(path) as db:
        db.add("a", TEXT)
    with fpdb.open(path, key_file="/nonexistent") as db:
        assert len(db.query(TEXT).matches) == 1
        assert db.info()["recipe"]["key_file"] is db.info()["recipe"]["secret_key"] is False


def test_a_recipe_is_compared_without_its_key(kept_apart, key_file):
    for file in (key_file, None):
        fpdb.open(kept_apart, recipe=Recipe.preset("text"), key_file=file).close()
        with pytest.raises(RecipeMismatch):
            fpdb.open(kept_apart, recipe=Recipe.preset("web"), key_file=file)


def test_nothing_made_with_one_key_is_found_with_another(key_file):
    hashes = {number: Recipe.preset("text").with_(key=number).fingerprint(TEXT).hashes for number in range(20)}
    hashes["file"] = Recipe.preset("text").with_(key=keys.read(key_file).key).fingerprint(TEXT).hashes
    every = np.concatenate([np.unique(found) for found in hashes.values()])
    assert len(np.unique(every)) == len(every)


@pytest.mark.parametrize("key", [2**64 + 1234567, -1234567, "1234567", 1234567.5, True])
def test_errors_and_representations_do_not_tell_a_key(key, key_file):
    with pytest.raises(BadRecipe) as caught:
        Recipe.preset("text").with_(key=key)
    assert "1234567" not in "".join(traceback.format_exception_only(caught.value))
    recipe = Recipe.preset("text").with_(key=1234567)
    assert "1234567" not in repr(recipe) + str(recipe) + repr(fpdb.Rule(30, "full", {}))
    found = keys.read(key_file)
    assert str(found.key) not in repr(found) + str(found)
