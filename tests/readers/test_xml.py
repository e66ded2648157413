"""Archives of office documents are inflated within limits."""

import zipfile

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from fpdb.readers import xml
from fpdb.readers.kinds import detect_kind
from tests.readers import essays


def test_what_would_inflate_beyond_measure_is_refused(monkeypatch):
    monkeypatch.setattr(xml, "MAX_OFFICE_PART", 1_000_000)
    bomb = bytearray(essays.archive(word__document_xml="<a>" + " " * 2_000_000))
    with pytest.raises(Unreadable, match=r"word/document.xml: inflates to 2000003 bytes; at most 1000000 are read"):
        KINDS["docx"].read(bytes(bomb), "characters")
    for header, field in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):  # it may say that it is smaller
        at = bomb.find(header) + field
        bomb[at : at + 4] = (900_000).to_bytes(4, "little")
    with pytest.raises(Unreadable):
        KINDS["docx"].read(bytes(bomb), "characters")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 9, 93, 99])
def test_members_are_stored_or_deflated(method):
    """Nothing else is unpacked: its errors are others, and it may ask for gigabytes."""
    for kind, members in (
        ("docx", {"word__document_xml": "<a>" * 100}),
        ("odt", {"mimetype": "application/vnd.oasis.opendocument.text", "content_xml": "<a>" * 100}),
    ):
        content = bytearray(essays.archive(**members))
        for header, field in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            at = content.find(header)
            while at >= 0:
                content[at + field : at + field + 2] = method.to_bytes(2, "little")
                at = content.find(header, at + 4)
        with pytest.raises(Unreadable, match="neither stored nor deflated"):
            KINDS[kind].read(bytes(content), "characters")
        assert detect_kind(None, bytes(content)) == ("docx" if kind == "docx" else "text")
