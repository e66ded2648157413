"""Random changes of numbers, bytes and plain values, mostly at the edges of what they may be."""

import random
from collections.abc import Callable
from typing import Any

import msgpack

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
