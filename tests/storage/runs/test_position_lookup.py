"""The positions of hashes in documents equal those of a dict of sets, and damage is reported."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.errors import Corrupt
from fpdb.storage import file_format
from fpdb.storage.runs import position_lookup

MOST = 2**64 - 1


def uniform(rng, count):
    return rng.integers(0, MOST, count, np.uint64, endpoint=True)


def found(view, hashes, names):
    """{(hash, name, position)}, and that they come in order."""
    ids = {view.catalogue.find(name.encode()): name for name in names}
    asked = np.array(sorted(set(hashes)), np.uint64)
    indices, documents, positions = view.find_occurrences(asked, np.array(sorted(ids), np.uint32))
    assert (indices.dtype, documents.dtype, positions.dtype) == (np.uint32,) * 3
    triples = list(zip(indices.tolist(), documents.tolist(), positions.tolist(), strict=True))
    assert triples == sorted(set(triples))
    return {(int(asked[index]), ids[document], position) for index, document, position in triples}


def expected(held, hashes, names):
    return {(hash_, name, position) for name in names for hash_, position in held[name] if hash_ in hashes}


@given(st.data())
@settings(max_examples=35, deadline=None)
def test_places_are_those_of_a_dict_of_sets(tmp_path_factory, data):
    hashes = st.one_of(st.integers(0, 12), st.integers(MOST - 3, MOST))
    positions = st.one_of(st.integers(0, 20), st.integers(2**32 - 4, 2**32 - 2))
    names = st.sampled_from("abcdef")
    placed = st.sets(st.tuples(hashes, positions), max_size=20)
    held = {}
    with fpdb.open(tmp_path_factory.mktemp("places") / "t.fpdb") as db:
        for _ in range(data.draw(st.integers(1, 6))):
            with db.batch() as batch:
                for name, pairs in data.draw(st.dictionaries(names, placed, max_size=4)).items():
                    here = data.draw(st.booleans())  # else hashes come without positions
                    array = [hash_ for hash_, _ in pairs]
                    batch.add_fingerprints(name, array, [position for _, position in pairs] if here else None)
                    held[name] = pairs if here else set()
            if held and data.draw(st.booleans()):
                gone = data.draw(st.sampled_from(sorted(held)))
                db.remove(gone)
                del held[gone]
        with db._store.snapshot() as view:
            for _ in range(3):
                asked = data.draw(st.sets(hashes, max_size=20))
                some = data.draw(st.sets(st.sampled_from(sorted(held)))) if held else set()
                assert found(view, asked, some) == expected(held, asked, some)
        assert db.check() == []


@pytest.mark.usefixtures("small_limits")
def test_places_over_many_runs_and_blocks(db, rng, monkeypatch):
    """Hashes that fill blocks, documents removed and replaced, decoding a few blocks at once."""
    monkeypatch.setattr(position_lookup, "BLOCKS_PER_DECODE", 2)
    pool = uniform(rng, 400)
    held = {}
    for number in range(60):
        some = rng.choice(pool, 60)
        array = np.r_[some, np.full(40, pool[0])]
        positions = rng.permutation(2_000)[:100]
        held[f"{number}"] = set(zip(array.tolist(), positions.tolist(), strict=True))
        db.add_fingerprints(f"{number}", array, positions)
    for number in range(0, 60, 7):
        db.remove(f"{number}")
        del held[f"{number}"]
    db.add_fingerprints("1", pool[:9], range(9))
    held["1"] = set(zip(pool[:9].tolist(), range(9), strict=True))
    names = sorted(held)
    with db._store.snapshot() as view:
        for asked in (pool[:1], pool, pool[::7], uniform(rng, 50)):
            for some in (names, names[:3], names[::5], []):
                assert found(view, asked.tolist(), some) == expected(held, set(asked.tolist()), some)


@pytest.mark.parametrize("blocks", [1, 2, 3, 128])
def test_each_posting_is_found_once_however_many_blocks_are_decoded_together(db, rng, monkeypatch, blocks):
    monkeypatch.setattr(position_lookup, "BLOCKS_PER_DECODE", blocks)
    pool = uniform(rng, 2_000)
    with db.batch() as batch:
        for number in range(5):
            batch.add_fingerprints(f"{number}", rng.choice(pool, 1_500), range(1_500))
    with db._store.snapshot() as view:
        (run,) = view.state.runs
        assert run.blocks > 3
        (postings,) = view.scan(run)
        for asked, ids in ((pool, [0, 1, 2, 3, 4]), (pool[::3], [1, 4]), (pool[:2], [0]), (pool + np.uint64(1), [2])):
            asked, ids = np.unique(asked), np.array(ids, np.uint32)
            wanted = np.isin(postings.hashes, asked) & np.isin(postings.document_ids, ids)
            ranked = position_lookup.find_ranks(view.run_reader(run), view.fences(run), asked, ids)
            assert ranked.ranks.tolist() == np.flatnonzero(wanted).tolist()
            assert asked[ranked.indices].tolist() == postings.hashes[wanted].tolist()
            assert ranked.document_ids.tolist() == postings.document_ids[wanted].tolist()


def test_a_hash_in_very_many_documents(db):
    """Its posting list fills blocks of its own; positions are those of the few documents asked for."""
    with db.batch() as batch:
        for number in range(40_000):
            batch.add_fingerprints(f"{number}", [5, 5, 9], [number, number + 1, 3])
    with db._store.snapshot() as view:
        assert view.fences(view.runs()[0]).posting_counts.max() > 3 * 128
        names = ["0", "17", "31234", "39999"]
        wanted = {(5, name, int(name) + more) for name in names for more in (0, 1)} | {(9, name, 3) for name in names}
        assert found(view, [4, 5, 6, 9], names) == wanted


def test_dead_documents_and_unknown_ids_have_no_place(db):
    db.add_fingerprints("a", [1, 2], [3, 4])
    db.add_fingerprints("b", [1, 2], [5, 6])
    db.remove("a")
    with db._store.snapshot() as view:
        asked, ids = np.array([1], np.uint64), np.array([0, 1, 7, 2**31 + 5], np.uint32)
        assert [array.tolist() for array in view.find_occurrences(asked, ids)] == [[0], [1], [5]]


@pytest.mark.parametrize(
    "column", [file_format.FENCES, file_format.POSTINGS, file_format.POSITION_FENCES, file_format.POSITIONS]
)
def test_damage_is_said(path, rng, column):
    hashes = uniform(rng, 3_000)
    with fpdb.open(path) as db:
        db.add_fingerprints("a", hashes, range(3_000))
        assert db.check() == []
        run = db._store.snapshot
        with run() as view:
            number = file_format.block_number(view.runs()[0].number, column, 0)
            value = bytes(view.txn.get(file_format.block_key(number), db=view.blocks.database))
    with open(path, "rb") as file:
        content = file.read()
    (at,) = [match.start() for match in re.finditer(re.escape(value[:64]), content)]
    with open(path, "r+b") as file:
        file.seek(at + len(value) // 2)
        file.write(bytes([content[at + len(value) // 2] ^ 1]))
    with fpdb.open(path, "r") as db, db._store.snapshot() as view, pytest.raises(Corrupt):
        view.find_occurrences(np.sort(hashes), np.array([0], np.uint32))
