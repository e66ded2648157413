"""One essay in every format, made with as little help as can be."""

import io
import json
import zipfile
from xml.sax.saxutils import escape

from fpdf import FPDF

WORDS = """
the of island naïve café method river carried stone because evidence slow mountain argued whether memory
letter between winter harbour again question measured answer paper garden often history light machine music number
century people account under across reason simple village market theory
"""


def essay(paragraphs=12, seed=1):
    """Paragraphs of made-up prose, each of some sentences."""
    vocabulary = WORDS.split()
    state, found = seed, []
    for _ in range(paragraphs):
        words = []
        for _ in range(90):
            state = (state * 1103515245 + 12345) % 2**31
            words.append(vocabulary[(state >> 8) % len(vocabulary)] + (". " if state >> 20 & 15 == 0 else " "))
        found.append("".join(words).strip().capitalize() + " & so on.")
    return found


W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"


def archive(**members):
    """Return a zip file; members by name, with __ for / and _ for a dot."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return buffer.getvalue()


def docx(paragraphs):
    runs = []
    for text in paragraphs:
        half = len(text) // 2
        parts = "".join(
            f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{escape(part)}</w:t></w:r>'
            for part in (text[:half], text[half:])
        )
        runs.append(f"<w:p><w:pPr/>{parts}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>")
    again = f'<mc:Fallback xmlns:mc="{MC}"><w:p><w:r><w:t>again</w:t></w:r></w:p></mc:Fallback>'
    body = f'<?xml version="1.0"?><w:document xmlns:w="{W}"><w:body>{"".join(runs)}{again}</w:body></w:document>'
    return archive(word__document_xml=body)


OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def odt(paragraphs):
    made = "".join(
        f"<text:p>{escape(text[:9])}<text:span>{escape(text[9:])}</text:span></text:p>" for text in paragraphs
    )
    gone = "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    content = (
        f'<office:document-content xmlns:office="{OFFICE}" xmlns:text="{TEXT}"><office:body><office:text>'
        f"{gone}{made}<office:annotation><text:p>gone</text:p></office:annotation>"
        "</office:text></office:body></office:document-content>"
    )
    return archive(mimetype="application/vnd.oasis.opendocument.text", content_xml=content)


def pdf(paragraphs):
    made = FPDF()
    made.set_font("Helvetica", size=11)
    made.add_page()
    for text in paragraphs:
        made.multi_cell(0, 6, text, new_x="LMARGIN", new_y="NEXT")
    return bytes(made.output())


def html(paragraphs):
    made = "\n".join(
        f"<p>{escape(text).replace('ï', '&iuml;').replace('the', '<i>the</i>')}</p>" for text in paragraphs
    )
    return f"<!DOCTYPE html><html><style>p {{}}</style><body>{made}<script>x()</script></body></html>".encode()


def notebook(paragraphs):
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [text[:20], text[20:]]} for text in paragraphs]
    code = {"cell_type": "code", "metadata": {}, "outputs": [{"text": "gone"}], "source": "", "execution_count": 1}
    return json.dumps({"cells": [*cells, code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def old_notebook(paragraphs):
    cells = [{"cell_type": "code", "input": [text]} for text in paragraphs]
    return json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()


def text(paragraphs):
    return "\r\n\r\n".join(paragraphs).encode("latin-1")


FORMS = {
    "essay.txt": text,
    "essay.md": lambda paragraphs: ("# " + "\n\n".join(paragraphs)).encode("utf-16"),
    "essay.html": html,
    "essay.docx": docx,
    "essay.odt": odt,
    "essay.pdf": pdf,
    "essay.ipynb": notebook,
    "old.ipynb": old_notebook,
}
