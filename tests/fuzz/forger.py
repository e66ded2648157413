"""Forge databases: change values by what they mean, then seal them again with right checksums, as a stranger can.

An `Image` is all that a file holds, without checksums; only `write_image` knows how values are sealed.
"""

import random
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import lmdb
import msgpack
import numpy as np
import xxhash

from fpdb.storage import file_format
from fpdb.storage.file_format import BLOCKS, CHECKSUM, DOCUMENTS, FORMAT_KEY, NAMES, SEALS, SIZES, STATE_KEY, TEXTS
from fpdb.storage.runs import _decode, _encode
from fpdb.storage.state import State
from tests.storage.raw import reseal_commit, reseal_trees

MAIN = b""
"""The unnamed database, of which an image holds the records of fpdb."""
RUNS = State._fields.index("runs")
EDGES = [-1, 0, 1, 2, 7, 8, 63, 64, 255, 256, 337, 338, 4072, 65535, 65536, 2**24, 2**30 - 1, 2**30, 2**31 - 1, 2**31]
EDGES += [2**31 + 1, 2**32 - 2, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
ODD: list[Any] = [
    None,
    True,
    1.5,
    float("nan"),
    b"",
    b"x",
    "",
    "x",
    "\udcff",
    [],
    [[]],
    {},
    {"a": 1},
    [0] * 9,
    "n" * 70_000,
]


@dataclass
class Image:
    """The bodies of all values, by database and key, and which of them were changed; a body of None is deleted."""

    bodies: Mapping[bytes, dict[bytes, bytes]]
    changed: dict[tuple[bytes, bytes], bytes | None] = field(default_factory=dict)
    trees_fit: bool = True  # the trees of seals are made to fit the values

    def keys(self, database: bytes) -> list[bytes]:
        """Return the keys that a database had."""
        return list(self.bodies[database])

    def get(self, database: bytes, key: bytes) -> bytes:
        """Return a body as it is now, or nothing where there is none."""
        body = self.changed.get((database, key), self.bodies[database].get(key, b""))
        return b"" if body is None else body

    def put(self, database: bytes, key: bytes, body: bytes | None) -> None:
        """Change a body."""
        self.changed[database, key] = body


def read_image(path: str) -> Image:
    """Return what a file holds."""
    with lmdb.open(path, subdir=False, readonly=True, lock=False, max_dbs=9) as env, env.begin() as txn:
        bodies = {MAIN: {key: txn.get(key)[CHECKSUM:] for key in (FORMAT_KEY, STATE_KEY)}}
        for name in file_format.NAMED:
            cursor = txn.cursor(env.open_db(name, txn, create=False))
            bodies[name] = {key: value[CHECKSUM:] for key, value in cursor}
    return Image(bodies)


def write_image(image: Image, path: str) -> None:
    """Write the changes of an image to a copy of the file that it was read from, all checksums right."""
    with lmdb.open(path, subdir=False, max_dbs=9, map_size=1 << 34, lock=False) as env:
        databases = {name: env.open_db(name, create=False) for name in file_format.NAMED}
        with env.begin(write=True) as txn:
            for (name, key), body in image.changed.items():
                database = databases.get(name)
                if body is None:
                    txn.delete(key, db=database)
                else:
                    txn.put(key, seal(name, key, body), db=database)
            if image.trees_fit:
                reseal_trees(txn, databases)
            reseal_commit(txn)


def seal(database: bytes, key: bytes, body: bytes) -> bytes:
    """Return a value with its checksum."""
    block = database == BLOCKS and len(key) == 8
    seed = int.from_bytes(key, "big") if block else xxhash.xxh3_64_intdigest(key)
    return xxhash.xxh3_64_intdigest(body, seed=seed).to_bytes(CHECKSUM, "little") + body


# ---------------------------------------------------------------- values of any kind


def edge(rng: random.Random, near: int, width: int) -> int:
    """Return a number that fits into so many bits: one at an edge, or near another one."""
    number = rng.choice(
        [*EDGES, near + 1, near - 1, 2 * near, near ^ 1 << rng.randrange(width), rng.getrandbits(width)]
    )
    return number % (1 << width)


def change_bytes(body: bytes, rng: random.Random) -> bytes:
    """Return a body that is cut, extended, repeated or garbled."""
    place, length = rng.randrange(len(body) + 1), rng.choice((1, 2, 4, 8, 12))
    changes: list[Callable[[], bytes]] = [
        lambda: body[:place],
        lambda: body[place:],
        lambda: body + rng.randbytes(length),
        lambda: body[:place] + bytes(length) + body[place + length :],
        lambda: body[:place] + b"\xff" * length + body[place + length :],
        lambda: body[:place] + rng.randbytes(length) + body[place + length :],
        lambda: body[:place] + body[place : place + length] * 2 + body[place + length :],
        lambda: body + body,
        lambda: b"",
    ]
    return rng.choice(changes)()


def change_plain(value: Any, rng: random.Random) -> Any:
    """Return a value of lists, maps, numbers and strings with a part of it changed."""
    if isinstance(value, dict | list | tuple) and value and rng.random() < 0.9:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key, other = rng.choice(keys), rng.choice(keys)
        copy: Any = dict(value) if isinstance(value, dict) else list(value)
        match rng.randrange(12):
            case 0:
                del copy[key]
            case 1:
                copy[key], copy[other] = copy[other], copy[key]
            case 2:
                copy[key] = copy[other]
            case 3 if isinstance(copy, list):
                copy.insert(key, copy[other])
            case 4 if isinstance(copy, list):
                copy.reverse()
            case _:
                copy[key] = change_plain(copy[key], rng)
        return copy
    if isinstance(value, int) and rng.random() < 0.9:
        number = rng.choice([*EDGES, value + 1, value - 1, 2 * value, value // 2])
        return number if -(2**63) <= number < 2**64 else 0
    if isinstance(value, bytes | str) and value and rng.random() < 0.6:
        cut = rng.randrange(len(value))
        return rng.choice((value[:cut], value + value[cut:], value[cut:] + value[:cut]))
    return rng.choice(ODD)


def pack(value: Any) -> bytes:
    """Return a value as msgpack."""
    packed: bytes = msgpack.packb(value, unicode_errors="surrogateescape")
    return packed


def unpack(body: bytes) -> Any:
    """Return the value of msgpack."""
    return msgpack.unpackb(body, unicode_errors="surrogateescape", strict_map_key=False)


# ---------------------------------------------------------------- what is forged


def state(image: Image, rng: random.Random) -> None:
    image.put(MAIN, STATE_KEY, pack(change_plain(unpack(image.get(MAIN, STATE_KEY)), rng)))


def run_fields(image: Image, rng: random.Random) -> None:
    """Change one or several numbers of a listed run."""
    counts = unpack(image.get(MAIN, STATE_KEY))
    run = rng.choice(counts[RUNS])
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.randrange(len(run))
        run[place] = edge(rng, run[place], rng.choice((31, 32, 63)))
    if rng.random() < 0.3:  # so that the range is that of all ids
        run[4:6] = (0, 2**31 - 1) if run[4] < 2**31 else (2**31, 2**32 - 1)
        counts[1], counts[2] = 2**31, 2**32
        counts[RUNS] = [run]
    image.put(MAIN, STATE_KEY, pack(counts))


def format_record(image: Image, rng: random.Random) -> None:
    record = unpack(image.get(MAIN, FORMAT_KEY))
    image.put(MAIN, FORMAT_KEY, pack({**record, "recipe": change_plain(record["recipe"], rng)}))


def group(image: Image, rng: random.Random) -> None:
    key = rng.choice(image.keys(DOCUMENTS))
    rows = unpack(zlib.decompress(image.get(DOCUMENTS, key)))
    for _ in range(rng.choice((1, 1, 2))):
        rows = change_plain(rows, rng)
    image.put(DOCUMENTS, key, zlib.compress(pack(rows), 1))


def group_bytes(image: Image, rng: random.Random) -> None:
    key = rng.choice(image.keys(DOCUMENTS))
    packed = zlib.decompress(image.get(DOCUMENTS, key))
    compressed = zlib.compress(change_bytes(packed, rng), 1)
    image.put(DOCUMENTS, key, change_bytes(compressed, rng) if rng.random() < 0.2 else compressed)


BOMBS: list[Callable[[int], bytes]] = [
    lambda size: b"\x98" + b"\x90" * size,
    lambda size: b"\x98" + b"\xdd" + size.to_bytes(4, "big") + b"\x90" * size + b"\xc0" * 7,
    lambda size: b"\x91" * size,
    lambda size: b"\x98" + pack([b"a", "text", b"d" * 16, *(9,) * 5, "", None, None])[:-1] + b"\xdf" + bytes(size),
    lambda size: (
        b"\x98\x9e"
        + pack([b"a", "text", b"d" * 16, *(9,) * 5, "", None, None])[1:]
        + b"\xdf"
        + (size // 8).to_bytes(4, "big")
        + b"".join(b"\xa5%05x\xa0" % number for number in range(size // 8))
        + b"\x00\xc0"
        + b"\xc0" * 7
    ),
    lambda size: b"\x98" + b"\xdb" + size.to_bytes(4, "big") + b" " * size + b"\xc0" * 7,
]


def group_bomb(image: Image, rng: random.Random) -> None:
    size = 1 << rng.choice((12, 16, 20, 22, 24, 26))
    packed = zlib.compress(rng.choice(BOMBS)(size - 100), 1)
    for key in rng.sample(image.keys(DOCUMENTS), rng.choice((1, 1, min(len(image.keys(DOCUMENTS)), 30)))):
        image.put(DOCUMENTS, key, packed)


def far_documents(image: Image, rng: random.Random) -> None:
    """Give records, sizes and names to ids that are far away."""
    for database in rng.sample([DOCUMENTS, SIZES], rng.choice((1, 2))):
        key = rng.choice(image.keys(database))
        number = rng.choice((2**23, 2**28 - 1, 2**29, 2**31 // 338, 2**32 // 338, 2**32 - 1, rng.getrandbits(28)))
        image.put(database, file_format.id_key(number), image.get(database, key))
        if rng.random() < 0.5:
            image.put(database, key, None)
    if rng.random() < 0.5:
        counts = unpack(image.get(MAIN, STATE_KEY))
        counts[1], counts[2] = 2**31, 2**32
        image.put(MAIN, STATE_KEY, pack(counts))


def name(image: Image, rng: random.Random) -> None:
    keys = image.keys(NAMES)
    key, other = rng.choice(keys), rng.choice(keys)
    body = image.get(NAMES, key)
    match rng.randrange(7):
        case 0:
            image.put(NAMES, key, edge(rng, int.from_bytes(body, "big"), 32).to_bytes(4, "big"))
        case 1:
            image.put(NAMES, key, image.get(NAMES, other))
        case 2:
            image.put(NAMES, key, image.get(NAMES, other))
            image.put(NAMES, other, body)
        case 3:
            image.put(NAMES, key, change_bytes(body, rng))
        case 4:
            image.put(NAMES, rng.choice([key[: 1 + len(key) // 2], key + b"x", b"z" * 448, b"z" * 480])[:511], body)
        case 5:
            image.put(NAMES, key, None)
        case _:
            image.put(NAMES, (key + b"!")[:511], body)
            image.put(NAMES, key, None)


def size(image: Image, rng: random.Random) -> None:
    key = rng.choice(image.keys(SIZES))
    body = image.get(SIZES, key)
    if rng.random() < 0.1:
        image.put(SIZES, key, rng.choice((None, change_bytes(body, rng))))
        return
    sizes = np.frombuffer(body, file_format.SIZE).copy()
    live = np.flatnonzero(sizes["hashes"] != file_format.DEAD).tolist()
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.choice(live) if live and rng.random() < 0.8 else rng.randrange(len(sizes))
        column = rng.choice(sizes.dtype.names)
        sizes[column][place] = edge(rng, int(sizes[column][place]), 32)
    image.put(SIZES, key, sizes.tobytes())


def text(image: Image, rng: random.Random) -> None:
    keys = image.keys(TEXTS)
    if not keys:
        name(image, rng)
        return
    key, other = rng.choice(keys), rng.choice(keys)
    body = image.get(TEXTS, key)
    match rng.randrange(6):
        case 0:
            image.put(TEXTS, key, image.get(TEXTS, other))
        case 1:
            image.put(TEXTS, key, None)
        case 2:
            document, piece = file_format.parse_text_key(key)
            image.put(TEXTS, file_format.text_key(edge(rng, document, 32), edge(rng, piece, 32)), body)
        case 3:
            text_bomb(image, rng, key)
        case _:
            image.put(TEXTS, key, change_bytes(body, rng))


def text_bomb(image: Image, rng: random.Random, key: bytes) -> None:
    """Let a few bytes stand for very many, and the record agree."""
    import zstandard

    document, _ = file_format.parse_text_key(key)
    size = 1 << rng.choice((16, 24, 27, 29))
    content = bytes(size)
    body = rng.choice((b"\0", b"\1")) + zstandard.compress(content, 1)
    for piece in [piece for piece in image.keys(TEXTS) if file_format.parse_text_key(piece)[0] == document]:
        image.put(TEXTS, piece, None)
    for index in range(0, len(body), 4064):
        image.put(TEXTS, file_format.text_key(document, index // 4064), body[index : index + 4064])
    group_key = file_format.id_key(document // 8)
    rows = unpack(zlib.decompress(image.get(DOCUMENTS, group_key)))
    row = rows[document % 8]
    if row is not None and len(row) == 14:
        before = row[13]
        row[2], row[13] = xxhash.xxh3_128_digest(content), size
        image.put(DOCUMENTS, group_key, zlib.compress(pack(rows)))
        counts = unpack(image.get(MAIN, STATE_KEY))
        counts[6] += size - (before or 0)
        image.put(MAIN, STATE_KEY, pack(counts))


def keys_of(image: Image, column: int) -> list[bytes]:
    """Return the keys of blocks of a column."""
    return [key for key in image.keys(BLOCKS) if file_format.parse_block_key(key)[1] == column]


HEADERS = {
    file_format.POSTINGS: [(0, 2), (2, 2), (4, 2), (6, 1), (7, 1), (8, 8), (16, 4)],
    file_format.POSITIONS: [(0, 4), (4, 1), (5, 3)],
}


def block_header(image: Image, rng: random.Random) -> None:
    column = rng.choice((file_format.POSTINGS, file_format.POSTINGS, file_format.POSITIONS))
    keys = keys_of(image, column)
    if not keys:
        block_body(image, rng)
        return
    key = rng.choice(keys)
    body = bytearray(image.get(BLOCKS, key))
    for _ in range(rng.choice((1, 1, 2))):
        start, length = rng.choice(HEADERS[column])
        number = int.from_bytes(body[start : start + length], "little")
        body[start : start + length] = edge(rng, number, 8 * length).to_bytes(length, "little")
    image.put(BLOCKS, key, bytes(body))


def block_body(image: Image, rng: random.Random) -> None:
    """Flip bits of a block's body, or cut it, or put it elsewhere."""
    key, other = rng.choice(image.keys(BLOCKS)), rng.choice(image.keys(BLOCKS))
    body = bytearray(image.get(BLOCKS, key))
    match rng.randrange(8):
        case 0:
            image.put(BLOCKS, key, image.get(BLOCKS, other))
            image.put(BLOCKS, other, bytes(body))
        case 1:
            image.put(BLOCKS, key, None)
        case 2:
            image.put(BLOCKS, key, change_bytes(bytes(body), rng))
        case 3:
            number = edge(rng, int.from_bytes(key, "big"), 64)
            image.put(BLOCKS, number.to_bytes(8, "big"), bytes(body))
        case _:
            for _ in range(rng.choice((1, 1, 8))):
                if body:
                    body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
            image.put(BLOCKS, key, bytes(body))


def postings(image: Image, rng: random.Random) -> None:
    """Encode a block of the same hashes and documents in another order, or of others."""
    keys = keys_of(image, file_format.POSTINGS)
    if not keys:
        state(image, rng)
        return
    key = rng.choice(keys)
    body = image.get(BLOCKS, key)
    try:
        hashes, documents = _decode.decode_postings([bytes(8) + body], int.from_bytes(body[:2], "little"))
    except ValueError:
        return
    hashes, documents = hashes.copy(), documents.copy()
    place, other = rng.randrange(len(hashes)), rng.randrange(len(hashes))
    match rng.randrange(6):
        case 0:
            documents[place], documents[other] = documents[other], documents[place]
        case 1:
            documents[place] = documents[other]
        case 2:
            documents[place] = edge(rng, int(documents[place]), 32)
        case 3:
            documents[:] = documents[::-1].copy()
        case 4:
            hashes[place:] = hashes[place]
        case _:
            hashes[:] = hashes[place]
            documents.sort()
    if hashes[0] == hashes[-1]:
        documents.sort()  # which the encoder relies on
    buffer, sizes, _ = _encode.encode_postings(hashes, documents, True)
    if sizes:
        image.put(BLOCKS, key, bytes(buffer[0][8 : sizes[0]]))


def position_order(image: Image, rng: random.Random) -> None:
    keys = keys_of(image, file_format.POSITIONS)
    if not keys:
        postings(image, rng)
        return
    key = rng.choice(keys)
    body = image.get(BLOCKS, key)
    positions = _decode.decode_positions([bytes(8) + body], int.from_bytes(body[:4], "little")).copy()
    place = rng.randrange(len(positions))
    match rng.randrange(4):
        case 0:
            positions[place] = edge(rng, int(positions[place]), 32)
        case 1:
            positions[:] = positions[::-1].copy()
        case 2:
            positions[:] = 2**32 - 1
        case _:
            positions[:] = 0
    buffer, sizes, counts = _encode.encode_positions(positions, True)
    if counts == [len(positions)]:
        image.put(BLOCKS, key, bytes(buffer[0][8 : sizes[0]]))


def fences(image: Image, rng: random.Random) -> None:
    key = rng.choice(keys_of(image, file_format.FENCES))
    array = np.frombuffer(image.get(BLOCKS, key), file_format.FENCE).copy()
    place, other = rng.randrange(len(array)), rng.randrange(len(array))
    match rng.randrange(5):
        case 0:
            array["first"][place] = edge(rng, int(array["first"][place]), 64)
        case 1:
            array["first"][:] = array["first"][place]
        case 2:
            moved = min(int(array["postings"][place]) - 1, rng.choice((1, 2, 100)))
            array["postings"][place] -= moved
            array["postings"][other] += moved
        case 3:
            array["postings"][place] = edge(rng, int(array["postings"][place]), 16)
        case _:
            array["postings"][:] = 65535
            counts = unpack(image.get(MAIN, STATE_KEY))
            for run in counts[RUNS]:
                if run[0] == file_format.parse_block_key(key)[0]:
                    run[1] = 65535 * len(array)
            image.put(MAIN, STATE_KEY, pack(counts))
    image.put(BLOCKS, key, array.tobytes())


def position_fences(image: Image, rng: random.Random) -> None:
    keys = keys_of(image, file_format.POSITION_FENCES)
    if not keys:
        fences(image, rng)
        return
    key = rng.choice(keys)
    array = np.frombuffer(image.get(BLOCKS, key), "<u2").copy()
    place, other = rng.randrange(len(array)), rng.randrange(len(array))
    moved = min(int(array[place]), rng.choice((1, 2, 100, 65535)))
    array[place] -= moved
    if rng.random() < 0.7:
        array[other] += moved
    image.put(BLOCKS, key, array.tobytes())


def seals(image: Image, rng: random.Random) -> None:
    """Change the trees of seals, and what the state says of them."""
    image.trees_fit = False
    if rng.random() < 0.5:
        counts = unpack(image.get(MAIN, STATE_KEY))
        counts[RUNS + 1] = change_plain(counts[RUNS + 1], rng)
        image.put(MAIN, STATE_KEY, pack(counts))
    else:
        key = rng.choice(image.keys(SEALS))
        image.put(SEALS, key, rng.choice((None, change_bytes(image.get(SEALS, key), rng))))


def stray_key(image: Image, rng: random.Random) -> None:
    database = rng.choice([MAIN, *file_format.NAMED])
    image.put(database, rng.randbytes(rng.choice((1, 3, 4, 5, 8, 9, 12, 500))), rng.randbytes(rng.choice((0, 4, 40))))


FORGERIES = (state, run_fields, format_record, group, group_bytes, group_bomb, far_documents, name, size, text)
FORGERIES += (block_header, block_body, postings, position_order, fences, position_fences, seals, stray_key)


def forge(image: Image, rng: random.Random) -> str:
    """Change an image in one or several ways; return what was done."""
    done = [rng.choice(FORGERIES) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    for forgery in done:
        with suppress(AttributeError, IndexError, KeyError, TypeError, ValueError, zlib.error):  # after another one
            forgery(image, rng)
    return ", ".join(forgery.__name__ for forgery in done)
