"""Members of zip files."""

import struct
import zlib
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import crafted_archives as crafted
from tests.ingest.archives.made_archives import GOOD, GOOD_TEXT, changed, found, written


def test_utf8_names_that_do_not_say_so(tmp_path: Path) -> None:
    plain = crafted.zipped(("naïve.txt", b"1"))
    unsaid = plain.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")
    assert unsaid != plain
    assert list(found(written(tmp_path / "a.zip", unsaid))) == ["naïve.txt"]


def test_members_that_cannot_be_read_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    bad = crafted.stored(b"It is another text.")
    members = {
        "crc": (bad._replace(crc=1), "damaged: its checksum is wrong"),
        "size": (bad._replace(size=3), "damaged: it has another size than the archive says"),
        "method": (bad._replace(method=14), "compressed by a method that is not read (number 14)"),
        "deflate": (bad._replace(method=8), "damaged: Error -3 while decompressing data: "),
        "bzip2": (bad._replace(method=12), "damaged: Invalid data stream"),
    }
    for name, (packed, reason) in members.items():
        path = written(tmp_path / "a.zip", crafted.zip_of((name, packed), (GOOD, crafted.stored(GOOD_TEXT))))
        answer = found(path)
        assert answer.pop(GOOD) == GOOD_TEXT
        assert str(answer[name]).startswith(reason)
    encrypted = crafted.zip_of(("secret", bad), (GOOD, crafted.stored(GOOD_TEXT)))
    at = encrypted.index(b"PK\1\2") + 8
    path = written(tmp_path / "a.zip", changed(encrypted, at, encrypted[at] | 1))
    assert found(path) == {"secret": "encrypted", GOOD: GOOD_TEXT}


def laid_out(ranges: list[tuple[int, int]]) -> bytes:
    """Return a zip whose stored members lie at such places, each with a size, over one another or not."""
    out, entries = bytearray(max(start + 31 + size for start, size in ranges)), b""
    for number, (start, size) in enumerate(ranges):
        header = b"PK\3\4" + struct.pack("<HHHHHLLLHH", 20, 0x800, 0, 0, 0x21, 0, size, size, 1, 0) + b"%d" % number
        out[start : start + 31] = header
    for number, (start, size) in enumerate(ranges):
        crc = zlib.crc32(out[start + 31 : start + 31 + size])
        fields = struct.pack("<HHHHHHLLLHH", 20, 20, 0x800, 0, 0, 0x21, crc, size, size, 1, 0)
        entries += b"PK\1\2" + fields + struct.pack("<HHHLL", 0, 0, 0, 0, start) + b"%d" % number
    end = struct.pack("<HHHHLLH", 0, 0, len(ranges), len(ranges), len(entries), len(out), 0)
    return bytes(out) + entries + b"PK\5\6" + end


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("zips")


@given(st.lists(st.tuples(st.integers(0, 80), st.integers(0, 120)), min_size=1, max_size=9), st.randoms())
def test_members_that_share_bytes_are_refused_and_no_others(
    folder: Path, steps: list[tuple[int, int]], random: Random
) -> None:
    """Whatever the order in the list, and whether data hold other headers, parts of them, or the same data."""
    ranges, start = [], 0
    for gap, size in steps:
        ranges.append((start, size))
        start += 31 + gap
    ends = [start + 30 + size for start, size in ranges]
    overlapping = {
        number
        for one, (start, _) in enumerate(ranges)
        for other, (begin, _) in enumerate(ranges)
        if one != other and start <= begin < ends[one]
        for number in (one, other)
    }
    order = list(range(len(ranges)))
    random.shuffle(order)
    answer = found(written(folder / "a.zip", laid_out([ranges[number] for number in order])))
    for place, number in enumerate(order):
        is_refused = "shares bytes" in str(answer[str(place)])
        assert is_refused == (number in overlapping)
