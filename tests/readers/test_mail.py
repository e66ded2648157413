"""E-mail: the subject and the text, in any encoding, without what is attached."""

from email.message import EmailMessage

import pytest

from fpdb.fingerprint import KINDS

TEXT = "Привет, naïve café: = ? _"


def read(content):
    return KINDS["email"].read(content, "characters")


@pytest.mark.parametrize("transfer", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize("charset", ["utf-8", "koi8-r", "windows-1251"])
def test_text_of_any_encoding(transfer, charset):
    text = TEXT if charset == "utf-8" else TEXT.replace("ï", "i").replace("é", "e")
    mail = EmailMessage()
    mail["Subject"] = text
    mail.set_content(text, charset=charset, cte=transfer)
    assert read(bytes(mail)).text.split() == [*text.split(), *text.split()]


def test_html_counts_where_there_is_no_text():
    mail = EmailMessage()
    mail["Subject"] = "Subject"
    mail.set_content("<p>one</p><p style='display:none'>gone</p><p>two", subtype="html")
    symbols = read(bytes(mail))
    assert (symbols.text, symbols.hidden) == ("Subject\n\none\ntwo", 4)
