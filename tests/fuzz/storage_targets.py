"""Targets that read values of the store."""

import json
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
import numpy as np

from fpdb.errors import Corrupt
from fpdb.fingerprint import SCHEMES, Recipe
from fpdb.storage import _names, file_format, texts
from fpdb.storage.environment import _page_check
from fpdb.storage.records import Record, describe, pack_records, unpack_records
from fpdb.storage.runs import _decode, _encode, _probe
from fpdb.storage.state import Run, State
from tests.fuzz.target import LARGEST, RECIPES, Target


def blocks_of(data: bytes) -> list[bytes]:
    """Split data into blocks: each has two bytes of length, then its bytes."""
    found = []
    while len(data) >= 2 and len(found) < 8:
        size = int.from_bytes(data[:2], "little")
        found.append(data[2 : 2 + size])
        data = data[2 + size :]
    return found


def blocks(*values: Any) -> bytes:
    """Join blocks as `blocks_of` splits them."""
    return b"".join(len(value).to_bytes(2, "little") + bytes(value) for value in values)


def posting_blocks(data: bytes) -> None:
    values = blocks_of(data)
    counts = [int.from_bytes(value[8:10], "little") for value in values]
    hashes = np.unique(np.frombuffer(data[: len(data) // 8 * 8], np.uint64))
    if not values:
        return
    lows = np.zeros(len(hashes), np.uint32)
    highs = np.full(len(hashes), len(values) - 1, np.uint32)
    firsts = np.array([int.from_bytes(value[16:24].ljust(8, b"\0"), "little") for value in values], np.uint64)
    refused = 0
    for call in (
        lambda: _decode.decode_postings(values, sum(counts)),
        lambda: _decode.decode_postings(values, max(sum(counts) - 1, 0)),
        lambda: _decode.find_frequent(values, sum(counts), 2),
        lambda: _probe.probe(values, firsts, hashes, lows, highs),
        lambda: _probe.probe(values, firsts, hashes, lows, highs + np.uint32(1)),
        lambda: _probe.tally(values, firsts, hashes, lows, highs, np.zeros(1000, np.uint32)),
    ):
        try:
            call()
        except ValueError:
            refused += 1
    try:
        found, holders = _decode.decode_postings(values, sum(counts))
    except ValueError:
        return
    if (found[1:] < found[:-1]).any():
        return
    asked = np.unique(found)
    ends = np.zeros(len(asked), np.uint32), np.full(len(asked), len(values) - 1, np.uint32)
    of_each, documents_of = _probe.probe(values, firsts, asked, *ends)
    if not set(zip(np.repeat(asked, of_each).tolist(), documents_of.tolist(), strict=True)) <= set(
        zip(found.tolist(), holders.tolist(), strict=True)
    ):
        raise AssertionError("a probe finds what is not in the blocks")


def posting_seeds() -> list[bytes]:
    rng = np.random.default_rng(1)
    seeds = []
    for hashes, holders in (
        (rng.integers(0, 2**64 - 1, 400, np.uint64), rng.integers(0, 900, 400, np.uint32)),
        (np.full(1200, 7, np.uint64), np.arange(1200, dtype=np.uint32)),
        (np.repeat(rng.integers(0, 2**20, 60, np.uint64), 9), rng.integers(0, 99, 540, np.uint32)),
        (np.arange(500, dtype=np.uint64), np.zeros(500, np.uint32)),
    ):
        order = np.lexsort((holders, hashes))
        buffer, sizes, _ = _encode.encode_postings(hashes[order], holders[order], True)
        seeds.append(blocks(*(bytes(row[:size]) for row, size in zip(buffer, sizes, strict=False))))
    return seeds


def position_blocks(data: bytes) -> None:
    values = blocks_of(data)
    _decode.decode_positions(values, sum(int.from_bytes(value[8:12], "little") & 0xFFFFF for value in values))


def position_seeds() -> list[bytes]:
    rng = np.random.default_rng(1)
    seeds = []
    for most in (0, 1, 900, 2**32 - 1):
        buffer, sizes, _ = _encode.encode_positions(rng.integers(0, most, 1500, np.uint32, endpoint=True), True)
        seeds.append(blocks(*(bytes(row[:size]) for row, size in zip(buffer, sizes, strict=False))))
    return seeds


KEY = file_format.id_key(3)
RECORD = Record(b"a/b.txt", "text", bytes(16), 100, 71, 9, 9, 1_700_000_000)
FULL = RECORD._replace(note="utf-8", source="/a/b.txt", contact="c", labels={"d": "e"}, rotation=2, text=77)
STATE = State(
    7,
    20,
    2**31 + 3,
    12,
    3,
    1,
    77,
    (Run(3, 900, 2, 1, 0, 9), Run(5, 90, 1, 0, 10, 19), Run(6, 8, 1, 0, 2**31, 2**31 + 2)),
)


def group(packed: bytes) -> None:
    value = file_format.seal(KEY, packed)
    place = sum(packed) % file_format.RECORDS_PER_GROUP
    names: list[bytes] = []
    kgrams: list[int] = []
    with suppress(LookupError, Corrupt):  # numbers in more bytes than they need are refused here
        describe(KEY, value, [place], names, kgrams)
    found = unpack_records(KEY, value)
    record = found[place]
    if names and (record is None or (names[0], kgrams[0]) != (record.name, record.kgrams)):
        raise AssertionError("a record is described as another than it is")
    check_records(found)


def records(packed: bytes) -> None:
    group(zlib.compress(packed, 1))


def check_records(found: list[Record | None]) -> None:
    """Check that decoded records can be shown, and stored again."""
    from fpdb.documents.document import document_of

    for record in found:
        if record is not None:
            document_of(1, record).added.isoformat()
            json.dumps(dict(record.labels))
    pack_records(KEY, found, 1)


def record_seeds() -> list[bytes]:
    return [
        msgpack.packb([RECORD, None, FULL, *[None] * 5], unicode_errors="surrogateescape"),
        msgpack.packb(
            [RECORD._replace(name=b"\xff\xfe" * 300, labels={"\udcff": ""})] * 8, unicode_errors="surrogateescape"
        ),
    ]


def state(packed: bytes) -> None:
    found = State.unpack(file_format.seal(file_format.STATE_KEY, packed))
    if State.unpack(found.pack()) != found:
        raise AssertionError(found)


def format_record(packed: bytes) -> None:
    recipe(file_format.unpack_format(file_format.seal(file_format.FORMAT_KEY, packed)).recipe)


def recipe(record: Mapping[str, Any]) -> None:
    found = Recipe.from_record(record)
    if Recipe.from_record(found.to_record()) != found:
        raise AssertionError("a recipe that does not come back")
    for kind in {"code" if alphabet == "tokens" else "text" for alphabet in found.rules}:
        found.fingerprint("int main() { return 1 + 2; } " * 20, kind, name="a.c")


def format_seeds() -> list[bytes]:
    changes: list[dict[str, Any]] = [{"scheme": name} for name in SCHEMES]
    changes += [{"hash_bits": 40, "positions": False, "max_df": 3, "max_ignored": 5}]
    recipes = (*RECIPES, *(RECIPES[0].with_(**change) for change in changes))
    return [file_format.pack_format(one.to_record())[file_format.CHECKSUM :] for one in recipes]


def kept_text(data: bytes) -> None:
    """Unpack a text; data: the size and digest in the record, then the stored bytes."""
    size, digest, packed = int.from_bytes(data[:4], "little"), data[4:20], data[20:]
    texts.unpack(texts.KeptText(packed, size, digest))


def kept_seeds() -> list[bytes]:
    kept = [texts.pack(content) for content in ("", "ä" * 300, b"\0\xff" * 99, "seven years ago " * 99)]
    return [text.size.to_bytes(4, "little") + text.digest + text.packed for text in kept]


def names(block: bytes) -> None:
    """Look names up in a block, and change it, whatever it is; where it can be read, all must agree."""
    for key in (b"a", block[3:9] or b"a", block[3:400] or b"z"):
        with suppress(ValueError):
            _names.find(block, [key], 0, 1)
        with suppress(ValueError):
            _names.change(block, [key], np.array([7], np.int64), range(1), (500, 300))
    keys, ids = _names.unpack(block)
    if keys != sorted(set(keys)) or _names.find(block, keys, 0, len(keys)) != ids.tolist():
        raise AssertionError("names are found otherwise than they are read")
    written, _ = _names.change(block, [keys[0]], ids[:1].astype(np.int64), range(1), (500, 300))
    parts = [_names.unpack(part) for part in written]
    if [key for part, _ in parts for key in part] != keys or any(np.concatenate([p for _, p in parts]) != ids):
        raise AssertionError("a block changes by more than its change")


def name_seeds() -> list[bytes]:
    keys = sorted([b"%d/%d.txt" % (number % 7, number) for number in range(60)] + [b"n" * 448, b"n" * 448 + b"x" * 32])
    numbers = np.random.default_rng(1).integers(0, 2**32, len(keys))
    return [_names.change(b"", keys[:n], numbers, range(n), (4064, 4064))[0][0] for n in (1, 9, 62)]


def sizes(data: bytes) -> None:
    file_format.unseal_sizes(KEY, file_format.seal(KEY, data))
    for parse in (file_format.parse_block_key, file_format.parse_id_key, file_format.parse_text_key):
        parse(data[: len(data) % 10])


def pages(data: bytes) -> None:
    """Examine a file of at least eight pages, as it is on disk."""
    padded = data[:LARGEST] + bytes(max(8 * 4096 - len(data), 0)) + bytes(-len(data) % 4096)
    for meta in (0, 1):
        _page_check.examine(padded, meta, 1 << 14)  # type: ignore[arg-type]
        _page_check.last_change(padded, meta)  # type: ignore[arg-type]


def page_seeds() -> list[bytes]:
    import tempfile

    import fpdb

    with tempfile.TemporaryDirectory() as folder:
        seeds = []
        for count in (0, 1, 40):
            path = str(Path(folder, f"{count}.fpdb"))
            with fpdb.open(path) as db, db.batch() as batch:
                for number in range(count):
                    batch.add_fingerprints(f"{number} " * 9, np.arange(number * 9, number * 11 + 20, dtype=np.uint64))
            seeds.append(Path(path).read_bytes()[:LARGEST])
        return seeds


TARGETS = {
    "posting blocks": Target(posting_blocks, posting_seeds, (ValueError,)),
    "position blocks": Target(position_blocks, position_seeds, (ValueError,)),
    "groups of records": Target(group, lambda: [zlib.compress(seed) for seed in record_seeds()]),
    "records": Target(records, record_seeds),
    "names": Target(names, name_seeds, (ValueError,)),
    "state": Target(state, lambda: [STATE.pack()[8:], State().pack()[8:]]),
    "format record": Target(format_record, format_seeds),
    "kept text": Target(kept_text, kept_seeds, (ValueError,)),
    "sizes and keys": Target(sizes, lambda: [bytes(338 * 12), bytes(338 * 2 + 1), struct.pack("<Q", 5)]),
    "pages": Target(pages, page_seeds),
}
