"""Forge the blocks and fences of runs."""

import random
from collections.abc import Callable

import numpy as np

from fpdb.storage import file_format
from fpdb.storage.file_format import BLOCKS, STATE_KEY
from fpdb.storage.runs import _decode, _encode
from tests.fuzz.database_image import MAIN, Image
from tests.fuzz.forged_records import RUNS, state
from tests.fuzz.random_changes import change_bytes, edge, pack, unpack

Forgery = Callable[[Image, random.Random], None]


def keys_of(image: Image, column: int) -> list[bytes]:
    """Return the keys of blocks of a column."""
    return [key for key in image.keys(BLOCKS) if file_format.parse_block_key(key)[1] == column]


def pick(image: Image, rng: random.Random, column: int, otherwise: Forgery) -> tuple[bytes, bytes] | None:
    """Return the key and the body of a block of a column; where there is none, make another forgery."""
    keys = keys_of(image, column)
    if not keys:
        otherwise(image, rng)
        return None
    key = rng.choice(keys)
    return key, image.get(BLOCKS, key)


HEADERS = {
    file_format.POSTINGS: [(0, 2), (2, 2), (4, 2), (6, 1), (7, 1), (8, 8), (16, 4)],
    file_format.POSITIONS: [(0, 4), (4, 1), (5, 3)],
}


def block_header(image: Image, rng: random.Random) -> None:
    column = rng.choice((file_format.POSTINGS, file_format.POSTINGS, file_format.POSITIONS))
    if (block := pick(image, rng, column, block_body)) is None:
        return
    key, body = block[0], bytearray(block[1])
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
    if (block := pick(image, rng, file_format.POSTINGS, state)) is None:
        return
    key, body = block
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
    if (block := pick(image, rng, file_format.POSITIONS, postings)) is None:
        return
    key, body = block
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
    if (block := pick(image, rng, file_format.POSITION_FENCES, fences)) is None:
        return
    key, array = block[0], np.frombuffer(block[1], "<u2").copy()
    place, other = rng.randrange(len(array)), rng.randrange(len(array))
    moved = min(int(array[place]), rng.choice((1, 2, 100, 65535)))
    array[place] -= moved
    if rng.random() < 0.7:
        array[other] += moved
    image.put(BLOCKS, key, array.tobytes())


FORGERIES = (block_header, block_body, postings, position_order, fences, position_fences)
