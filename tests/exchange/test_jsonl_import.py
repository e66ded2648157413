"""Import: lines as another program may write them; a broken line is named and costs nothing else."""

import base64
import json

import numpy as np
import pytest
import xxhash

import fpdb
from tests.exchange.json_lines import exported, imported


def test_the_lines_are_as_described(path):
    """Written by hand, without checksums, as another program would."""
    lines = [
        {"format": "fpdb-export", "version": 1, "recipe": {"key": "5", "rules": {"characters": RULE}}},
        {
            "name": "a",
            "kind": "audio",
            "digest": "00" * 16,
            "symbols": 3,
            "kgrams": 3,
            "added": 1_700_000_000,
            "hashes": base64.b64encode(np.array([9, 2**64 - 1, 9], "<u8").tobytes()).decode(),
            "positions": base64.b64encode(np.array([4, 2**32 - 1, 1], "<u4").tobytes()).decode(),
        },
        {"documents": 1},
    ]
    assert imported(path, b"".join(json.dumps(line).encode() + b"\n" for line in lines))["added"] == 1
    with fpdb.open(path) as db:
        document = db.document("a")
        assert (document.kind, document.fingerprints, document.hashes) == ("audio", 3, 2)
        assert document.added.timestamp() == 1_700_000_000
        assert [match.name for match in db.query_fingerprints([9]).matches] == ["a"]
        _, line, end = exported(db).splitlines()
        assert np.frombuffer(base64.b64decode(json.loads(line)["hashes"]), "<u8").tolist() == [9, 9, 2**64 - 1]
        assert np.frombuffer(base64.b64decode(json.loads(line)["positions"]), "<u4").tolist() == [1, 4, 2**32 - 1]
        assert json.loads(end)["documents"] == 1
        assert end.endswith(xxhash.xxh3_64_hexdigest(b'{"documents":1').encode() + b'"}')
        assert db.check() == []


RULE = {"k": 30, "scheme": "robust-winnow", "parameters": {"w": 21}}
WRONG = {
    "not JSON": lambda line: line[:-20],
    "another hash": lambda line: line.replace(b'"hashes":"', b'"hashes":"AAAA', 1),
    "not an object": lambda _: b"[1]",
    "no name": lambda line: without(line, "name"),
    "no digest": lambda line: without(line, "digest"),
    "a digest too short": lambda line: changed(line, digest="00"),
    "an empty name": lambda line: changed(line, name=""),
    "a name that is none": lambda line: changed(line, name=5),
    "hashes that are no base64": lambda line: changed(line, hashes="?"),
    "half a hash": lambda line: changed(line, hashes="AAAA"),
    "positions of other hashes": lambda line: changed(line, positions="AAAAAA=="),
    "another count": lambda line: changed(line, fingerprints=1),
    "a count that is none": lambda line: changed(line, symbols="many"),
    "labels that are none": lambda line: changed(line, labels=[1]),
    "a share too large": lambda line: changed(line, share=2**32),
    "another text": lambda line: changed(line, text="AAAA"),
    "a wrong checksum": lambda line: line[:-4] + (b"1" if line[-4:-3] == b"0" else b"0") + b'"}\n',
    "nothing": lambda _: b"",
    "the last line": lambda _: b'{"documents":9}\n',
}


def changed(line, **members):
    found = {**json.loads(line), **members}
    del found["checksum"]
    return json.dumps(found).encode() + b"\n"


def without(line, name):
    found = json.loads(line)
    return json.dumps({key: value for key, value in found.items() if key not in (name, "checksum")}).encode() + b"\n"


@pytest.mark.parametrize("wrong", WRONG)
def test_a_broken_line_is_named(path, tmp_path, wrong):
    with fpdb.open(path) as db:
        for number in range(6):
            db.add_fingerprints(f"{number}", range(number, 50), range(number, 50))
        lines = exported(db).splitlines(keepends=True)
    broken = [*lines[:4], WRONG[wrong](lines[4])]
    copy = tmp_path / "copy"
    with pytest.raises(fpdb.BadExport, match="line 5: "):
        imported(copy, b"".join(broken))
    with fpdb.open(copy) as db:
        assert [document.name for document in db.documents()] == ["0", "1", "2"]
        assert db.check() == []
    assert imported(copy, b"".join(lines)) == {"added": 3, "replaced": 0, "updated": 0, "unchanged": 3}
    with fpdb.open(copy) as db:
        assert exported(db) == b"".join(lines)


@pytest.mark.parametrize("header", [b"", b"\n", b"{}\n", b"\xff\n", b"[]\n", b'{"format":"fpdb-export","version":2}\n'])
def test_what_is_no_export_makes_no_database(tmp_path, header):
    with pytest.raises(fpdb.BadExport, match="line 1: "):
        imported(tmp_path / "t", header)
    assert list(tmp_path.iterdir()) == []


def test_another_recipe_is_refused(path, tmp_path):
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
        lines = exported(db)
    with fpdb.open(tmp_path / "other", recipe=fpdb.Recipe.preset("web")):
        pass
    with pytest.raises(fpdb.RecipeMismatch):
        imported(tmp_path / "other", lines)
