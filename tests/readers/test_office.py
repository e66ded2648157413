"""Office documents: paragraphs, breaks and notes become text; deleted text does not."""

from itertools import pairwise

from fpdb.readers.office import DOCX, ODT, extract_text, read_docx, read_pptx
from tests.readers import essays

W = f'xmlns:w="{essays.W}"'


def test_notes_follow_the_body():
    body = f"<w:document {W}><w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/></w:r></w:p></w:document>"
    notes = f"<w:footnotes {W}><w:p><w:r><w:t>note</w:t><w:delText>gone</w:delText></w:r></w:p></w:footnotes>"
    content = essays.archive(word__document_xml=body, word__footnotes_xml=notes)
    assert extract_text(content, DOCX).getvalue() == "one\ttwo\n\nnote\n"


def test_spaces_and_breaks_of_opendocument():
    content = f'<x xmlns:text="{essays.TEXT}"><text:p>a<text:s/>b<text:line-break/>c</text:p>outside</x>'
    assert extract_text(essays.archive(content_xml=content), ODT).getvalue() == "a b\nc\n"


BREAK = '<w:r><w:br w:type="page"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/></w:r>'
"""A break that an author made, with the one that Word notes."""


def test_pages_are_those_that_word_laid_out():
    pages = f"<w:p><w:r><w:t>ends in </w:t><w:lastRenderedPageBreak/><w:t>the middle</w:t></w:r>{BREAK}</w:p>"
    body = f"<w:document {W}>{pages}<w:p><w:r><w:t>third</w:t></w:r></w:p></w:document>"
    for notes, names in (
        ("", ()),
        (" ", ()),
        ("two</w:t><w:lastRenderedPageBreak/><w:t>pages", ("", "", "", "footnotes")),
    ):
        xml = f"<w:footnotes {W}><w:p><w:r><w:t>{notes}</w:t></w:r></w:p></w:footnotes>"
        content = essays.archive(word__document_xml=body, word__footnotes_xml=xml)
        symbols = read_docx(content)
        text, (kind, starts, found) = symbols.text, symbols.parts
        parts = [text[a:b].split() for a, b in pairwise([*starts, len(text)])]
        assert (kind, tuple(found)) == ("page", names)
        assert parts[:3] == [["ends", "in"], ["the", "middle"], ["third"]]
        assert parts[3:] == [["twopages"]][: len(names)]
        assert symbols.note.startswith("docx, 3 pages;")


def test_breaks_of_the_author_alone_tell_no_page():
    body = f'<w:document {W}><w:p><w:r><w:t>one</w:t><w:br w:type="page"/><w:t>two</w:t></w:r></w:p></w:document>'
    symbols = read_docx(essays.archive(word__document_xml=body))
    assert symbols.parts is None
    assert symbols.note.startswith("docx;")


def test_slides_come_in_the_order_of_the_presentation_with_their_notes():
    """Whatever the members are called."""
    references = f'<a xmlns="x" xmlns:r="{essays.REFER}"><sldId r:id="r2"/><sldId r:id="r1"/></a>'
    text = '<a xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:p><a:t>{}</a:t></a:p></a>'
    members = {
        "ppt/presentation.xml": references,
        "ppt/_rels/presentation.xml.rels": essays.relations({"r1": ("slide", "a.xml"), "r2": ("slide", "b.xml")}),
        "ppt/a.xml": text.format("last"),
        "ppt/b.xml": text.format("first"),
        "ppt/_rels/b.xml.rels": essays.relations({"n": ("notesSlide", "n.xml"), "gone": ("notesSlide", "gone.xml")}),
        "ppt/n.xml": text.format("note"),
    }
    symbols = read_pptx(essays.zipped(members))
    assert symbols.text.split() == ["first", "note", "last"]
    assert symbols.note.startswith("pptx, 2 slides")
