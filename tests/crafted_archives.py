"""Archives made to do harm, as bytes. All of them are small."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from typing import NamedTuple

MEGABYTE = b"a b " * (1 << 18)
LINES = b"\n" * (1 << 20)
"""Content that bzip2 packs quickly."""


def deflated(megabytes: int) -> bytes:
    """Return a raw deflate stream of this many megabytes of text."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + packer.flush(zlib.Z_FINISH)


class Packed(NamedTuple):
    """A member's packed bytes, and the size, checksum and method that a zip states for it."""

    packed: bytes
    size: int
    crc: int = 0
    method: int = zipfile.ZIP_DEFLATED


def zip_of(*members: tuple[str, Packed]) -> bytes:
    """Return a zip of the members as stated, true or not. Members with the same packed bytes overlap."""
    out, entries, places = bytearray(), bytearray(), dict[int, int]()
    for name, (packed, size, crc, method) in members:
        raw = name.encode()
        fields = struct.pack("<HHHHHLLLHH", 20, 0x800, method, 0, 0x21, crc, len(packed), size, len(raw), 0)
        if id(packed) not in places:
            places[id(packed)] = len(out)
            out += b"PK\3\4" + fields + raw + packed
        where = struct.pack("<HHHLL", 0, 0, 0, 0, places[id(packed)])
        entries += b"PK\1\2" + struct.pack("<H", 20) + fields + where + raw
    count = min(len(members), 0xFFFF)
    return bytes(out + entries) + b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, count, count, len(entries), len(out), 0)


def listed_often(archive: bytes, times: int) -> bytes:
    """Return a zip of one member that lists the member several times."""
    at, end = archive.index(b"PK\1\2"), archive.index(b"PK\5\6")
    entries = archive[at:end] * times
    return archive[:at] + entries + b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(entries), at, 0)


def stored(content: bytes) -> Packed:
    return Packed(content, len(content), zlib.crc32(content), zipfile.ZIP_STORED)


def zipped(*members: tuple[str, bytes]) -> bytes:
    """Return a regular zip; the same members give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tarred(*members: tuple[str, bytes]) -> bytes:
    """Return a regular tar."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def block(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """Return one header of a tar that announces `size` bytes."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def padded(content: bytes) -> bytes:
    """Return the content with zeros up to the end of its last block."""
    return content + bytes(-len(content) % 512)


def zip_of_zips(depth: int) -> bytes:
    """Return nested zips, sixteen in each, as in 42.zip."""
    content = zip_of(("0.txt", Packed(deflated(4), 4 << 20, zlib.crc32(MEGABYTE * 4))))
    for _ in range(depth):
        content = zipped(*((f"lib {at}.zip", content) for at in range(16)))
    return content


def gzips(depth: int) -> bytes:
    """Return a file compressed `depth` times."""
    content = b"at last"
    for _ in range(depth):
        content = gzip.compress(content)
    return content


GOOD = ("good.txt", b"It is good text, that nothing happens to.")
NAMES = (
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\Windows\\x.txt",
    "a\x1b[31m\u202egnp.txt",
    "./a//b.txt",
    "a/b.txt",
    "..",
)
HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
TEN_GB = 10_000


def archives() -> dict[str, bytes]:
    """Return all crafted archives by file name."""
    bomb = deflated(TEN_GB)
    kernel = Packed(deflated(32), 32 << 20, zlib.crc32(MEGABYTE * 32))
    return {
        "bomb.zip": zip_of(("bomb.txt", Packed(bomb, 7)), (GOOD[0], stored(GOOD[1]))),
        "bomb.gz": HEAD + bomb,
        "bomb.tar.gz": HEAD + deflated_then(tarred(GOOD)[:1024] + block("bomb.txt", TEN_GB << 20), bomb),
        "bomb.bz2": bz2.compress(LINES * 10) * 1000,
        "bomb.xz": lzma.compress(MEGABYTE * 10, preset=0) * 1000,
        "bomb-bz2.zip": zip_of(("bomb.txt", Packed(bz2.compress(LINES * 70), 7, 0, zipfile.ZIP_BZIP2))),
        "binary-bomb.tar.gz": HEAD + deflated_then(block("zeros", TEN_GB << 20) + bytes(512), bomb),
        "overlap.zip": zip_of(*((f"{at}.txt", kernel) for at in range(20_000))),
        "42.zip": zip_of_zips(5),
        "many.zip": listed_often(zip_of(("x", kernel)), 250_001),
        "deep.zip": zipped(("d/" * 10_000 + "x.txt", GOOD[1])),
        "gzips.gz": gzips(20),
        "truncated.tar.gz": gzip.compress(tarred(GOOD, ("late.txt", bytes(range(1, 256)) * 5000)))[:1800],
        "truncated.gz": gzip.compress(GOOD[1])[:-9],
        "truncated.zip": zipped(GOOD)[:-9],
        "size-too-large.tar": tarred(GOOD)[:1024] + block("x", 1 << 80) + b"x" * 512,
        "size-far-away.tar": tarred(GOOD)[:1024] + block("x", 1 << 62) + b"x" * 512,
        "size-below-zero.tar": tarred(GOOD)[:1024] + block("x", -1024) + b"x" * 512,
        "size-too-small.tar": tarred(GOOD)[:1024] + block("x", 3) + b"x" * 2048,
        "long-name.tar": tarred(GOOD)[:1024] + block("L", 1 << 33, tarfile.GNUTYPE_LONGNAME) + b"x" * 4096,
        "names.tar": tarred(GOOD)[:1024] + (block("L", 3, tarfile.GNUTYPE_LONGNAME) + padded(b"abc")) * 5_000,
        "pax-long.tar.gz": HEAD + deflated_then(tarred(GOOD)[:1024] + block("p", TEN_GB << 20, tarfile.XHDTYPE), bomb),
        "pax-records.tar": tarred(GOOD)[:1024] + block("p", 60_000, tarfile.XHDTYPE) + padded(b"1" * 60_000),
        "pax-endless.tar": tarred(GOOD)[:1024] + block("p", 512, tarfile.XHDTYPE) + padded(b"0 path=x\n"),
        "sparse.tar": tarred(GOOD)[:1024] + sparse() + tarred(("after.txt", GOOD[1])),
        "names.zip": zipped(*((name, str(at).encode() + GOOD[1]) for at, name in enumerate(NAMES))),
    }


def deflated_then(content: bytes, stream: bytes) -> bytes:
    """Return a raw deflate stream of the content that continues with another stream."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH) + stream


def sparse() -> bytes:
    """Return a sparse file whose list of pieces continues in another block."""
    header = bytearray(block("holes", 512, tarfile.GNUTYPE_SPARSE))
    header[482] = 1
    header[148:156] = b" " * 8
    header[148:155] = b"%06o\0" % sum(header)
    return bytes(header) + bytes(512) + b"x" * 512
