"""Read plain text, including Markdown and reStructuredText."""

from fpdb.readers.encodings import as_text
from fpdb.readers.folding import READER_VERSION, fold
from fpdb.readers.symbols import Symbols


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a text, with a note on how it was decoded. All content is readable."""
    return fold(*as_text(content), alphabet, version)
