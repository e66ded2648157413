"""Members of zip files."""

from pathlib import Path

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
