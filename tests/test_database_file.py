"""The file of a database is created by one, refused if it is damaged, and counted."""

import pytest

import fpdb
from fpdb import database_file


def test_whoever_shares_a_file_finds_it_created(path):
    recipe = fpdb.Recipe.preset()
    database_file.create(path, recipe, None, is_shared=False)
    database_file.create(path, recipe, None, is_shared=True)
    with pytest.raises(fpdb.DatabaseExists):
        database_file.create(path, recipe, None, is_shared=False)


def test_a_damaged_file_is_refused(path):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", range(2000))
    database_file.refuse_damage(path, immutable=False)
    with open(path, "r+b") as file:
        file.seek(3 * 4096)
        file.write(bytes(4096))
    with pytest.raises(fpdb.Corrupt, match=r"was not opened, as it is damaged or forged: .*; see 'fpdb check'"):
        fpdb.open(path, foreign=True)


def test_figures_count_what_is_there(db):
    """Before and after a removal."""
    with db.batch() as batch:
        batch.add_fingerprints("footer", range(3), boilerplate=True)
        for number in range(20):
            batch.add_fingerprints(f"{number}", range(number, number + 5))
        batch.add("text", "some words " * 20, keep_text=True)
    of_text = len(db.fingerprints("text")[0])
    for removed in (0, 1):
        if removed:
            db.remove("19")
        info = db.info()
        assert (info["documents"], info["boilerplate_documents"]) == (21 - removed, 1)
        assert info["postings"] == 3 + 5 * (20 - removed) + of_text
        assert (info["texts"], info["path"]) == (1, db.path)
        assert info["recipe"]["secret_key"] is info["recipe"]["key_file"] is False
