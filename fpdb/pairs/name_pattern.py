"""Regular expressions that find the owner in a name, in time linear in its length whatever the pattern is.

RE2 matches them, as pyarrow has it.
"""

from collections.abc import Sequence
from typing import Any, Final

from fpdb.errors import BadQuery, MissingPackage

# RE2 takes Unicode alone: bytes of names that are not UTF-8 are put at the end of a plane for private use.
_TO_PRIVATE: Final = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}
_FROM_PRIVATE: Final = {private: surrogate for surrogate, private in _TO_PRIVATE.items()}


def check(pattern: str) -> None:
    """Raise BadQuery if a pattern is none, MissingPackage without pyarrow."""
    _matches(pattern, [""])


def find_owners(pattern: str, names: Sequence[bytes]) -> list[bytes | None]:
    """Return what the first group matches in each name, or all of the pattern; None where that is nothing.

    Raises BadQuery, MissingPackage.
    """
    texts = [name.decode("utf-8", "surrogateescape").translate(_TO_PRIVATE) for name in names]
    return [
        owner.translate(_FROM_PRIVATE).encode("utf-8", "surrogateescape") if owner else None
        for owner in _matches(pattern, texts)
    ]


def _matches(pattern: str, texts: list[str]) -> list[str | None]:
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
    except ImportError as error:
        raise MissingPackage("pyarrow is needed to match owners: pip install 'fpdb[parquet]'") from error
    try:
        names = pa.array(texts, pa.string())
        found = pc.match_substring_regex(names, pattern)  # checks the pattern as it is, too
        whole = _replace(names, pattern, r"\1")
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        reason = str(error).removeprefix("Invalid regular expression: ")
        raise BadQuery(f"{pattern!r} is no pattern of RE2's syntax: {reason}") from error
    try:
        group = _replace(names, pattern, r"\2")
    except pa.ArrowInvalid:  # it has no group
        group = whole
    rows = zip(found.to_pylist(), group.to_pylist(), whole.to_pylist(), strict=True)
    return [(first or all_of_it) if is_found else None for is_found, first, all_of_it in rows]


def _replace(names: Any, pattern: str, replacement: str) -> Any:
    """Replace each name by what the pattern matches first: the whole of it is group 1."""
    import pyarrow.compute as pc

    return pc.replace_substring_regex(names, rf"^[\s\S]*?(?:({pattern}))[\s\S]*$", replacement)
