"""Detect the kind of a document, by its file's name, else by the beginning of its content."""

import re

from fpdb.errors import Unreadable
from fpdb.readers import KINDS

EXTENSIONS = {extension: kind for kind, reader in KINDS.items() for extension in reader.extensions.split()}

ZIPPED_KINDS = frozenset({"docx", "odt", "epub", "pptx", "odp", "xlsx", "ods"})
BINARY_KINDS = ZIPPED_KINDS | {"pdf", "postscript", "rtf"}
"""Kinds whose text has to be taken out of bytes; a string of such a name is that text."""
_HEAD = 4096
_SIGNATURES = ((b"%PDF-", "pdf"), (b"%!PS", "postscript"), (b"{\\rtf", "rtf"))
_HTML = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+)?(?><!--.*?-->\s*+)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_FICTION_BOOK = re.compile(r"\s*+(?:<\?xml[^>]*+>\s*+)?<FictionBook\b")
_FIELD = re.compile(rb"([A-Za-z][A-Za-z0-9-]*+):[^\n]*+\n(?:[ \t][^\n]*+\n)*+")
_FIELDS_OF_MAIL = frozenset([b"received", b"message-id", b"mime-version", b"return-path", b"delivered-to"])
"""Fields that programs write, in lower case; a memo has none of them."""
_MIME_TYPES = (
    ("application/epub+zip", "epub"),
    ("application/vnd.oasis.opendocument.text", "odt"),
    ("application/vnd.oasis.opendocument.presentation", "odp"),
    ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
)
"""Beginnings of the member "mimetype"."""
_MEMBERS = (("word/document.xml", "docx"), ("ppt/presentation.xml", "pptx"), ("xl/workbook.xml", "xlsx"))


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
    if isinstance(content, bytes) and (kind := _kind_by_bytes(content)) is not None:
        return kind
    head = content[:_HEAD] if isinstance(content, str) else content[:_HEAD].decode("utf-8", "replace")
    head = head.removeprefix("\ufeff")
    if not head.lstrip().startswith(("<", "#!")):
        return "text"
    if _HTML.match(head):
        return "html"
    if _FICTION_BOOK.match(head):
        return "fb2"
    from fpdb.readers.languages import language_by_shebang

    return "code" if language_by_shebang(head) else "text"


def _kind_by_bytes(content: bytes) -> str | None:
    if content.startswith(b"PK\x03\x04"):
        return _detect_archive(content)
    for signature, kind in _SIGNATURES:
        if content.startswith(signature):
            return kind
    return "email" if _is_mail(content[:_HEAD]) else None


def _is_mail(head: bytes) -> bool:
    """Return True if a document begins with fields of an e-mail, a sender among them."""
    names, end = set(), 0
    while (field := _FIELD.match(head, end)) is not None:
        names.add(field[1].lower())
        end = field.end()
    return b"from" in names and not names.isdisjoint(_FIELDS_OF_MAIL)


def _detect_archive(content: bytes) -> str:
    from fpdb.readers.xml import inflate, open_archive

    try:
        archive = open_archive(content, "an archive")
        names = set(archive.namelist())
        mime_type = next(inflate(archive, "mimetype"), b"") if "mimetype" in names else b""
        kinds = [kind for member, kind in _MEMBERS if member in names]
        kinds += [kind for beginning, kind in _MIME_TYPES if mime_type.startswith(beginning.encode())]
        if kinds:
            return kinds[0]
    except Unreadable:
        pass
    return "text"
