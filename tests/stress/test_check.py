"""Row 14: `check` reports every fault of a file.

Faults are planted with LMDB itself, and sealed with a valid checksum unless the fault is in the bytes.
"""

import zlib
from contextlib import suppress
from pathlib import Path

import msgpack
import numpy as np
import pytest

import fpdb
from fpdb.storage import file_format
from fpdb.storage.name_table import FIRST_KEY
from tests.storage.raw import Raw


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a closed database of two runs, with positions, dead documents, boilerplate, and a long name."""
    path = tmp_path_factory.mktemp("sound") / "t.fpdb"
    rng = np.random.default_rng(1)
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number in range(30):
                hashes = rng.integers(0, 2**63, 700, np.uint64)
                hashes[:50] = np.arange(50)
                batch.add_fingerprints(f"{number}", hashes, rng.integers(0, 999, 700, np.uint32))
        with db.batch() as batch:
            for number in range(30, 34):
                batch.add_fingerprints(f"{number}", rng.integers(0, 2**63, 500, np.uint64))
        db.add_fingerprints("n" * 900, [1, 2, 3])
        db.add_fingerprints("boilerplate", [1, 2, 7], boilerplate=True)
        db.remove("4")
        assert db.info()["runs"] == 4
        assert db.info()["dead_postings"] == 700
        assert db.check() == []
    return path.read_bytes()


@pytest.fixture
def sound(path, made):
    Path(path).write_bytes(made)
    return path


def flip(column, bit=77):
    def plant(raw):
        key = raw.blocks(column=column)[0]
        value = bytearray(raw.get(file_format.BLOCKS, key))
        value[bit >> 3] ^= 1 << (bit & 7)
        raw.put(file_format.BLOCKS, key, bytes(value))

    return plant


def missing(column, which):
    return lambda raw: raw.delete(file_format.BLOCKS, raw.blocks(column=column)[which])


def swapped(raw):
    """Swap two blocks, each with its checksum, which is over the other's key."""
    one, other = raw.blocks()[1:3]
    values = raw.get(file_format.BLOCKS, one), raw.get(file_format.BLOCKS, other)
    raw.put(file_format.BLOCKS, one, values[1])
    raw.put(file_format.BLOCKS, other, values[0])


def swapped_and_sealed(raw):
    one, other = raw.blocks()[1:3]
    bodies = [raw.get(file_format.BLOCKS, key)[file_format.CHECKSUM :] for key in (one, other)]
    raw.seal_block(one, bodies[1])
    raw.seal_block(other, bodies[0])


def change_fence(field, at, by):
    def plant(raw):
        key = raw.blocks(column=file_format.FENCES)[0]
        fences = np.frombuffer(raw.get(file_format.BLOCKS, key)[file_format.CHECKSUM :], file_format.FENCE).copy()
        fences[field][at] = int(fences[field][at]) + by
        if field == "postings":
            fences[field][at + 1] = int(fences[field][at + 1]) - by  # so that the sum holds
        raw.seal_block(key, fences.tobytes())

    return plant


def one_posting_more(raw):
    """Let a block decode to another document, with valid bytes otherwise."""
    key = raw.blocks(column=file_format.POSTINGS)[3]
    body = bytearray(raw.get(file_format.BLOCKS, key)[file_format.CHECKSUM :])
    body[16:20] = (int.from_bytes(body[16:20], "little") + 1).to_bytes(4, "little")
    raw.seal_block(key, bytes(body))


def extra_block(raw):
    last = int.from_bytes(raw.blocks()[-1], "big")
    raw.seal_block((last + 1).to_bytes(8, "big"), b"x" * 50)


def orphan_name(raw):
    raw.set_names(orphan=3)


def name_of_nobody(raw):
    raw.set_names(nobody=4)


def stolen_name(raw):
    raw.set_names(**{"5": 6})


def stray_sizes(raw):
    raw.change_sizes(4, hashes=5, boilerplate=0)


def wrong_key(database, key):
    return lambda raw: raw.put(database, key, file_format.seal(key, bytes(4)))


def flip_value(database, key):
    def plant(raw):
        value = bytearray(raw.get(database, key))
        value[-1] ^= 1
        raw.put(database, key, bytes(value))

    return plant


def flip_state(raw):
    value = bytearray(raw.txn.get(file_format.STATE_KEY))
    value[-1] ^= 1
    raw.txn.put(file_format.STATE_KEY, bytes(value))


def garbled_record(raw):
    key = file_format.id_key(0)
    raw.put(file_format.DOCUMENTS, key, file_format.seal(key, zlib.compress(msgpack.packb([1, 2]))))


def garbled_state(raw):
    raw.txn.put(file_format.STATE_KEY, file_format.seal(file_format.STATE_KEY, msgpack.packb({"a": 1})))


