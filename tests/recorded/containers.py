"""Documents and archives of many kinds, made of texts; the same bytes each time and on every machine."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Mapping
from html import escape

DATE = (2024, 2, 29, 12, 0, 0)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def page(text: str, title: str = "A page of the society") -> bytes:
    """Return a web page with the text in paragraphs, and with what is no text around it."""
    body = "\n".join(f"<p>{escape(part).replace('ledger', '<b>ledger</b>')}</p>" for part in text.split("\n\n"))
    return (
        f"<!DOCTYPE html>\n<html><head><meta charset=utf-8><title>{escape(title)}</title>"
        "<style>p { color: black }</style><script>let hidden = 'never read';</script></head>\n"
        f"<body><nav>Start &middot; Shelves</nav>\n{body}\n<!-- no text --></body></html>\n"
    ).encode()


def pdf(text: str) -> bytes:
    """Return a PDF of one page, a line of it for each line of the text."""
    drawn = "BT /F1 9 Tf 40 800 Td 11 TL\n"
    for line in text.splitlines():
        drawn += "(" + line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") + ") Tj T*\n"
    stream = f"{drawn}ET\n".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%sendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, written in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + end


def zipped(members: Mapping[str, bytes | str]) -> bytes:
    """Return a zip file of these members, stored as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), content)
    return out.getvalue()


def tarred(members: Mapping[str, bytes | str]) -> bytes:
    """Return a tar file of these members, with a link that leads nowhere."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            about = tarfile.TarInfo(name)
            about.size, about.mtime = len(data), 1_700_000_000
            archive.addfile(about, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/nowhere"
        archive.addfile(link)
    return out.getvalue()


def docx(text: str) -> bytes:
    """Return a Word document of these paragraphs."""
    lines = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in text.splitlines())
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    return zipped(
        {
            "[Content_Types].xml": f'<?xml version="1.0"?><Types xmlns="{types}"/>',
            "word/document.xml": f'<?xml version="1.0"?><w:document xmlns:w="{WORD}"><w:body>{lines}</w:body>'
            "</w:document>",
        }
    )


def odt(text: str) -> bytes:
    """Return an OpenDocument text of these paragraphs."""
    lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in text.splitlines())
    spaces = f'xmlns:office="{OFFICE}:office:1.0" xmlns:text="{OFFICE}:text:1.0"'
    body = f"<office:body><office:text>{lines}</office:text></office:body>"
    content = f'<?xml version="1.0"?><office:document-content {spaces}>{body}</office:document-content>'
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def notebook(text: str, code: str) -> bytes:
    """Return a Jupyter notebook with a cell of text, a cell of code and its output."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["never read\n"]}],
            "source": code,
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def postscript(text: str) -> bytes:
    """Return a PostScript program that shows each line of the text."""
    shown = "".join(f"72 {780 - 12 * number} moveto ({line}) show\n" for number, line in enumerate(text.splitlines()))
    return f"%!PS-Adobe-3.0\n/Helvetica findfont 10 scalefont setfont\n{shown}showpage\n%%EOF\n".encode()


def json_lines(rows: list[object]) -> bytes:
    """Return a line of JSON for each row; what is bytes stands as it is."""
    return b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)


def parquet(rows: list[Mapping[str, object]]) -> bytes:
    """Return a Parquet file of these rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), out)
    return out.getvalue()


def gzipped(content: bytes) -> bytes:
    """Return it as gzip, stored: packed bytes differ from one zlib to the next."""
    return gzip.compress(content, compresslevel=0, mtime=0)


def bzipped(content: bytes) -> bytes:
    """Return it packed by bzip2."""
    return bz2.compress(content)


def xzipped(content: bytes) -> bytes:
    """Return it packed by xz."""
    return lzma.compress(content)
