"""Take the subject and the text out of an e-mail (RFC 5322, MIME), by Python's own parser.

`sandbox_worker` loads this file; it imports nothing of fpdb.
"""

from collections.abc import Iterator
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message


def read(content: bytes, max_parts: int) -> tuple[str, list[tuple[bytes, str | None, bool]]]:
    """Return the subject, and the text in order, as bytes, declared encoding, and True for HTML.

    Attachments do not count; messages that were forwarded whole do. Of alternatives, plain text counts. Raises
    ValueError if there are too many parts, and other errors if the message is damaged.
    """
    message = message_from_bytes(content)
    texts = []
    for number, part in enumerate(_texts(message)):
        if number >= max_parts:
            raise ValueError(f"it has more than {max_parts:,} parts")
        payload = part.get_payload(decode=True)
        texts.append((payload if isinstance(payload, bytes) else b"", _charset(part), _type(part) == "text/html"))
    return _subject(message), texts


def _texts(message: Message) -> Iterator[Message]:
    """Yield the parts that are text, depth first."""
    stack = [message]
    while stack:
        part = stack.pop()
        if part.get_content_disposition() == "attachment":
            continue
        payload = part.get_payload()
        if isinstance(payload, list):
            parts = [each for each in payload if isinstance(each, Message)]
            if _type(part) == "multipart/alternative":
                plain = [each for each in parts if _type(each) == "text/plain"]
                parts = plain[:1] or parts[-1:]  # the last one says most
            stack += reversed(parts)
        elif _type(part) in ("text/plain", "text/html"):
            yield part


def _type(part: Message) -> str:
    return part.get_content_type()


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except LookupError:
        return None


def _subject(message: Message) -> str:
    subject = str(message.get("Subject", ""))
    try:
        return " ".join(str(make_header(decode_header(subject))).split())
    except (HeaderParseError, LookupError, ValueError):
        return subject
