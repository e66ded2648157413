"""Office documents: paragraphs, breaks and notes become text; deleted text does not."""

from fpdb.readers.office import DOCX, ODT, extract_text
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
