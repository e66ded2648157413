"""Another process checks and repairs a damaged file.

This process lives on, the file stays as it is, the repaired file is sound, and losses are named.
"""

import os
import random
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import fpdb
from fpdb.storage import file_format

PAGE = 4096


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Return the bytes and the answers of a database of a few hundred documents in several runs.

    It has positions, removed documents, boilerplate, kept texts and long names.
    """
    path = tmp_path_factory.mktemp("original") / "t.fpdb"
    rng = np.random.default_rng(1)
    with fpdb.open(path) as db:
        for part in range(5):
            with db.batch() as batch:
                for number in range(60):
                    name = f"{part}/{number}" if number else f"{'n' * 600}{part}"
                    hashes = rng.integers(0, 2**63, 150, np.uint64)
                    batch.add_fingerprints(name, hashes, rng.integers(0, 9999, 150), labels={"part": str(part)})
            db.add(f"text {part}", f"The text of part {part}, again. " * 200, keep_text=True)
        db.add_fingerprints("boilerplate", hashes[:40], boilerplate=True)
        for number in range(1, 20):
            db.remove(f"2/{number}")
        assert db.check() == []
        assert db.info()["runs"] > 3
    data = path.read_bytes()
    os.unlink(f"{path}-lock")
    return data, *look(path)


def look(path):
    """All documents by name, and all postings by document."""
    with fpdb.open(path, "r") as db:
        assert db.check() == []
        documents = {document.name: document for document in db.documents()}
        postings = {}
        with db._store.snapshot() as view:
            for run in view.state.runs:
                for piece in view.scan(run):
                    for hash_, number, position in zip(
                        piece.hashes, piece.document_ids, piece.encoded_positions, strict=True
                    ):
                        postings.setdefault(int(number), set()).add((int(hash_), int(position)))
            named = {document: view.catalogue.record(document).name for document in view.catalogue.size_table.ids()}
    return documents, {name.decode(): postings.get(number, set()) for number, name in named.items()}


def bits(data, rng):
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def zeroed(data, rng):
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data)) & -PAGE
        data[at : at + PAGE] = bytes(PAGE)


def noise(data, rng):
    at = rng.randrange(len(data)) & -PAGE
    data[at : at + 2 * PAGE] = rng.randbytes(len(data[at : at + 2 * PAGE]))


def cut(data, rng):
    del data[rng.randrange(len(data) // 3, len(data)) :]


def meta(data, rng):
    data[rng.choice([0, PAGE]) + rng.randrange(152)] ^= 1 << rng.randrange(8)


@pytest.mark.parametrize("damage", [bits, zeroed, noise, cut, meta])
def test_what_is_sound_is_saved_and_what_is_not_is_named(tmp_path, original, damage):
    data, documents, postings = original
    rng = random.Random(3)
    for attempt in range(4):
        path, target = tmp_path / "damaged.fpdb", tmp_path / f"{attempt}.fpdb"
        damaged = bytearray(data)
        damage(damaged, rng)
        path.write_bytes(damaged)
        repaired = fpdb.repair(path, target)
        assert path.read_bytes() == damaged
        now, saved = look(target)
        lost = {loss.name for loss in repaired.losses}
        unnamed = sum(loss.name is None for loss in repaired.losses)
        changes = any(loss.what == "changes" for loss in repaired.losses)
        gone = {name for name in documents if name not in now and not {name, f"{name[:448]}..."} & lost}
        assert changes or (len(gone) <= unnamed and set(now) <= set(documents))
        for name in set(now) & set(documents):
            if name not in lost:
                assert now[name] == documents[name]
                assert saved[name] == postings[name]
            assert {hash_ for hash_, _ in saved[name]} <= {hash_ for hash_, _ in postings[name]}
        for loss in repaired.losses:
            if loss.what == "fingerprints":
                assert loss.kept == now[loss.name].fingerprints < loss.of == documents[loss.name].fingerprints
        assert repaired.documents + repaired.boilerplate_documents == len(now)


def test_a_lost_leaf_of_blocks_loses_no_block(tmp_path, original):
    """Its blocks lie on pages of their own, and their checksums tell which they are."""
    data, documents, postings = original
    path = tmp_path / "damaged.fpdb"
    for at in range(2 * PAGE, len(data), PAGE):
        leaf = (
            data[at + 10] == 2
            and data[at : at + PAGE].count(file_format.block_key(file_format.block_number(7, 1, 5))) == 1
        )
        if leaf:
            path.write_bytes(data[:at] + bytes(PAGE) + data[at + PAGE :])
            target = tmp_path / f"{at}.fpdb"
            assert fpdb.repair(path, target).losses == ()
            assert look(target) == (documents, postings)


def test_a_sound_file_is_copied_whole(tmp_path, original):
    data, documents, postings = original
    (tmp_path / "t.fpdb").write_bytes(data)
    repaired = fpdb.repair(tmp_path / "t.fpdb", tmp_path / "new.fpdb")
    assert repaired.losses == ()
    assert look(tmp_path / "new.fpdb") == (documents, postings)
    with pytest.raises(fpdb.DatabaseExists):
        fpdb.repair(tmp_path / "t.fpdb", tmp_path / "new.fpdb")
    with pytest.raises(fpdb.StorageFailure):
        fpdb.repair(tmp_path / "t.fpdb", tmp_path / "nowhere" / "new.fpdb")
    assert sorted(path.name for path in tmp_path.glob("*.repair*")) == []


def test_what_is_no_database_is_not_repaired(tmp_path):
    (tmp_path / "text").write_bytes(b"A text.\n" * 5_000)
    with pytest.raises(fpdb.NotADatabase):
        fpdb.repair(tmp_path / "text", tmp_path / "new")
    with pytest.raises(fpdb.StorageFailure):
        fpdb.repair(tmp_path / "none", tmp_path / "new")
    assert os.listdir(tmp_path) == ["text"]


# ---------------------------------------------------------------- check, in another process


def test_check_says_what_is_wrong(tmp_path, original):
    path = tmp_path / "t.fpdb"
    path.write_bytes(original[0])
    assert fpdb.check(path) == fpdb.check(path, quick=True) == fpdb.Findings(())
    damaged = bytearray(original[0])
    for at in range(2 * PAGE, len(damaged), PAGE):
        damaged[at + 2000] ^= 1
    path.write_bytes(damaged)
    for quick in (False, True):
        found = fpdb.check(path, quick=quick)
        assert not found.sound
        assert found.problems
    with pytest.raises(fpdb.NoSuchDatabase):
        fpdb.check(tmp_path / "none")


@pytest.mark.parametrize("name", ["SIGBUS", "SIGSEGV", "SIGABRT"])
def test_a_process_that_dies_is_a_problem(tmp_path, original, monkeypatch, name):
    path = tmp_path / "t.fpdb"
    path.write_bytes(original[0])
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho \'["problem", "one"]\'\nkill -{getattr(signal, name).value} $$\n')
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    problems = fpdb.check(path).problems
    assert problems[0] == "one"
    assert name in problems[1]
    program.write_text("#!/bin/sh\necho something went wrong >&2\nexit 1\n")
    assert "something went wrong" in fpdb.check(path).problems[0]
    with pytest.raises(fpdb.Corrupt):
        fpdb.repair(path, tmp_path / "new.fpdb")
    assert path.read_bytes() == original[0]


def test_texts_that_cannot_be_unpacked_are_said_to_be_unchecked(tmp_path, original, monkeypatch):
    path = tmp_path / "t.fpdb"
    path.write_bytes(original[0])
    (tmp_path / "zstandard.py").write_text("raise ImportError\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = fpdb.check(path)
    assert found.sound
    assert "zstandard" in found.unchecked[0]


def test_a_quick_check_reads_the_state_all_fences_and_samples(tmp_path, original):
    path = str(tmp_path / "t.fpdb")
    Path(path).write_bytes(original[0])
    from tests.storage.raw import Raw

    with Raw(path) as raw:
        raw.change_state(documents=raw.state.documents + 1)
    assert fpdb.check(path, quick=True).problems
    Path(path).write_bytes(original[0])
    with Raw(path) as raw:
        key = raw.blocks(column=file_format.FENCES)[0]
        raw.put(file_format.BLOCKS, key, raw.get(file_format.BLOCKS, key)[:-1] + b"x")
    assert fpdb.check(path, quick=True).problems
