"""Targets of the fuzzer: everything that reads foreign bytes, each with seeds."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgpack
import numpy as np

from fpdb.errors import Corrupt, Error
from fpdb.exchange.jsonl_import import JsonlImport
from fpdb.fingerprint import KINDS, SCHEMES, Recipe
from fpdb.ingest.archive_walk import walk_archive
from fpdb.ingest.archives.member_lookup import find_member
from fpdb.ingest.archives.meter import ArchiveError, LimitExceeded
from fpdb.ingest.files import InputDocument, Skipped, read_content
from fpdb.ingest.jsonl import read_lines
from fpdb.ingest.records import read_records
from fpdb.ingest.redact_url import redact_url
from fpdb.limits import DEFAULT_ARCHIVE_LIMITS
from fpdb.readers import folding
from fpdb.readers.kinds import detect_kind
from fpdb.readers.languages import EXTENSIONS
from fpdb.storage import file_format, texts
from fpdb.storage.environment import _page_check
from fpdb.storage.records import Record, describe, pack_records, unpack_records
from fpdb.storage.runs import _decode, _encode, _probe
from fpdb.storage.state import Run, State
from tests import crafted_archives as crafted
from tests.readers import essays, listings

LARGEST = 1 << 16
"""Bytes of an input."""
SMALL = replace(DEFAULT_ARCHIVE_LIMITS, free=1 << 21, unpacked=1 << 22, members=1000, held=1 << 21)
"""Limits of archives at which an input takes a moment."""
RECIPES = [Recipe.preset(name) for name in ("text", "koala", "code", "sample")]


@dataclass(frozen=True)
class Target:
    """A function of any bytes, errors besides `fpdb.Error` that it may raise, and a function that makes seeds."""

    run: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    errors: tuple[type[Exception], ...] = ()

    def attempt(self, data: bytes) -> bool:
        """Return True if the input was accepted. Raise any error that is not allowed."""
        try:
            self.run(data)
        except (Error, *self.errors):
            return False
        return True


# ---------------------------------------------------------------- the store


def blocks_of(data: bytes) -> list[bytes]:
    """Split data into blocks: each has two bytes of length, then its bytes."""
    found = []
    while len(data) >= 2 and len(found) < 8:
        size = int.from_bytes(data[:2], "little")
        found.append(data[2 : 2 + size])
        data = data[2 + size :]
    return found


def blocks(*values: Any) -> bytes:
    """Join blocks as `blocks_of` splits them."""
    return b"".join(len(value).to_bytes(2, "little") + bytes(value) for value in values)


def posting_blocks(data: bytes) -> None:
    values = blocks_of(data)
    counts = [int.from_bytes(value[8:10], "little") for value in values]
    hashes = np.unique(np.frombuffer(data[: len(data) // 8 * 8], np.uint64))
    if not values:
        return
    lows = np.zeros(len(hashes), np.uint32)
    highs = np.full(len(hashes), len(values) - 1, np.uint32)
    firsts = np.array([int.from_bytes(value[16:24].ljust(8, b"\0"), "little") for value in values], np.uint64)
    refused = 0
    for call in (
        lambda: _decode.decode_postings(values, sum(counts)),
        lambda: _decode.decode_postings(values, max(sum(counts) - 1, 0)),
        lambda: _probe.probe(values, firsts, hashes, lows, highs),
        lambda: _probe.probe(values, firsts, hashes, lows, highs + np.uint32(1)),
        lambda: _probe.tally(values, firsts, hashes, lows, highs, np.zeros(1000, np.uint32)),
    ):
        try:
            call()
        except ValueError:
            refused += 1
    try:
        found, holders = _decode.decode_postings(values, sum(counts))
    except ValueError:
        return
    if (found[1:] < found[:-1]).any():
        return
    asked = np.unique(found)
    ends = np.zeros(len(asked), np.uint32), np.full(len(asked), len(values) - 1, np.uint32)
    of_each, documents_of = _probe.probe(values, firsts, asked, *ends)
    if not set(zip(np.repeat(asked, of_each).tolist(), documents_of.tolist(), strict=True)) <= set(
        zip(found.tolist(), holders.tolist(), strict=True)
    ):
        raise AssertionError("a probe finds what is not in the blocks")


def posting_seeds() -> list[bytes]:
    rng = np.random.default_rng(1)
    seeds = []
    for hashes, holders in (
        (rng.integers(0, 2**64 - 1, 400, np.uint64), rng.integers(0, 900, 400, np.uint32)),
        (np.full(1200, 7, np.uint64), np.arange(1200, dtype=np.uint32)),
        (np.repeat(rng.integers(0, 2**20, 60, np.uint64), 9), rng.integers(0, 99, 540, np.uint32)),
        (np.arange(500, dtype=np.uint64), np.zeros(500, np.uint32)),
    ):
        order = np.lexsort((holders, hashes))
        buffer, sizes, _ = _encode.encode_postings(hashes[order], holders[order], True)
        seeds.append(blocks(*(bytes(row[:size]) for row, size in zip(buffer, sizes, strict=False))))
    return seeds


def position_blocks(data: bytes) -> None:
    values = blocks_of(data)
    _decode.decode_positions(values, sum(int.from_bytes(value[8:12], "little") & 0xFFFFF for value in values))


def position_seeds() -> list[bytes]:
    rng = np.random.default_rng(1)
    seeds = []
    for most in (0, 1, 900, 2**32 - 1):
        buffer, sizes, _ = _encode.encode_positions(rng.integers(0, most, 1500, np.uint32, endpoint=True), True)
        seeds.append(blocks(*(bytes(row[:size]) for row, size in zip(buffer, sizes, strict=False))))
    return seeds


KEY = file_format.id_key(3)
RECORD = Record(b"a/b.txt", "text", bytes(16), 100, 71, 9, 9, 1_700_000_000)
FULL = RECORD._replace(note="utf-8", source="/a/b.txt", contact="c", labels={"d": "e"}, rotation=2, text=77)
STATE = State(
    7,
    20,
    2**31 + 3,
    12,
    3,
    1,
    77,
    (Run(3, 900, 2, 1, 0, 9), Run(5, 90, 1, 0, 10, 19), Run(6, 8, 1, 0, 2**31, 2**31 + 2)),
)


def group(packed: bytes) -> None:
    value = file_format.seal(KEY, packed)
    place = sum(packed) % file_format.RECORDS_PER_GROUP
    names: list[bytes] = []
    kgrams: list[int] = []
    with suppress(LookupError, Corrupt):  # numbers in more bytes than they need are refused here
        describe(KEY, value, [place], names, kgrams)
    found = unpack_records(KEY, value)
    record = found[place]
    if names and (record is None or (names[0], kgrams[0]) != (record.name, record.kgrams)):
        raise AssertionError("a record is described as another than it is")
    check_records(found)


def records(packed: bytes) -> None:
    group(zlib.compress(packed, 1))


def check_records(found: list[Record | None]) -> None:
    """Check that decoded records can be shown, and stored again."""
    from fpdb.documents import document_of

    for record in found:
        if record is not None:
            document_of(1, record).added.isoformat()
            json.dumps(dict(record.labels))
    pack_records(KEY, found, 1)


def record_seeds() -> list[bytes]:
    return [
        msgpack.packb([RECORD, None, FULL, *[None] * 5], unicode_errors="surrogateescape"),
        msgpack.packb(
            [RECORD._replace(name=b"\xff\xfe" * 300, labels={"\udcff": ""})] * 8, unicode_errors="surrogateescape"
        ),
    ]


def state(packed: bytes) -> None:
    found = State.unpack(file_format.seal(file_format.STATE_KEY, packed))
    if State.unpack(found.pack()) != found:
        raise AssertionError(found)


def format_record(packed: bytes) -> None:
    recipe(file_format.unpack_format(file_format.seal(file_format.FORMAT_KEY, packed)).recipe)


def recipe(record: Mapping[str, Any]) -> None:
    found = Recipe.from_record(record)
    if Recipe.from_record(found.to_record()) != found:
        raise AssertionError("a recipe that does not come back")
    for kind in {"code" if alphabet == "tokens" else "text" for alphabet in found.rules}:
        found.fingerprint("int main() { return 1 + 2; } " * 20, kind, name="a.c")


def format_seeds() -> list[bytes]:
    changes: list[dict[str, Any]] = [{"scheme": name} for name in SCHEMES]
    changes += [{"hash_bits": 40, "positions": False, "max_df": 3, "max_ignored": 5}]
    recipes = (*RECIPES, *(RECIPES[0].with_(**change) for change in changes))
    return [file_format.pack_format(one.to_record())[file_format.CHECKSUM :] for one in recipes]


def kept_text(data: bytes) -> None:
    """Unpack a text; data: the size and digest in the record, then the stored bytes."""
    size, digest, packed = int.from_bytes(data[:4], "little"), data[4:20], data[20:]
    texts.unpack(texts.KeptText(packed, size, digest))


def kept_seeds() -> list[bytes]:
    kept = [texts.pack(content) for content in ("", "ä" * 300, b"\0\xff" * 99, "seven years ago " * 99)]
    return [text.size.to_bytes(4, "little") + text.digest + text.packed for text in kept]


def sizes(data: bytes) -> None:
    file_format.unseal_sizes(KEY, file_format.seal(KEY, data))
    for parse in (file_format.parse_block_key, file_format.parse_id_key, file_format.parse_text_key):
        parse(data[: len(data) % 10])


def pages(data: bytes) -> None:
    """Examine a file of at least eight pages, as it is on disk."""
    padded = data[:LARGEST] + bytes(max(8 * 4096 - len(data), 0)) + bytes(-len(data) % 4096)
    for meta in (0, 1):
        _page_check.examine(padded, meta, 1 << 14)  # type: ignore[arg-type]
        _page_check.last_change(padded, meta)  # type: ignore[arg-type]


def page_seeds() -> list[bytes]:
    import tempfile

    import fpdb

    with tempfile.TemporaryDirectory() as folder:
        seeds = []
        for count in (0, 1, 40):
            path = str(Path(folder, f"{count}.fpdb"))
            with fpdb.open(path) as db, db.batch() as batch:
                for number in range(count):
                    batch.add_fingerprints(f"{number} " * 9, np.arange(number * 9, number * 11 + 20, dtype=np.uint64))
            seeds.append(Path(path).read_bytes()[:LARGEST])
        return seeds


# ---------------------------------------------------------------- documents


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
    names = ["a", "a.html", "a.ipynb", "a.docx", *(f"a.{extension}" for extension in EXTENSIONS)]
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


def office(part: str, kind: str) -> Callable[[bytes], None]:
    """Return a target that puts the data into one part of an office document."""
    read = document(kind)

    def run(data: bytes) -> None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(part, data)
        read(out.getvalue())

    return run


PARAGRAPHS = essays.essay(2)


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


# ---------------------------------------------------------------- archives, lines


def archive(data: bytes) -> None:
    whole = InputDocument("a", source="/a", size=len(data))
    for found in walk_archive(io.BufferedReader(io.BytesIO(data)), whole, SMALL):
        if not found.name.startswith("a"):
            raise AssertionError(found.name)
        if not isinstance(found, Skipped) and found.source is not None:
            read_content(found)
    with suppress(ArchiveError, LimitExceeded):
        find_member(io.BufferedReader(io.BytesIO(data)), len(data), "a", "b.txt", SMALL)


def archives() -> list[bytes]:
    small = [content for content in crafted.archives().values() if len(content) <= LARGEST]
    good = [crafted.zipped(crafted.GOOD, ("b.txt", b"b")), crafted.tarred(crafted.GOOD, ("b.txt", b"b"))]
    shared = crafted.stored(crafted.GOOD[1])
    good.append(crafted.zip_of(("a.txt", shared), ("b.txt", crafted.stored(b"b")), ("c.txt", shared)))
    return [*good, crafted.gzips(2), *small]


def parquet(data: bytes) -> None:
    """Read the rows of a file of Parquet in the sandbox."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a").write_bytes(data)
        for found in read_records([str(Path(folder, "a"))], "parquet"):
            if not isinstance(found, Skipped):
                read_content(found)


