"""Text of a PDF that nobody sees is left out."""

import io

import pytest
from fpdf import FPDF
from PIL import Image

from fpdb.fingerprint import KINDS
from tests.crafted_documents import assemble
from tests.readers.conftest import read_pdf

SEEN = "what everybody reads on this page"


ELSE = "put there for no reader at all"


def page():
    pdf = FPDF(unit="pt", format=(600, 800))
    pdf.add_page()
    pdf.set_font("helvetica", size=10)
    pdf.text(50, 100, SEEN)
    return pdf


def invisible(pdf):
    pdf.text_mode = "INVISIBLE"


def white(pdf):
    pdf.set_text_color(255, 254, 252)


def tiny(pdf):
    pdf.set_font_size(1)


def transparent(pdf):
    pdf.set_text_color(0)
    with pdf.local_context(fill_opacity=0):
        pdf.text(50, 300, ELSE)
    pdf.set_text_color(255)


@pytest.mark.parametrize("hide", [invisible, white, tiny, transparent])
def test_hidden_text_is_left_out(hide):
    pdf = page()
    hide(pdf)
    pdf.text(50, 200, ELSE)
    count = len(ELSE.replace(" ", "")) * (1 + (hide is transparent))
    assert read_pdf(pdf) == (SEEN, f"pdf, 1 page; offsets in the text taken out, {count} hidden characters left out")
    text, note = read_pdf(pdf, version=1)
    assert ELSE in text
    assert "hidden" not in note


def test_text_outside_of_the_page_is_left_out():
    pdf = page()
    pdf.text(-500, 200, ELSE)
    pdf.text(50, 2000, ELSE)
    assert read_pdf(pdf)[0] == SEEN


def gray(tone):
    """Return an image of one tone."""
    image = io.BytesIO()
    Image.new("L", (9, 9), tone).save(image, "png")
    return image


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("own", [True, False])
def test_the_text_of_a_scan_counts(first, own):
    """It lies invisible over the image, or below it; text on the rest of the page is hidden."""
    pdf = page() if own else FPDF(unit="pt", format=(600, 800))
    if not own:
        pdf.add_page()
        pdf.set_font("helvetica", size=10)
    if first:
        pdf.image(gray(200), 20, 120, 500, 200)
    pdf.text_mode = "INVISIBLE"
    pdf.text(50, 150, "the words of a scanned page")
    pdf.text(50, 700, ELSE)
    if not first:
        pdf.image(gray(200), 20, 120, 500, 200)
    assert read_pdf(pdf)[0] == f"{SEEN} " * own + "the words of a scanned page"


@pytest.mark.parametrize(
    ("tone", "before", "seen"), [(0, True, True), (200, True, True), (255, True, False), (0, False, False)]
)
def test_white_text_is_seen_on_what_is_darker(tone, before, seen):
    """Only if it was drawn before; later it would cover the text."""
    pdf = page()
    pdf.set_fill_color(tone)
    if before:
        pdf.rect(20, 190, 400, 20, style="F")
    pdf.set_text_color(255)
    pdf.text(50, 200, "a heading in white")
    if not before:
        pdf.rect(20, 190, 400, 20, style="F")
    assert read_pdf(pdf)[0] == SEEN + " a heading in white" * seen


def test_white_text_is_seen_on_an_image():
    pdf = page()
    pdf.image(gray(0), 20, 190, 400, 20)
    pdf.set_text_color(255)
    pdf.text(50, 200, "a title page")
    pdf.text(50, 300, ELSE)
    assert read_pdf(pdf)[0] == f"{SEEN} a title page"


def rgba(alpha):
    """Return an image of one colour that is more or less opaque."""
    image = io.BytesIO()
    Image.new("RGBA", (9, 9), (90, 90, 90, alpha)).save(image, "png")
    return image


@pytest.mark.parametrize(
    ("image", "before", "box", "hidden"),
    [
        (gray(200), False, (20, 180, 400, 40), True),
        (gray(255), False, (20, 180, 400, 40), True),
        (rgba(255), False, (20, 180, 400, 40), True),
        (rgba(90), False, (20, 180, 400, 40), False),
        (gray(200), True, (20, 180, 400, 40), False),
        (gray(200), False, (60, 180, 400, 40), False),
        (gray(200), False, (0, 0, 600, 800), False),
    ],
    ids=["gray", "white", "opaque", "transparent", "under the text", "beside", "a scan over its text"],
)
def test_text_behind_an_image_is_left_out(image, before, box, hidden):
    pdf = page()
    if before:
        pdf.image(image, *box)
    pdf.text(50, 200, ELSE)
    if not before:
        pdf.image(image, *box)
    assert read_pdf(pdf)[0] == (SEEN if hidden else f"{SEEN} {ELSE}")
    assert read_pdf(pdf, version=1)[0] == f"{SEEN} {ELSE}"


def test_large_type_of_size_one_is_seen():
    """Many programs set a size of 1 and scale it; and the other way round."""
    pdf = page()
    for scale, size, text in ((10, 1, "scaled up"), (0.05, 10, ELSE)):
        with pdf.local_context():
            pdf.set_font_size(size)
            pdf._out(f"{scale} 0 0 {scale} 100 500 cm")
            pdf._out(f"BT 1 0 0 1 0 0 Tm ({text}) Tj ET")
    assert read_pdf(pdf)[0] == f"{SEEN} scaled up"


def in_form(stream, matrix):
    """Return a PDF of a page that draws a form, which is inside of another one."""
    form = b"<</Type/XObject/Subtype/Form/BBox[-9000 -9000 9000 9000]"
    return assemble(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>",
            b"<</Length 6>>stream\n/X Do \nendstream",
            form + b"/Resources<</XObject<</Y 6 0 R>>>>/Length 6>>stream\n/Y Do \nendstream",
            form
            + b"/Matrix[%b]/Resources<</Font<</F 7 0 R>>>>/Length %d>>" % (matrix, len(stream))
            + b"stream\n%b\nendstream" % stream,
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
    )


@pytest.mark.parametrize(
    ("stream", "matrix", "seen"),
    [
        (b"BT /F 9 Tf 50 50 Td (seen) Tj 3 Tr 0 50 Td (not) Tj ET", b"1 0 0 1 0 0", "seen"),
        (b"BT /F 90 Tf 50 50 Td (none) Tj ET", b".01 0 0 .01 0 0", ""),
        (b"BT /F .9 Tf 5 5 Td (some) Tj ET", b"10 0 0 10 0 0", "some"),
        (b"0 0 40 40 re f 1 g BT /F 9 Tf 5 5 Td (dark) Tj 200 0 Td (not) Tj ET", b"1 0 0 1 0 0", "dark"),
    ],
)
def test_forms_are_looked_into(stream, matrix, seen):
    assert KINDS["pdf"].read(in_form(stream, matrix), "characters").text == seen
