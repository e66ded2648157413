"""The messages of a mailbox, whatever stands in them."""

import io

from hypothesis import example, given
from hypothesis import strategies as st

from fpdb.ingest.archives.archive import detect_form
from fpdb.ingest.archives.mbox import mbox_members
from fpdb.ingest.archives.meter import ReadMeter

LINE = st.sampled_from([b"", b"From here on", b"text", b">From me Jan 2020", b"From", b"x" * 200])


def member_bytes(mailbox: bytes) -> list[tuple[str, bytes]]:
    stream = io.BufferedReader(io.BytesIO(mailbox))
    members = mbox_members(stream, ReadMeter(len(mailbox)))
    return [(member.label, member.stream.read()) for member in members if member.stream is not None]


@given(st.lists(st.lists(LINE, max_size=5), min_size=1, max_size=4), st.sampled_from([b"\n", b"\r\n"]))
@example([[b"text"] * 20_000, []], b"\n")
def test_messages_are_what_was_put_in(bodies: list[list[bytes]], end: bytes) -> None:
    messages = [end.join([b"Subject: a", b"", *body, b"", b""]) for body in bodies]
    mailbox = b"".join(b"From a@b.c Fri Jul  8 12:08:34 2011" + end + message for message in messages)
    assert detect_form(mailbox[:8192]) == "mbox"
    assert member_bytes(mailbox) == [(f"{number}.eml", message) for number, message in enumerate(messages, 1)]


def test_text_is_no_mailbox() -> None:
    for text in (b"From here to eternity, 1953\nfilm\n", b"From\n", b"From: a@b.c 2011\nTo: x\n"):
        assert detect_form(text) is None
