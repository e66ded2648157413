"""Blocks in plain Python, as docs/design/file-format.md defines them; zeros stand for the checksum."""

import struct
from itertools import accumulate, pairwise

import numpy as np

HEADER = struct.Struct("<HHHBBQI")
CHECKSUM, PADDING, LARGEST = bytes(8), bytes(8), 4072


def size(count, bits):
    return (count * bits + 7) // 8


def pack(numbers, bits):
    digits = "".join(f"{number:0{bits}b}" for number in reversed(numbers)) if bits else ""
    return int(digits or "0", 2).to_bytes(size(len(numbers), bits), "little")


def unpack(data, bits, count):
    whole = int.from_bytes(data, "little")
    return [whole >> bits * i & (1 << bits) - 1 for i in range(count)]


def pack_ascending(numbers):
    """Return the bits of the low parts, the high vector and the low parts."""
    low = max((numbers[-1] // len(numbers)).bit_length() - 1, 0)
    high = bytearray(8 * ((len(numbers) + (numbers[-1] >> low) + 64) // 64))
    for i, number in enumerate(numbers):
        bit = (number >> low) + i
        high[bit // 8] |= 1 << bit % 8
    return low, bytes(high), pack([number % (1 << low) for number in numbers], low)


def posting_block(pairs):
    """Return the block of (hash, document) pairs, which are sorted."""
    hashes = sorted({hash_ for hash_, _ in pairs})
    n, m, base = len(pairs), len(hashes), min(document for _, document in pairs)
    documents = [document - base for _, document in pairs]
    low, high, lows = pack_ascending(documents if m == 1 else [hash_ - hashes[0] for hash_ in hashes])
    width = 0 if m == 1 else max(documents).bit_length()
    begins = [1, *(int(hash_ != before) for (before, _), (hash_, _) in pairwise(pairs))] if 1 < m < n else []
    header = HEADER.pack(n, m, len(high), low, width, hashes[0], base)
    return CHECKSUM + header + high + lows + pack(begins, 1) + pack(documents, width) + PADDING


def position_block(numbers, width=None):
    width = max(numbers).bit_length() if width is None else width
    return CHECKSUM + struct.pack("<IB3x", len(numbers), width) + pack(numbers, width) + PADDING


def demand(*conditions):
    if not all(conditions):
        raise ValueError("damaged")


def read_posting_block(block, first_id=0, last_id=2**32 - 1):
    """Return the (hash, document) pairs of a block; raise ValueError if it is damaged."""
    demand(len(CHECKSUM) + HEADER.size + len(PADDING) <= len(block) <= LARGEST)
    n, m, high_size, low, width, first, base = HEADER.unpack_from(block, len(CHECKSUM))
    demand(0 < m <= n, high_size, high_size % 8 == 0, low < 64, width <= 32, m > 1 or not width)
    count = n if m == 1 else m
    sizes = high_size, size(count, low), size(n, 1) if 1 < m < n else 0, size(n, width)
    ends = list(accumulate(sizes, initial=len(CHECKSUM) + HEADER.size))
    demand(ends[-1] + len(PADDING) == len(block), first_id <= base <= last_id)
    high, lows, begins, documents = (block[start:end] for start, end in pairwise(ends))
    ones = [bit for bit, one in enumerate(unpack(high, 1, 8 * high_size)) if one][:count]
    demand(len(ones) == count)
    highs = [(bit - i << low) % 2**64 for i, bit in enumerate(ones)]
    numbers = [high | rest for high, rest in zip(highs, unpack(lows, low, count), strict=True)]
    if m == 1:
        pairs = [(first, base + number) for number in numbers]
    else:
        marks = unpack(begins, 1, n) if m < n else [1] * n
        demand(marks[0], sum(marks) == m, numbers[0] == 0, all(a < b for a, b in pairwise(numbers)))
        hashes = [first + numbers[index - 1] for index in accumulate(marks)]
        pairs = list(zip(hashes, (base + document for document in unpack(documents, width, n)), strict=True))
    demand(pairs == sorted(pairs), pairs[-1][0] < 2**64, all(document <= last_id for _, document in pairs))
    return pairs


def read_position_block(block):
    """Return the numbers of a block; raise ValueError if it is damaged."""
    demand(len(block) >= 24)
    count, width = struct.unpack_from("<IB", block, 8)
    demand(0 < count <= 65_535, width <= 32, len(block) == 24 + size(count, width))
    return unpack(block[16:-8], width, count)


def some_pairs(rng):
    """Return sorted (hash, document) pairs: few or many hashes and documents, also at the ends of their range."""
    count = int(rng.choice([1, 2, 3, 9, 80]))
    columns = []
    for bits, spans in ((64, [1, 4, 100, 2**40, 2**63]), (32, [1, 2, 30, 2**20, 2**31])):
        span = int(rng.choice(np.array(spans, np.uint64)))
        first = [0, 7, 2**bits - span][rng.integers(3)]
        columns.append([first + int(number) for number in rng.integers(0, span, count, np.uint64)])
    return sorted(zip(*columns, strict=True))


def damaged(rng, block):
    """Return a block in which a bit is flipped, or a byte is another; or one more or fewer byte."""
    block, at, kind = bytearray(block), int(rng.integers(8, len(block))), rng.integers(4)
    at = int(rng.integers(8, min(28, len(block)))) if kind == 0 else at
    if kind < 2:
        block[at] = (block[at] + int(rng.choice([1, 255, 8, 128]))) % 256
    elif kind == 2 or rng.integers(9):
        block[at] ^= 1 << int(rng.integers(8))
    else:
        block = block[:at] if rng.integers(2) else block + bytes(1)
    return bytes(block)
