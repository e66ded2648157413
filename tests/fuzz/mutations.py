"""Damage inputs slightly; the same seed gives the same inputs."""

import random
from collections.abc import Iterator, Sequence

NUMBERS = [0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 4096, 0x7FFF, 0x8000, 0xFFFF, 2**31 - 1, 2**31]
NUMBERS += [2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
PIECES = [
    b"",
    b"\0",
    b"\xff",
    b"\n",
    b"\r",
    b" ",
    b'"',
    b"<",
    b"</",
    b">",
    b"&#",
    b"<!--",
    b"-->",
    b"[",
    b"{",
    b"(",
    b"\\",
]
PIECES += [
    b"9" * 5000,
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe2\x80\xae",
    b"\x1b[31m",
    b"../",
    b"\xc7",
    b"\xdf",
]


def mutated(seeds: Sequence[bytes], seed: int, most: int) -> Iterator[bytes]:
    """Yield inputs without end: the seeds themselves, then damaged ones, each of at most `most` bytes."""
    yield from seeds
    rng = random.Random(seed)
    while True:
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.choice((1, 1, 2, 3, 8))):
            _damage(data, rng, seeds)
        yield bytes(data[:most])


def _damage(data: bytearray, rng: random.Random, seeds: Sequence[bytes]) -> None:
    at = rng.randrange(len(data) + 1)
    length = rng.choice((1, 2, 4, 8, 16, rng.randrange(len(data) + 1)))
    match rng.randrange(9):
        case 0 if at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        case 1:
            data[at : at + 1] = bytes([rng.randrange(256)])
        case 2:
            width = rng.choice((1, 2, 4, 8))
            number = rng.choice(NUMBERS) % (1 << 8 * width)
            data[at : at + width] = number.to_bytes(width, rng.choice(("little", "big")))
        case 3:
            del data[at : at + length]
        case 4:
            data[at:at] = data[at : at + length] * rng.choice((1, 2, 40))
        case 5:
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            data[at : at + length] = other[start : start + length]
        case 6:
            data[at:at] = rng.choice(PIECES) * rng.choice((1, 1, 3, 500))
        case 7:
            data[at : at + length] = rng.randbytes(min(length, 64))
        case _:
            del data[at:]
