"""Input documents and the files they are read from. Knows nothing of how documents are found."""

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fpdb.errors import Unreadable
from fpdb.fingerprint import AUTO
from fpdb.limits import MAX_DOCUMENT_BYTES
from fpdb.readers.kinds import BINARY_KINDS, ZIPPED_KINDS, detect_kind, get_extension, kind_by_name

HEAD = 8192
"""A NUL byte among this many first bytes makes a file binary."""

_FIRST_READ = 1 << 16
_NEXT_READ = 1 << 24
_DOCUMENT_SIGNATURES = (b"%PDF-", b"%!PS", b"PK", b"{\\rtf")
_WIDE_SIGNATURES = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")  # UTF-16 and UTF-32, either byte order

_BINARY_FORMATS = (
    (b"Rar!\x1a\x07", "a RAR archive: unpack it (unrar x), or pack it as zip or tar"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it (7z x), or pack it as zip or tar"),
    (b"AT&TFORM", "a DjVu document: take its text out (djvutxt FILE FILE.txt), or save it as PDF (ddjvu -format=pdf)"),
    (b"ITSF", "a compiled help file (chm): take its pages out (7z x)"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it (files of records may be so: --jsonl)"),
    (b"PAR1", "a Parquet file: add its rows with --parquet"),
    (b"SQLite format 3", "an SQLite database: export its texts, as JSON Lines for example"),
    (
        b"PK\x03\x04",
        "an Office file or a package that is not read, such as .xlsb, .pages or .jar: save it as PDF or text",
    ),
    *((mark, "a picture: no text in it") for mark in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*")),
    *((mark, "a compiled program") for mark in (b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\0asm")),
)
"""Beginnings of files that are no documents, and what is said of them."""

_COMPOUND_FILE = b"\xd0\xcf\x11\xe0"
_CONVERT = "save it in the new format (soffice --headless --convert-to"
_STREAMS = (
    ("EncryptedPackage", "an Office file that is encrypted with a password: save it without one"),
    ("WordDocument", f"an old Word document (doc): {_CONVERT} docx FILE)"),
    ("PowerPoint Document", f"an old PowerPoint presentation (ppt): {_CONVERT} pptx FILE)"),
    ("Workbook", f"an old Excel workbook (xls): {_CONVERT} xlsx FILE)"),
    ("__substg1.0_", "an e-mail of Outlook (msg): save it as .eml"),
)
"""Streams of old Office files, of which the beginning of the file mostly has the names."""
_MOBIPOCKET = (b"BOOKMOBI", b"TEXtREAd")

_PROGRAMS = "apk aar cbz crx ear egg ipa jar nupkg vsix war whl xpi"
_OFFICE = "dotx key numbers odg odf pages vsdx xlsb"
PACKAGES = frozenset(f"{_PROGRAMS} {_OFFICE}".split())
"""Extensions of what is a zip file and yet one document, or one program."""


class DatabaseFiles(NamedTuple):
    """The files of a database, which are never read as documents; some of them may be created later."""

    folder: tuple[int, int]
    """Device and inode."""
    names: frozenset[str]
    existing: frozenset[tuple[int, int]]
    """Device and inode of those that exist, whatever path leads to them."""

    @classmethod
    def of(cls, paths: Iterable[str], others: Iterable[str] = ()) -> "DatabaseFiles":
        """Describe the files at `paths`, all in one folder, and those of `others` that exist, in any folder."""
        paths = [os.path.realpath(path) for path in paths]
        folder = os.stat(os.path.dirname(paths[0]))
        existing = [os.stat(path) for path in (*paths, *others) if os.path.exists(path)]
        return cls(
            (folder.st_dev, folder.st_ino),
            frozenset(map(os.path.basename, paths)),
            frozenset((status.st_dev, status.st_ino) for status in existing),
        )

    def contains(self, path: str, status: os.stat_result) -> bool:
        """Return True if the file at `path` is one of them."""
        if (status.st_dev, status.st_ino) in self.existing:
            return True
        if os.path.basename(path) not in self.names:
            return False
        folder = os.stat(os.path.dirname(path) or ".")
        return (folder.st_dev, folder.st_ino) == self.folder


class InputDocument(NamedTuple):
    """A document to be read: from a file (`path`), or already in memory (`content`)."""

    name: str
    path: str | None = None
    content: bytes | str | None = None
    size: int = 0
    """Bytes, as known before reading."""
    kind: str = "text"
    source: str | None = None
    contact: str | None = None
    labels: Mapping[str, str] | None = None
    requested: bool = False
    """The caller named this very document, rather than a folder or a list that contains it."""
    location: str | None = None
    """For a record: its file, and its line or row."""

    @property
    def place(self) -> str:
        """The document as messages call it: a record's name alone is hard to find in a large file."""
        return self.name if self.location is None else self.location


class Skipped(NamedTuple):
    """A document that is skipped, and the reason."""

    name: str
    reason: str
    requested: bool = False


def document_name(path: str) -> str:
    """Return the name of the document at a path: without empty and `.` parts. `./a//b` is `a/b`, `../a` stays."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def read_content(document: InputDocument, encoding: str | None = None) -> bytes | str:
    """Return the document's content, read from its file if necessary.

    In the given encoding, NUL bytes may be parts of characters. Raises Unreadable, OSError.
    """
    is_wide = encoding is not None and _is_wide(encoding)
    content = document.content if document.path is None else read_file(document.path, is_wide=is_wide)
    if content is None:
        raise Unreadable("neither content nor a path was given")
    if isinstance(content, bytes) and not is_wide and is_binary(content):
        kind = detect_kind(document.name, content) if document.kind == AUTO else document.kind
        if kind not in BINARY_KINDS:
            raise Unreadable(binary_reason(content))
    return content


def _is_wide(encoding: str) -> bool:
    """Return True if text in an encoding has NUL bytes. Raises Unreadable if there is no such encoding."""
    from fpdb.readers.encodings import encoding_name

    return b"\0" in "a".encode(encoding_name(encoding))


def read_file(path: str, *, is_wide: bool = False) -> bytes:
    """Return a file's bytes; of a binary file that no reader takes only the first, unless its text is_wide.

    Raises Unreadable, OSError.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        head = os.read(handle, _FIRST_READ)
        if len(head) < _FIRST_READ or not (is_wide or may_be_document(head)):
            return head
        parts = [head]
        size = len(head)
        while part := os.read(handle, _NEXT_READ):
            parts.append(part)
            size += len(part)
            if (fault := size_fault(size)) is not None:
                raise Unreadable(fault)
        return b"".join(parts)
    finally:
        os.close(handle)


def may_be_document(head: bytes) -> bool:
    """Return True if a file with this beginning may be a document that some reader takes."""
    return not is_binary(head) or head.startswith(_DOCUMENT_SIGNATURES)


def may_be_archive(document: InputDocument) -> bool:
    """Return True unless the name says that a document is another kind of file."""
    extension = get_extension(document.name)
    zipped = document.kind in ZIPPED_KINDS and extension != "zip"
    return not zipped and extension not in PACKAGES and kind_by_name(document.name) is None


def is_binary(content: bytes) -> bool:
    """Return True if there is a NUL byte near the beginning, and nothing tells UTF-16 or UTF-32."""
    if b"\0" not in content[:HEAD] or content.startswith(_WIDE_SIGNATURES):
        return False
    from fpdb.readers.encodings import guess_utf16

    return guess_utf16(content) is None


def binary_reason(content: bytes) -> str:
    """Return why a binary file is skipped: what it is, and what to do, where its beginning tells."""
    if content.startswith(_COMPOUND_FILE):
        streams = (reason for name, reason in _STREAMS if name.encode("utf-16-le") in content)
        return next(
            streams, "an old Office file, such as .doc, .xls or .ppt: save it as .docx, .xlsx or .pptx, or as PDF"
        )
    if content[60:68] in _MOBIPOCKET:
        return "a book for Kindle or Mobipocket (mobi, azw): convert it (Calibre: ebook-convert FILE FILE.epub)"
    if (reason := next((reason for mark, reason in _BINARY_FORMATS if content.startswith(mark)), None)) is not None:
        return reason
    from fpdb.readers.encodings import possible_utf16

    hint = " or ".join(f"--encoding {encoding}" for encoding in possible_utf16(content))
    return "binary (it has NUL bytes)" + (f": if it is text, give {hint}" if hint else "")


def error_text(error: BaseException) -> str:
    """Describe an error in a few words, without the path that it concerns."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    if isinstance(error, MemoryError):
        return "more than fits into memory"
    return str(error) or type(error).__name__


def size_fault(size: int) -> str | None:
    """Return why a document of so many bytes is not read; None if it is not too large."""
    if size < MAX_DOCUMENT_BYTES:
        return None
    return f"too large ({size / 1e9:.1f} GB; the limit is {MAX_DOCUMENT_BYTES / 1e9:.1f} GB)"
