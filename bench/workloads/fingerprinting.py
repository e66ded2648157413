"""Workloads of the first stage: content to fingerprints."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.measuring import Figure, in_turns, median, ratios, run
from bench.room import Room
from fpdb.fingerprint import Recipe
from fpdb.fingerprint.hashing import KGrams, derive
from fpdb.fingerprint.winnowing import robust_winnow

SOURCE = Path(__file__).parents[1] / "kernel.c"
BUILD = SOURCE.parent / "_build"
K, W = 50, 100  # as in the winnowing paper's experiments, and the preset "web"
ALPHABET = b"abcdefghijklmnopqrstuvwxyz0123456789"


def kernel(room: Room) -> Iterator[Figure]:
    """Robust winnowing of 8 MB of random symbols, k=50 and w=100, on one core, as a share of a C loop's speed.

    Target: 0.8 of the C loop. Limit: that loop, bench/kernel.c, which does the same work, checked to give the same
    fingerprints; compiled by gcc -O3 and run in turns with ours.
    """
    size = room.size(8_000_000)
    rng = np.random.default_rng(4)
    symbols = np.frombuffer(ALPHABET, np.uint8)[rng.integers(0, len(ALPHABET), size)]
    hashing = derive(0, "characters")
    kgrams = KGrams(symbols, K, hashing)
    ours = robust_winnow(kgrams, w=W)
    loop = _c_loop(symbols, hashing.base, hashing.spread, hashing.multiplier)
    positions, hashes = loop()
    assert np.array_equal(ours.positions, positions)
    assert np.array_equal(ours.hashes, hashes)

    recipe = Recipe.preset("web")
    text = symbols.tobytes()
    mine, limit, whole = in_turns(
        room.rounds(20), lambda: robust_winnow(kgrams, w=W), loop, lambda: recipe.fingerprint(text)
    )
    yield median("of the C loop's speed", ratios(limit, mine), "", target=0.8, better="more")
    yield median("kernel", [size / 1e6 / taken for taken in mine], "MB/s")
    yield median("C loop", [size / 1e6 / taken for taken in limit], "MB/s")
    yield median("of the C loop's speed, text front-end included", ratios(limit, whole), "")


def _c_loop(
    symbols: NDArray[np.uint8], base: int, spread: int, multiplier: int
) -> Callable[[], tuple[NDArray[np.uint32], NDArray[np.uint64]]]:
    function = ctypes.CDLL(str(_compiled())).robust_winnow
    function.restype = ctypes.c_ssize_t
    positions = np.empty(len(symbols), np.uint32)
    hashes = np.empty(len(symbols), np.uint64)
    sizes = [ctypes.c_size_t(value) for value in (len(symbols), K, W)]
    constants = [ctypes.c_uint64(value) for value in (base, spread, multiplier)]
    arrays = [ctypes.c_void_p(array.ctypes.data) for array in (symbols, positions, hashes)]

    def loop() -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        count = function(arrays[0], *sizes, *constants, *arrays[1:])
        return positions[:count], hashes[:count]

    return loop


def _compiled() -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise RuntimeError("the workload 'kernel' needs gcc")
    BUILD.mkdir(exist_ok=True)
    library = BUILD / "kernel.so"
    run(compiler, "-O3", "-shared", "-fPIC", "-o", str(library), str(SOURCE), cwd=BUILD)
    return library
