"""One essay in every format, made with as little help as can be."""

import io
import json
import zipfile
from email.message import EmailMessage
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
    return zipped({name.replace("__", "/").replace("_xml", ".xml"): content for name, content in members.items()})


def zipped(members):
    """Return a zip file of members by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
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


DRAW = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"


def open_document(mime_type, body):
    content = (
        f'<office:document-content xmlns:office="{OFFICE}" xmlns:text="{TEXT}" xmlns:draw="{DRAW}" '
        f'xmlns:table="{TABLE}"><office:body>{body}</office:body></office:document-content>'
    )
    return archive(mimetype=f"application/vnd.oasis.opendocument.{mime_type}", content_xml=content)


def odp(paragraphs):
    """Return a presentation with a slide for each paragraph, whose second half is in its notes."""
    slides = "".join(
        f"<draw:page><draw:frame><text:p>{escape(text[: len(text) // 2])}</text:p></draw:frame>"
        f"<notes><text:p>{escape(text[len(text) // 2 :])}</text:p></notes></draw:page>"
        for text in paragraphs
    )
    return open_document("presentation", f"<office:presentation>{slides}</office:presentation>")


def ods(paragraphs):
    """Return sheets of one paragraph each, a row for a sentence and a cell for a word."""
    sheets = "".join(
        f'<table:table table:name="Part {number}">'
        + "".join(
            "<table:table-row>"
            + "".join(f"<table:table-cell><text:p>{escape(word)}</text:p></table:table-cell>" for word in row.split())
            + "</table:table-row>"
            for row in text.split(".")
        )
        + "</table:table>"
        for number, text in enumerate(paragraphs, 1)
    )
    return open_document("spreadsheet", f"<office:spreadsheet>{sheets}</office:spreadsheet>")


RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
REFER = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWINGS = "http://schemas.openxmlformats.org/drawingml/2006/main"


def relations(targets):
    """Return what a part refers to, by id: the last word of the type, and the target."""
    rows = "".join(
        f'<Relationship Id="{id_}" Type="{REFER}/{kind}" Target="{target}"/>' for id_, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{RELATIONS}">{rows}</Relationships>'


def pptx(paragraphs):
    """Return a presentation with a slide for each paragraph, whose second half is in its notes; files in disorder."""
    count = len(paragraphs)
    members = {
        "ppt/presentation.xml": f'<p xmlns:r="{REFER}" xmlns="x">'
        + "".join(f'<sldId id="{256 + n}" r:id="r{n}"/>' for n in range(count))
        + "</p>",
        "ppt/_rels/presentation.xml.rels": relations(
            {f"r{n}": ("slide", f"slides/slide{count - n}.xml") for n in range(count)}
        ),
    }
    for n, text in enumerate(paragraphs):
        name, half = f"slide{count - n}.xml", len(text) // 2
        for path, part in ((f"slides/{name}", text[:half]), (f"notesSlides/{name}", text[half:])):
            members[f"ppt/{path}"] = (
                f'<p xmlns:a="{DRAWINGS}"><a:p><a:r><a:t>{escape(part)}</a:t></a:r>'
                "<a:fld><a:t>gone</a:t></a:fld></a:p></p>"
            )
        members[f"ppt/slides/_rels/{name}.rels"] = relations({"a": ("notesSlide", f"../notesSlides/{name}")})
    return zipped(members)


def xlsx(paragraphs):
    """Return a workbook with a sheet for each paragraph, whose cells are shared strings and strings of their own."""
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    words = sorted({word for text in paragraphs for word in text.split()})
    count = range(1, len(paragraphs) + 1)
    members = {
        "xl/workbook.xml": f'<workbook xmlns="{space}" xmlns:r="{REFER}"><sheets>'
        + "".join(f'<sheet name="Part {n}" r:id="r{n}"/>' for n in count)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            {"s": ("sharedStrings", "strings.xml")} | {f"r{n}": ("worksheet", f"/xl/sheets/{n}.xml") for n in count}
        ),
        "xl/strings.xml": f'<sst xmlns="{space}">'
        + "".join(f"<si><r><t>{escape(word)}</t></r><rPh><t>gone</t></rPh></si>" for word in words)
        + "</sst>",
    }
    for n, text in enumerate(paragraphs, 1):
        rows = [
            "".join(
                f'<c t="s"><v>{words.index(word)}</v></c>'
                if index % 2
                else f'<c t="inlineStr"><is><t>{escape(word)}</t></is></c>'
                for index, word in enumerate(text.split()[start : start + 9])
            )
            for start in range(0, len(text.split()), 9)
        ]
        rows = "".join(f'<row>{row}<c t="e"><v>gone</v></c></row>' for row in rows)
        members[f"xl/sheets/{n}.xml"] = f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'
    return zipped(members)


def epub(paragraphs):
    """Return a book with a chapter for each paragraph, headed by its first letters; files in disorder."""
    count = len(paragraphs)
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfile full-path="OEBPS/a.opf"/></container>',
        "OEBPS/a.opf": "<package><manifest>"
        + "".join(
            f'<item id="c{n}" href="text/{count - n}%20.xhtml#top" media-type="application/xhtml+xml"/>'
            for n in range(count)
        )
        + "</manifest><spine>"
        + "".join(f'<itemref idref="c{n}"/>' for n in range(count))
        + "</spine></package>",
    }
    for n, text in enumerate(paragraphs):
        members[f"OEBPS/text/{count - n} .xhtml"] = (
            '<?xml version="1.0"?><!DOCTYPE html><html><head><title>gone</title></head><body>'
            f"<h1><i>{text[:9]}</i></h1><p>{escape(text[9:])}</p></body></html>"
        )
    return zipped(members)


def fb2(paragraphs):
    sections = "".join(
        f"<section><title><p>{text[:9]}</p></title><p>{escape(text[9:])}</p></section>" for text in paragraphs
    )
    book = (
        '<?xml version="1.0" encoding="windows-1252"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">'
        f"<description><p>gone</p></description><body>{sections}</body><binary>gone</binary></FictionBook>"
    )
    return book.encode("cp1252")


def rtf(paragraphs):
    escaped = "\\par\n".join(text.replace("ï", "\\'ef").replace("é", "{\\u233\\'3f}") for text in paragraphs)
    head = r"{\fonttbl{\f0 gone;}}{\info{\title gone}}{\pict 0123}{\*\generator gone}"
    return (r"{\rtf1\ansi\ansicpg1252\deff0" + head + r"\f0\fs20 " + escaped + "}").encode()


def email(paragraphs):
    made = EmailMessage()
    made["From"], made["Subject"] = "Gone <gone@example.org>", paragraphs[0]
    made.set_content("\n\n".join(paragraphs[1:]), charset="latin-1", cte="quoted-printable")
    made.add_alternative("<p>gone", subtype="html")
    made.add_attachment(b"gone", maintype="text", subtype="plain", filename="gone.txt")
    return bytes(made)


def latex(paragraphs):
    accented = [text.replace("ï", '\\"{\\i}').replace("é", "\\'e").replace("&", "\\&") for text in paragraphs]
    marked = "\n\n".join(text.replace("the", r"\emph{the}").replace(". ", ". $gone^2$ % gone\n") for text in accented)
    return (
        "\\documentclass{gone}\\newcommand{\\gone}{gone}\\begin{document}\\label{gone}"
        f"{marked}\\begin{{align}}gone\\end{{align}}\\end{{document}} gone"
    ).encode()


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
    "essay.rtf": rtf,
    "essay.odp": odp,
    "essay.ods": ods,
    "essay.pptx": pptx,
    "essay.xlsx": xlsx,
    "essay.epub": epub,
    "essay.fb2": fb2,
    "essay.eml": email,
    "essay.tex": latex,
}
