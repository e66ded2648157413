"""The workload that turns content into fingerprints."""

import ctypes
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.corpora import texts
from bench.measuring import Figure, in_turns, median, ratios, run
from bench.workspace import Workspace
from fpdb.fingerprint import Recipe
from fpdb.fingerprint.hashing import Hashing, KGrams, derive
from fpdb.fingerprint.winnowing import robust_winnow

SOURCE = Path(__file__).parents[1] / "kernel.c"
BUILD = SOURCE.parent / "_build"
K, W = 50, 100  # as in the winnowing paper's experiments, and the preset "web"
ALPHABET = b"abcdefghijklmnopqrstuvwxyz0123456789"
SMALL = 4096  # bytes of a short document

Selected = tuple[NDArray[np.uint32], NDArray[np.uint64]]


def kernel(workspace: Workspace) -> Iterator[Figure]:
    """Select by robust winnowing, k=50 and w=100, on one core: 8 MB of random symbols, and 8 MB of text.

    The text is folded first. Target: 0.9 of the C loop, both. Limit: that loop, bench/kernel.c, which does the same
    work and is checked to give the same fingerprints; compiled by gcc -O3 and run in turns with ours. The time of a
    document of 4 KB is measured as well.
    """
    size = workspace.size(8_000_000)
    rng = np.random.default_rng(4)
    symbols = np.frombuffer(ALPHABET, np.uint8)[rng.integers(0, len(ALPHABET), size)]
    (text,) = texts(size, 1)
    recipe = Recipe.preset("web")
    loops = _Loops(size, derive(recipe.key, "characters"))
    kgrams = KGrams(symbols, K, loops.hashing)
    found = recipe.fingerprint(text)
    _assert_equal(robust_winnow(kgrams, w=W)[:2], loops.select(symbols))
    _assert_equal((found.positions, found.hashes), loops.fingerprint(text))

    mine, limit, whole, whole_limit = in_turns(
        workspace.rounds(20),
        lambda: robust_winnow(kgrams, w=W),
        lambda: loops.select(symbols),
        lambda: recipe.fingerprint(text),
        lambda: loops.fingerprint(text),
    )
    yield median("selection, of the C loop's speed", ratios(limit, mine), "", target=0.9, better="more")
    yield median("selection", _speeds(size, mine), "MB/s")
    yield median("selection, C loop", _speeds(size, limit), "MB/s")
    yield median("text, of the C loop's speed", ratios(whole_limit, whole), "", target=0.9, better="more")
    yield median("text", _speeds(size, whole), "MB/s")
    yield median("text, C loop", _speeds(size, whole_limit), "MB/s")
    short = text[:SMALL]
    mine, limit = in_turns(workspace.rounds(1000), lambda: recipe.fingerprint(short), lambda: loops.fingerprint(short))
    yield median("a text of 4 KB", [1e6 * elapsed for elapsed in mine], "µs")
    yield median("a text of 4 KB, C loop", [1e6 * elapsed for elapsed in limit], "µs")


def _assert_equal(ours: Selected, theirs: Selected) -> None:
    assert np.array_equal(ours[0], theirs[0])
    assert np.array_equal(ours[1], theirs[1])


def _speeds(size: int, elapsed: list[float]) -> list[float]:
    return [size / 1e6 / seconds for seconds in elapsed]


class _Loops:
    """The functions of kernel.c, with buffers for inputs of up to `size` bytes."""

    def __init__(self, size: int, hashing: Hashing) -> None:
        self.hashing = hashing
        library = ctypes.CDLL(str(_compiled()))
        self._select = _function(library.robust_winnow)
        self._fingerprint = _function(library.fold_and_winnow)
        self._symbols = np.empty(size, np.uint8)
        self._positions = np.empty(size, np.uint32)
        self._hashes = np.empty(size, np.uint64)
        self._constants = [ctypes.c_uint64(value) for value in (hashing.base, hashing.spread, hashing.multiplier)]
        self._out = [_address(self._positions), _address(self._hashes)]

    def select(self, symbols: NDArray[np.uint8]) -> Selected:
        """Return positions and hashes of the selected k-grams, as views that the next call overwrites."""
        sizes = [ctypes.c_size_t(value) for value in (len(symbols), K, W)]
        return self._views(self._select(_address(symbols), *sizes, *self._constants, *self._out))

    def fingerprint(self, text: bytes) -> Selected:
        """Return positions and stored hashes of the selected k-grams of a text, as views like those of `select`."""
        sizes = [ctypes.c_size_t(value) for value in (len(text), K, W)]
        constants = [*self._constants, ctypes.c_uint64(self.hashing.store)]
        return self._views(self._fingerprint(text, *sizes, *constants, _address(self._symbols), *self._out))

    def _views(self, count: int) -> Selected:
        assert count > 0
        return self._positions[:count], self._hashes[:count]


def _function(symbol: Any) -> Callable[..., int]:
    symbol.restype = ctypes.c_ssize_t
    called: Callable[..., int] = symbol
    return called


def _address(array: NDArray[np.uint8] | NDArray[np.uint32] | NDArray[np.uint64]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _compiled() -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise RuntimeError("the workload 'kernel' needs gcc")
    BUILD.mkdir(exist_ok=True)
    library = BUILD / "kernel.so"
    run(compiler, "-O3", "-shared", "-fPIC", "-o", str(library), str(SOURCE), cwd=BUILD)
    return library
