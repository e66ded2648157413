"""Read e-mail (eml): the subject and the text, without headers and attachments; HTML where there is no plain text.

Offsets are indices into the extracted text.
"""

from typing import Final

from fpdb.limits import MAX_MAIL_PARTS, timed_reading
from fpdb.readers.encodings import decode
from fpdb.readers.extracted_text import ExtractedText
from fpdb.readers.folding import READER_VERSION
from fpdb.readers.html import extract_lines
from fpdb.readers.sandbox import SANDBOX
from fpdb.readers.symbols import Symbols

BETWEEN: Final = "\n\n"


def read(
    content: bytes | str, alphabet: str = "characters", _name: str | None = None, version: int = READER_VERSION
) -> Symbols:
    """Return the symbols of an e-mail; Unreadable if it is damaged or too large."""
    encoded = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    hidden = 0
    with timed_reading() as reading:
        text = ExtractedText(reading)
        subject, parts = SANDBOX.call("mail", encoded, MAX_MAIL_PARTS, reading=reading)
        text.write(subject)
        for payload, charset, is_html in parts:
            decoded, _ = decode(payload, charset)
            part = decoded if isinstance(decoded, str) else decoded.decode("ascii")
            if is_html:
                part, count = extract_lines(part, version)
                hidden += count
            text.write(BETWEEN + part)
    symbols = text.fold("e-mail", alphabet, version)
    symbols.hidden = hidden
    return symbols
