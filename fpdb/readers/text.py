"""Plain text, Markdown and reStructuredText among it: to folded characters or consonants."""

from fpdb.readers.encodings import as_text
from fpdb.readers.folding import fold
from fpdb.readers.symbols import Symbols


def read(content: bytes | str, alphabet: str = "characters", _name: str | None = None) -> Symbols:
    """The symbols of a text, and a note on how it was decoded. Nothing is unreadable."""
    return fold(*as_text(content), alphabet)
