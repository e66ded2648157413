"""The table of schemes, which select the k-grams that become fingerprints. A scheme is a function and a row."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from fpdb.errors import BadRecipe
from fpdb.fingerprint.selection import Parameter, Scheme

# The limit keeps the buffers of winnowing to a few megabytes; no document needs so wide a guarantee.
W = Parameter(1, 2**20, 21, "the window, in k-grams")
SEARCH = Parameter(1, 2**31, 1000, "how many k-grams of a document to search with")
STORED = Parameter(1, 2**31, 100, "how many k-grams of a document to store")


def _lazy(name: str) -> Callable[..., Any]:
    """Return a function of a module of this package, which is imported when the function is first called."""
    module, _, function = name.partition(".")

    def call(*arguments: Any, **parameters: Any) -> Any:
        return getattr(import_module(f"fpdb.fingerprint.{module}"), function)(*arguments, **parameters)

    return call


SCHEMES: Mapping[str, Scheme] = {
    "winnow": Scheme(_lazy("winnowing.winnow"), "the minimum of each window", {"w": W}, window="w"),
    "robust-winnow": Scheme(
        _lazy("winnowing.robust_winnow"), "the minimum of each window, few on repetitive text", {"w": W}, window="w"
    ),
    "mod-winnow": Scheme(
        _lazy("winnowing.mod_winnow"),
        "one k-gram of each window, by the smallest t-gram in it: the same guarantee with fewer, if k > w",
        {
            "w": W,
            "r": Parameter(1, 500, 4, "the least length of a t-gram"),
            "s": Parameter(0, 500, 0, "the length of the s-grams that make a t-gram open or closed; 0 for neither"),
        },
        window="w",
        wider="wider",
    ),
    "mod": Scheme(
        _lazy("modular.mod"),
        "hashes that are 0 mod p; no guarantee",
        {"p": Parameter(1, 2**31, 11, "the divisor: one k-gram in p is selected")},
    ),
    "safe-mod": Scheme(
        _lazy("modular.safe_mod"),
        "hashes that are 0 mod p, and all others where a window would have none",
        {"w": W, "p": Parameter(0, 2**31, 0, "the divisor, 0 for the best one, w / ln w")},
        window="w",
        wider="wider",
    ),
    "smallest": Scheme(
        _lazy("sampling.smallest"),
        "the n smallest hashes of the document, whatever its length",
        {"n": Parameter(1, 2**31, 400, "how many k-grams of a document to keep")},
        sampling="smallest",
    ),
    "koala": Scheme(
        _lazy("koala.select_stored"),
        "rare k-grams, whatever the document's length: many to search with, few of them stored",
        {
            "search": SEARCH,
            "stored": STORED,
            "skip": Parameter(0, 2**31, 1000, "how many characters of a document to pass over"),
        },
        search=_lazy("koala.select_search"),
        rotates=True,
        measure="reverse_containment",
        fixed_size=True,
        find_conflict=_lazy("koala.find_conflict"),
    ),
    "distinct": Scheme(
        _lazy("distinct.select_stored"),
        "a distinct sample, and the k-grams that are frequent in a window or everywhere",
        {
            "guarantee": Parameter(1, 2**20, 1000, "W, the shortest passage sure to be found, in symbols"),
            "s": Parameter(0, 2**31, 0, "the size of the sample; 0 for the least that always keeps the sketch small"),
            "delta": Parameter(1e-9, 0.5, 0.01, "the chance to miss such a passage"),
            "total": Parameter(0, 2**31, 0, "S, the size of the whole sketch, instead of s; 0 for none"),
            "sparse": Parameter(0, 1, 0, "whether to keep about one sampled k-gram a window"),
        },
        search=_lazy("distinct.select_search"),
        sampling="level",
        find_conflict=_lazy("distinct.find_conflict"),
    ),
    "full": Scheme(_lazy("sampling.full"), "all k-grams, to measure the others by"),
    "random": Scheme(
        _lazy("sampling.random_stored"),
        "any k-grams, to show that it does not work",
        {"search": SEARCH, "stored": STORED},
        search=_lazy("sampling.random_search"),
        measure="reverse_containment",
        fixed_size=True,
    ),
}


def find_scheme(name: str) -> Scheme:
    """Return the row of a scheme; BadRecipe if there is none of that name."""
    if name not in SCHEMES:
        raise BadRecipe(f"there is no scheme {name!r}; choose one of: {', '.join(SCHEMES)}")
    return SCHEMES[name]
