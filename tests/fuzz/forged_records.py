"""Forge the values of the catalogue: state, recipe, records, names, sizes and texts."""

import random
import zlib
from collections.abc import Callable

import numpy as np
import xxhash

from fpdb.storage import _names, file_format
from fpdb.storage.file_format import DOCUMENTS, FORMAT_KEY, NAMES, SIZES, STATE_KEY, TEXTS
from fpdb.storage.state import State
from tests.fuzz.database_image import MAIN, Image
from tests.fuzz.random_changes import change_bytes, change_plain, edge, pack, unpack

RUNS = State._fields.index("runs")


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
            names(image, key, rng)
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


def names(image: Image, block: bytes, rng: random.Random) -> None:
    """Let names of a block lead to other documents, leave some out, and add others."""
    try:
        keys, ids = _names.unpack(image.get(NAMES, block))
    except ValueError:  # forged before
        image.put(NAMES, block, change_bytes(image.get(NAMES, block), rng))
        return
    entries = dict(zip(keys, ids.tolist(), strict=True))
    for _ in range(rng.choice((1, 1, 2))):
        key = rng.choice(keys)
        match rng.randrange(4):
            case 0:
                entries[key] = entries[rng.choice(keys)]
            case 1:
                entries[rng.choice([key[: 1 + len(key) // 2], key + b"x", b"z" * 448, b"z" * 480])[:480]] = entries[key]
            case 2:
                entries.pop(key, None)
                keys = list(entries) or keys
            case _:
                entries[key] = edge(rng, entries[key], 32)
    keys = sorted(entries)
    numbers = np.array([entries[key] for key in keys], np.int64)
    (packed, *_), _ = _names.change(b"", keys, numbers, range(len(keys)), (1 << 16, 1 << 16)) if keys else ([b""], True)
    image.put(NAMES, block, packed)


def size(image: Image, rng: random.Random) -> None:
    key = rng.choice(image.keys(SIZES))
    body = image.get(SIZES, key)
    if rng.random() < 0.1 or not file_format.are_sizes(body):
        image.put(SIZES, key, rng.choice((None, change_bytes(body, rng))))
        return
    sizes = np.frombuffer(file_format.unseal_sizes(key, file_format.seal(key, body)), file_format.SIZE).copy()
    live = np.flatnonzero(sizes["hashes"] != file_format.DEAD).tolist()
    for _ in range(rng.choice((1, 1, 2))):
        place = rng.choice(live) if live and rng.random() < 0.8 else rng.randrange(len(sizes))
        column = rng.choice(sizes.dtype.names)
        sizes[column][place] = edge(rng, int(sizes[column][place]), 32)
    image.put(SIZES, key, rng.choice((bytes, file_format.pack_sizes))(sizes.tobytes()))


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


FORGERIES = (state, run_fields, format_record, group, group_bytes, group_bomb, far_documents, name, size, text)
