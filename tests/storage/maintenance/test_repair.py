"""Another process checks and repairs a damaged file.

This process lives on, the file stays as it is, the repaired file is sound, and losses are named.
"""

import random
from itertools import islice

import pytest

import fpdb
from fpdb.storage.file_format import STATE_KEY
from fpdb.storage.maintenance.repair import Repaired, repair
from tests.fuzz.database_image import MAIN, read_image, write_image
from tests.fuzz.random_changes import pack, unpack
from tests.storage.varied_database import contents

PAGE = 4096


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
        now, saved = contents(target)
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
                assert loss.kept == now[loss.name].fingerprints < loss.of
                assert loss.of == documents[loss.name].fingerprints if loss.name in documents else changes
        assert repaired.documents + repaired.boilerplate_documents == len(now)


@pytest.mark.parametrize("place", [3, 4], ids=["documents", "boilerplate"])
def test_no_more_documents_are_lost_than_a_file_has_room_for(tmp_path, original, place):
    path = tmp_path / "forged.fpdb"
    path.write_bytes(original[0])
    image = read_image(str(path))
    counts = unpack(image.get(MAIN, STATE_KEY))
    counts[1], counts[2], counts[place] = 2**31, 2**32, 2**30
    image.put(MAIN, STATE_KEY, pack(counts))
    write_image(image, str(path))
    told = list(islice(repair(str(path), str(tmp_path / "new.fpdb"), lambda _: False), path.stat().st_size))
    assert isinstance(told[-1], Repaired)


def test_a_sound_file_is_copied_whole(tmp_path, original):
    data, documents, postings = original
    (tmp_path / "t.fpdb").write_bytes(data)
    repaired = fpdb.repair(tmp_path / "t.fpdb", tmp_path / "new.fpdb")
    assert repaired.losses == ()
    assert contents(tmp_path / "new.fpdb") == (documents, postings)
    with pytest.raises(fpdb.DatabaseExists):
        fpdb.repair(tmp_path / "t.fpdb", tmp_path / "new.fpdb")
    with pytest.raises(fpdb.StorageFailure):
        fpdb.repair(tmp_path / "t.fpdb", tmp_path / "nowhere" / "new.fpdb")
    assert sorted(path.name for path in tmp_path.glob("*.repair*")) == []


# ---------------------------------------------------------------- check, in another process
