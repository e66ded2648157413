"""Front-ends: one module a kind of document, and the table of kinds.

A front-end turns a document into symbols of one alphabet, with the way back to the original. Nothing else
knows about kinds.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from fpdb.errors import UnknownKind
from fpdb.fingerprint.frontends import text
from fpdb.fingerprint.symbols import Symbols


class FrontEnd(NamedTuple):
    """A row of the table: content in, symbols out, of which alphabet."""

    read: Callable[[bytes | str], Symbols]
    alphabet: str
    about: str


KINDS: Mapping[str, FrontEnd] = {
    "text": FrontEnd(text.read, "characters", "plain text: letters and digits of any script, case folded"),
}


def find_kind(name: str) -> FrontEnd:
    """The row of that name; UnknownKind if there is none."""
    if name not in KINDS:
        raise UnknownKind(f"no front-end reads documents of kind {name!r}; kinds: {', '.join(KINDS)}")
    return KINDS[name]
