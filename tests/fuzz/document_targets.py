"""Targets that read documents."""

import io
import zipfile
from collections.abc import Callable

from fpdb.errors import Error
from fpdb.fingerprint import KINDS
from fpdb.readers import folding
from fpdb.readers.kinds import detect_kind
from fpdb.readers.languages import EXTENSIONS
from tests.fuzz.target import RECIPES, Target
from tests.readers import essays, listings

PARAGRAPHS = essays.essay(2)


def document(kind: str, name: str | None = None) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        for alphabet in KINDS[kind].alphabets:
            symbols = KINDS[kind].read(data, alphabet, name)
            if not len(symbols.offsets) == len(symbols.ends) == len(symbols):
                raise AssertionError("a symbol without its place")
            if len(symbols) and not 0 <= symbols.offsets[0] <= symbols.offsets[-1] < symbols.ends[-1] <= len(
                symbols.text
            ):
                raise AssertionError("a symbol outside of the text")
            if (symbols.offsets >= symbols.ends).any():
                raise AssertionError("a symbol without a character")

    return run


def any_document(data: bytes) -> None:
    """Read and fingerprint a document of any name in every recipe, as `fpdb add` does."""
    kinds = ("html", "ipynb", "docx", "rtf", "epub", "fb2", "pptx", "xlsx", "ods", "eml", "tex")
    names = ["a", *(f"a.{extension}" for extension in (*kinds, *EXTENSIONS))]
    name, content = names[data[0] % len(names) if data else 0], data[1:]
    detect_kind(None, content)
    chosen = RECIPES[len(data) % len(RECIPES)]
    chosen.fingerprint(content, chosen.resolve_kind("auto", content, name), name=name)


def text_symbols(data: bytes) -> None:
    """Read any code points as a string, with lone surrogates."""
    text = data.decode("utf-8", "surrogatepass") if len(data) % 2 else data.decode("utf-16-le", "surrogatepass")
    for alphabet in folding.ALPHABETS:
        symbols = KINDS["text"].read(text, alphabet, None)
        if len(symbols.offsets) != len(symbols):
            raise AssertionError("a symbol without its place")
    for kind in ("html", "ipynb", "code"):
        for one in (text, text.encode("utf-8", "surrogatepass")):
            try:
                KINDS[kind].read(one, KINDS[kind].alphabets[0], "a.py")
            except Error:
                continue


def office(part: str, name: str) -> Callable[[bytes], None]:
    """Return a target that puts the data into one part of an essay."""
    read = document(detect_kind(name, b""))
    with zipfile.ZipFile(io.BytesIO(essays.FORMS[name](PARAGRAPHS))) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    return lambda data: read(essays.zipped(members | {part: data}))


def essay(*names: str) -> Callable[[], list[bytes]]:
    return lambda: [essays.FORMS[name](PARAGRAPHS) for name in names]


def part(name: str, member: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        with zipfile.ZipFile(io.BytesIO(essays.FORMS[name](PARAGRAPHS))) as archive:
            return [archive.read(member)]

    return seeds


def pages_of_html() -> list[bytes]:
    return [
        essays.FORMS["essay.html"](PARAGRAPHS),
        b"<!doctype html><meta charset=koi8-r><a href='x' b=\"y\" c>&amp;&#65;&#x41;&notit;<!-- a --><script>x",
        b"<?xml version='1.0' encoding=\"utf-8\"?><p>a</p><![CDATA[ x ]]><style></style ></p ><!---->",
    ]


def programs() -> list[bytes]:
    listed = [*listings.LISTINGS.values(), *listings.MORE.values()]
    return [listing[0].encode() for listing in listed]


def encodings() -> list[bytes]:
    return [
        "é: ü, жук, 日本語, \ufb01".encode(name, "ignore") * 9
        for name in ("utf-8", "utf-16", "utf-32", "koi8-r", "gbk")
    ]


TARGETS = {
    "text": Target(document("text"), encodings),
    "strings": Target(text_symbols, encodings, (UnicodeDecodeError,)),
    "html": Target(document("html"), pages_of_html),
    "docx": Target(document("docx"), essay("essay.docx")),
    **{
        f"{name.partition('.')[2]}, {member}": Target(office(member, name), part(name, member))
        for name, member in (
            ("essay.docx", "word/document.xml"),
            ("essay.odt", "content.xml"),
            ("essay.ods", "content.xml"),
            ("essay.pptx", "ppt/presentation.xml"),
            ("essay.pptx", "ppt/_rels/presentation.xml.rels"),
            ("essay.xlsx", "xl/strings.xml"),
            ("essay.xlsx", "xl/sheets/1.xml"),
            ("essay.epub", "OEBPS/a.opf"),
            ("essay.epub", "OEBPS/text/1 .xhtml"),
        )
    },
    **{kind: Target(document(kind), essay(f"essay.{kind}")) for kind in ("rtf", "fb2", "epub", "pptx", "xlsx")},
    "email": Target(document("email"), essay("essay.eml")),
    "latex": Target(document("latex"), essay("essay.tex")),
    "ipynb": Target(document("ipynb"), essay("essay.ipynb", "old.ipynb")),
    "ipynb-code": Target(document("ipynb-code"), essay("essay.ipynb", "old.ipynb")),
    "pdf": Target(document("pdf"), essay("essay.pdf")),
    **{
        f"code, {name.rpartition('.')[2]}": Target(document("code", name), programs)
        for name in ("a.java", "a.py", "a.c", "a.ts", "a.rb", "a.php", "a.f", "a.kt", "a.pl", "a.hs", "a.sql")
    },
    "code, language told": Target(document("code"), programs),
    "any document": Target(
        any_document, lambda: [bytes([at]) + seed for at, seed in enumerate(pages_of_html() + programs())]
    ),
}
