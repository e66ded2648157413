"""What kind of document a file is: by its name, else by how its content begins."""

import re
from collections.abc import Mapping

from fpdb.errors import Unreadable
from fpdb.readers.languages import by_shebang, extension_of, means_code

# Text by name, whatever it looks like inside.
_TEXT = "txt text md markdown mdown rst adoc org tex csv tsv json jsonl yaml yml toml ini cfg log srt"
EXTENSIONS: Mapping[str, str] = {
    "pdf": "pdf",
    "docx": "docx",
    "docm": "docx",
    "odt": "odt",
    "ott": "odt",
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "ipynb": "ipynb",
    "ps": "postscript",
    "eps": "postscript",
} | dict.fromkeys(_TEXT.split(), "text")

HEAD = 4096
_HTML = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+)?(?><!--.*?-->\s*+)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_ODT = "application/vnd.oasis.opendocument.text"


def kind_by_name(name: str | None) -> str | None:
    """The kind that a file's name says; None if it says none."""
    extension = extension_of(name) if name else ""
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    return "code" if means_code(extension) else None


def kind_of(name: str | None, content: bytes | str) -> str:
    """The kind of a document, one of `KINDS`. name: of its file, or None.

    An extension that is known decides; then the first bytes of the content; else it is text.
    """
    if (said := kind_by_name(name)) is not None:
        return said
    if isinstance(content, bytes):
        if content.startswith(b"%PDF-"):
            return "pdf"
        if content.startswith(b"%!PS"):
            return "postscript"
        if content.startswith(b"PK\x03\x04"):
            return _kind_of_archive(content)
    head = content[:HEAD] if isinstance(content, str) else content[:HEAD].decode("utf-8", "replace")
    head = head.removeprefix("\ufeff")
    if not head.lstrip().startswith(("<", "#!")):
        return "text"
    if _HTML.match(head):
        return "html"
    return "code" if by_shebang(head) else "text"


def _kind_of_archive(content: bytes) -> str:
    from fpdb.readers.xml import inflate, open_archive

    try:
        archive = open_archive(content, "an archive")
        names = set(archive.namelist())
        if "word/document.xml" in names:
            return "docx"
        if "mimetype" in names and next(inflate(archive, "mimetype"), b"").startswith(_ODT.encode()):
            return "odt"
    except Unreadable:
        pass
    return "text"
