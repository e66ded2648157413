"""FictionBook: bodies, with chapters and notes."""

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS


def test_chapters_and_notes():
    book = """<?xml version="1.0" encoding="windows-1251"?><FictionBook><description>gone</description>
    <body><title><p>Книга</p></title><section><title><p>Глава</p><p>1</p></title><p>текст</p>
    <section><title><p>Часть</p></title><poem><v>стих</v></poem></section></section>
    <section><p>ещё</p></section></body>
    <body name="notes"><section><title><p>1</p></title><p>заметка</p></section></body>
    <binary>gone</binary></FictionBook>"""
    symbols = KINDS["fb2"].read(book.encode("cp1251"), "characters")
    assert symbols.text == "Книга\nГлава\n1\nтекст\nЧасть\nстих\nещё\n1\nзаметка\n"
    assert symbols.parts == ("chapter", [0, 31, 35], ["Глава 1", "", "notes"])


@pytest.mark.parametrize("book", ["", "<a>", "<!DOCTYPE a><a/>", "<?xml version='1.0' encoding='none'?><a/>"])
def test_what_is_no_xml_is_refused(book):
    with pytest.raises(Unreadable):
        KINDS["fb2"].read(book.encode())