def parquet_seeds() -> list[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    seeds = []
    for packing in ("zstd", "snappy", "none"):
        out = io.BytesIO()
        table = pa.table({"id": [*range(9)], "text": ["a b c", *["d"] * 8], "labels": [{"e": "f"}] * 9})
        pq.write_table(table, out, row_group_size=4, compression=packing)
        seeds.append(out.getvalue())
    return seeds


def json_lines(data: bytes) -> None:
    for piece in read_lines(io.BytesIO(data), "l"):
        for found in [piece] if isinstance(piece, Skipped) else piece.documents():
            if not isinstance(found, Skipped):
                read_content(found)


def line_seeds() -> list[bytes]:
    full = {
        "name": "a",
        "text": "b",
        "kind": "text",
        "source": "https://a:b@c/d?token=e",
        "contact": "f",
        "labels": {"g": "h"},
    }
    lines = [json.dumps(one).encode() for one in (full, {"name": "a", "text": "\ud800"}, [], {"name": 5})]
    digits = b'{"id": 1, "text": "a", "b": {"c": [' + b"9" * 5_000 + b"]}}"
    return [b"\n".join([*lines, digits])]


def export(data: bytes) -> None:
    """Read the lines of an export without storing them."""
    file = io.BytesIO(data)
    incoming = JsonlImport(file)
    for line in file:
        incoming._document(incoming._parse(line))


def export_seeds() -> list[bytes]:
    import tempfile

    import fpdb

    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, fpdb.open(str(Path(folder, "a"))) as db:
        db.add("a", "seven years ago our fathers brought forth" * 9, keep_text=True, labels={"a": "b"}, source="/a")
        db.add_fingerprints("b", [1, 2, 3], [4, 5, 6])
        db.export(out, texts=True)
    return [
        out.getvalue(),
        b"\n".join(line.rpartition(b',"checksum"')[0] + b"}" for line in out.getvalue().splitlines()),
    ]


def address(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    once = redact_url(text)
    if redact_url(once) != once:
        raise AssertionError(text)


TARGETS: dict[str, Target] = {
    "posting blocks": Target(posting_blocks, posting_seeds, (ValueError,)),
    "position blocks": Target(position_blocks, position_seeds, (ValueError,)),
    "groups of records": Target(group, lambda: [zlib.compress(seed) for seed in record_seeds()]),
    "records": Target(records, record_seeds),
    "state": Target(state, lambda: [STATE.pack()[8:], State().pack()[8:]]),
    "format record": Target(format_record, format_seeds),
    "kept text": Target(kept_text, kept_seeds, (ValueError,)),
    "sizes and keys": Target(sizes, lambda: [bytes(338 * 12), struct.pack("<Q", 5)]),
    "pages": Target(pages, page_seeds),
    "text": Target(document("text"), encodings),
    "strings": Target(text_symbols, encodings, (UnicodeDecodeError,)),
    "html": Target(document("html"), pages_of_html),
    "docx": Target(document("docx"), essay("essay.docx")),
    "docx, its text": Target(office("word/document.xml", "docx"), part("essay.docx", "word/document.xml")),
    "odt, its text": Target(office("content.xml", "odt"), part("essay.odt", "content.xml")),
    "ipynb": Target(document("ipynb"), essay("essay.ipynb", "old.ipynb")),
    "pdf": Target(document("pdf"), essay("essay.pdf")),
    **{
        f"code, {name.rpartition('.')[2]}": Target(document("code", name), programs)
        for name in ("a.java", "a.py", "a.c", "a.ts", "a.rb", "a.php", "a.f", "a.kt", "a.pl", "a.hs", "a.sql")
    },
    "code, language told": Target(document("code"), programs),
    "any document": Target(
        any_document, lambda: [bytes([at]) + seed for at, seed in enumerate(pages_of_html() + programs())]
    ),
    "archives": Target(archive, archives),
    "parquet": Target(parquet, parquet_seeds),
    "json lines": Target(json_lines, line_seeds),
    "export": Target(export, export_seeds),
    "addresses": Target(address, lambda: [b"https://a:b@c.org/d;jsessionid=1?token=e&id=7#x=1"]),
}
"""By name."""

KERNELS = (
    "posting blocks",
    "position blocks",
    "format record",
    "pages",
    "text",
    "strings",
    "html",
    "ipynb",
    "docx, its text",
)
"""Those that run kernels of ours on the input."""