GROUP0 = file_format.id_key(0)
FAULTS = {
    "flipped bit in postings": flip(file_format.POSTINGS),
    "flipped bit in a checksum": flip(file_format.POSTINGS, 3),
    "flipped bit in fences": flip(file_format.FENCES),
    "flipped bit in positions": flip(file_format.POSITIONS),
    "flipped bit in position fences": flip(file_format.POSITION_FENCES),
    "first block missing": missing(file_format.POSTINGS, 0),
    "last block missing": missing(file_format.POSTINGS, -1),
    "positions missing": missing(file_format.POSITIONS, 1),
    "fences missing": missing(file_format.FENCES, 0),
    "position fences missing": missing(file_format.POSITION_FENCES, 0),
    "blocks swapped": swapped,
    "blocks swapped and sealed": swapped_and_sealed,
    "a fence too low": change_fence("first", 2, -1),
    "a fence too high": change_fence("first", 5, 1),
    "fences that count wrongly": change_fence("postings", 1, 1),
    "a posting of another document": one_posting_more,
    "a block too many": extra_block,
    "an orphan name": orphan_name,
    "a name of nobody": name_of_nobody,
    "a stolen name": stolen_name,
    "a missing name": lambda raw: raw.set_names(**{"5": -1}),
    "a missing long name": lambda raw: raw.set_names(**{"n" * 900: -1}),
    "a missing record": lambda raw: raw.set_record(2, None),
    "a missing group of records": lambda raw: raw.delete(file_format.DOCUMENTS, GROUP0),
    "a record with another name": lambda raw: raw.change_record(2, name=b"else"),
    "a record that counts hashes wrongly": lambda raw: raw.change_record(2, hashes=5),
    "a record that counts postings wrongly": lambda raw: raw.change_record(2, fingerprints=5),
    "a garbled record": garbled_record,
    "a flipped bit in a record": flip_value(file_format.DOCUMENTS, GROUP0),
    "a flipped bit in a name": flip_value(file_format.NAMES, FIRST_KEY),
    "a flipped bit in the sizes": flip_value(file_format.SIZES, file_format.id_key(0)),
    "missing sizes": lambda raw: raw.delete(file_format.SIZES, file_format.id_key(0)),
    "sizes of nobody": stray_sizes,
    "a wrong size": lambda raw: raw.change_sizes(2, hashes=6),
    "a wrong boilerplate count": lambda raw: raw.change_sizes(2, boilerplate=1),
    "a size that says dead": lambda raw: raw.change_sizes(2, hashes=file_format.DEAD),
    "a key of the wrong length among records": wrong_key(file_format.DOCUMENTS, b"abc"),
    "a key of the wrong length among sizes": wrong_key(file_format.SIZES, b"abcde"),
    "a key of the wrong length among blocks": wrong_key(file_format.BLOCKS, b"abcde"),
    "no state": lambda raw: raw.txn.delete(file_format.STATE_KEY),
    "a flipped bit in the state": flip_state,
    "a garbled state": garbled_state,
    "a document too many": lambda raw: raw.change_state(documents=raw.state.documents + 1),
    "a boilerplate document too few": lambda raw: raw.change_state(boilerplate_documents=0),
    "an id that will be given twice": lambda raw: raw.change_state(next_document=10),
    "a boilerplate id that will be given twice": lambda raw: raw.change_state(
        next_boilerplate=file_format.FIRST_BOILERPLATE
    ),
    "a run number that will be given twice": lambda raw: raw.change_state(next_run=1),
    "a run unlisted": lambda raw: raw.change_state(runs=raw.state.runs[1:]),
    "a run listed twice": lambda raw: raw.change_state(runs=(raw.state.runs[0], *raw.state.runs)),
    "a run listed but not there": lambda raw: raw.change_run(0, number=raw.state.next_run - 1),
    "runs out of order": lambda raw: raw.change_state(runs=(raw.state.runs[1], raw.state.runs[0], *raw.state.runs[2:])),
    "too many dead": lambda raw: raw.change_run(0, dead=raw.state.runs[0].dead + 1),
    "too few dead": lambda raw: raw.change_run(0, dead=0),
    "more dead than alive": lambda raw: raw.change_run(0, dead=10**9),
    "a run with fewer postings": lambda raw: raw.change_run(0, postings=raw.state.runs[0].postings - 1),
    "a run with fewer blocks": lambda raw: raw.change_run(0, blocks=raw.state.runs[0].blocks - 1),
    "a run with more blocks": lambda raw: raw.change_run(0, blocks=raw.state.runs[0].blocks + 1),
    "a run with fewer position blocks": lambda raw: raw.change_run(0, position_blocks=1),
    "a run without its positions": lambda raw: raw.change_run(0, position_blocks=0),
    "a run of other documents": lambda raw: raw.change_run(0, last_id=20),
    "runs that overlap": lambda raw: raw.change_run(1, first_id=20),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_planted_fault_is_found(sound, fault, figure):
    with Raw(sound) as raw:
        FAULTS[fault](raw)
    with fpdb.open(sound) as db:
        found = db.check()
        assert found
        assert all(isinstance(each, str) and each for each in found)
        for question in (lambda: db.query_fingerprints(np.arange(60)), lambda: list(db.documents()), db.compact):
            with suppress(fpdb.Corrupt):
                question()
    with fpdb.open(sound, "r") as db:
        assert isinstance(db.check(), list)
    figure(14, fault, "found")


def test_a_flipped_bit_anywhere_in_a_live_page_never_passes(sound, rng):
    """Either the file is refused, or `check` reports the bit, or its page held nothing live."""
    with fpdb.open(sound) as db:
        db.compact()
        expected = list(db.documents()), db.query_fingerprints(np.arange(60)), db.info()
    original = Path(sound).read_bytes()
    noticed = 0
    flips = 60
    for _ in range(flips):
        damaged = bytearray(original)
        bit = int(rng.integers(8 * 4096 * 2, 8 * len(original)))
        damaged[bit >> 3] ^= 1 << (bit & 7)
        Path(sound).write_bytes(damaged)
        try:
            with fpdb.open(sound, "r") as db:
                found = db.check()
                noticed += bool(found)
                if not found:
                    assert (list(db.documents()), db.query_fingerprints(np.arange(60)), db.info()) == expected
        except (fpdb.Corrupt, fpdb.NotADatabase):
            noticed += 1
    assert noticed > 0.7 * flips  # the rest hit bytes of a page that nothing uses
