"""The parts of an e-mail that are text."""

from email.message import EmailMessage

import pytest

from fpdb.fingerprint import KINDS
from fpdb.readers import mail_parts


def test_forwarded_messages_count_and_attachments_do_not():
    inner, outer = EmailMessage(), EmailMessage()
    inner.set_content("inner")
    outer.set_content("outer")
    outer.add_attachment(inner)
    outer.get_payload()[-1].replace_header("Content-Disposition", "inline")
    outer.add_attachment(b"gone", maintype="text", subtype="plain", filename="a.txt")
    assert mail_parts.read(bytes(outer), 9) == ("", [(b"outer\n", "utf-8", False), (b"inner\n", "utf-8", False)])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"text",
        b"Subject: =?no-such?B?AAAA?=\n\ntext",
        b"Content-Type: text/plain; charset=no-such\n\ntext",
        b"Content-Type: multipart/mixed\n\ntext",
        b"Content-Transfer-Encoding: base64\n\n!",
        b"Content-Type: text/plain; charset*=utf-8''%ff\n\ntext",
    ],
)
def test_damaged_mail_is_read_as_far_as_it_goes(content):
    assert "".join(map(chr, KINDS["email"].read(content, "characters").values)) in (
        "",
        "text",
        "text" * 2,
        "nosuchbaaaatext",
    )
