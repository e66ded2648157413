"""Read Rich Text Format by striprtf: the text with its notes. Offsets are indices into the extracted text."""

import re
from importlib.util import find_spec
from typing import Final

from fpdb.errors import MissingPackage, Unreadable
from fpdb.limits import timed_reading
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.sandbox import SANDBOX
from fpdb.readers.symbols import Symbols

MARK: Final = b"{\\rtf"
_NOTE: Final = re.compile(rb"\\footnote\b")


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of a document; MissingPackage, or Unreadable if it is none, damaged or too large."""
    encoded = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if not encoded.lstrip().startswith(MARK):
        raise Unreadable("not Rich Text Format (rtf)")
    if find_spec("striprtf") is None:
        raise MissingPackage("striprtf is needed to read RTF: pip install 'fpdb[rtf]'")
    with timed_reading() as reading:
        text = ExtractedText(reading)
        # striprtf leaves out notes; as paragraphs, they are read.
        text.write(SANDBOX.call("rich_text", _NOTE.sub(rb"\\par ", encoded), reading=reading))
    return text.fold("rtf", alphabet, version)
