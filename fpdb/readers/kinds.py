"""Detect the kind of a document, by its file's name, else by the beginning of its content."""

import re

from fpdb.errors import Unreadable
from fpdb.readers import KINDS

EXTENSIONS = {extension: kind for kind, reader in KINDS.items() for extension in reader.extensions.split()}

BINARY_KINDS = frozenset({"pdf", "docx", "odt", "postscript"})
_HEAD = 4096
_HTML = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+)?(?><!--.*?-->\s*+)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_ODT = "application/vnd.oasis.opendocument.text"


def get_extension(name: str) -> str:
    """Return the extension of a file's name, without its dot and in lower case; "" if it has none."""
    base = name[name.rfind("/") + 1 :].lstrip(".")  # `.profile` has none
    return base[base.rfind(".") + 1 :].lower() if "." in base else ""


def kind_by_name(name: str | None) -> str | None:
    """Return the kind that the extension of a file's name stands for, or None."""
    extension = get_extension(name) if name else ""
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    from fpdb.readers.languages import is_code_extension

    return "code" if is_code_extension(extension) else None


def detect_kind(name: str | None, content: bytes | str) -> str:
    """Return the kind of a document: by a known extension of its file's name, else by its first bytes, else "text"."""
    if (kind := kind_by_name(name)) is not None:
        return kind
    if isinstance(content, bytes):
        if content.startswith(b"%PDF-"):
            return "pdf"
        if content.startswith(b"%!PS"):
            return "postscript"
        if content.startswith(b"PK\x03\x04"):
            return _detect_archive(content)
    head = content[:_HEAD] if isinstance(content, str) else content[:_HEAD].decode("utf-8", "replace")
    head = head.removeprefix("\ufeff")
    if not head.lstrip().startswith(("<", "#!")):
        return "text"
    if _HTML.match(head):
        return "html"
    from fpdb.readers.languages import language_by_shebang

    return "code" if language_by_shebang(head) else "text"


def _detect_archive(content: bytes) -> str:
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
