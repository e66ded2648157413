"""Documents that take much more memory or time than they have bytes, as bytes; all of them are small."""

import zlib
from collections.abc import Callable, Sequence


def pdf(stream: bytes) -> bytes:
    """Return a PDF of one page, drawn by a stream that is compressed."""
    packed = zlib.compress(stream, 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(packed), packed),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    return assemble(objects)


def assemble(objects: Sequence[bytes]) -> bytes:
    """Return a PDF of objects, of which the first is the catalogue."""
    out, places = b"%PDF-1.4\n", b""
    for number, content in enumerate(objects, start=1):
        places += b"%010d 00000 n \n" % len(out)
        out += b"%d 0 obj%bendobj\n" % (number, content)
    table = b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(objects) + 1, places)
    return out + table + b"trailer<</Size %d/Root 1 0 R>>startxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))


def page_of_text(pieces: int) -> bytes:
    """Return a PDF with a page that shows a few letters so often."""
    return pdf(b"BT /F 9 Tf 9 9 Td " + b"(ab c) Tj " * pieces + b"ET")


GREEDY: dict[str, Callable[[], tuple[str, bytes]]] = {
    "a.pdf": lambda: ("pdf", page_of_text(400_000)),
    "a.js": lambda: ("code", b"a=1;" * 250_000),
    "a.py": lambda: ("code", b"(" * 300_000),
    "a.rb": lambda: ("code", b"a\n" * 300_000),
    "a.kt": lambda: ("code", b"a\n" * 600_000),
}
"""Kind and content of documents, by file name, which take more than 60 MB when they are read."""
