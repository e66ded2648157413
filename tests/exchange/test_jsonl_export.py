"""Export and import: what comes out is what went in, to the byte; a broken line is named and costs nothing else."""

import base64
import io
import json
import sys

import numpy as np
import pytest
import xxhash
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.exchange import jsonl_export, jsonl_import
from tests.reference_database import as_json

PROSE = "Four score and seven years ago our fathers brought forth on this continent, a new nation. " * 9


def exported(db, **options):
    out = io.BytesIO()
    assert db.export(out, **options) == len(list(db.documents()))
    return out.getvalue()


def imported(path, lines):
    return fpdb.import_(path, io.BytesIO(lines))


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(jsonl_export, "POSTINGS_PER_PART", 500)
    monkeypatch.setattr(jsonl_import, "POSTINGS_PER_BATCH", 700)


def fill(db, rng):
    """Documents of every sort: several runs, removed, replaced, rotated or boilerplate, texts, strange names."""
    for part in range(4):
        with db.batch() as batch:
            for number in range(12):
                hashes = rng.integers(0, 2**64, 90, np.uint64)
                hashes[:20] = np.arange(20)
                positions = rng.integers(0, 2**32 - 1, 90) if number % 3 else None
                batch.add_fingerprints(f"{part}/{number}", hashes, positions, source="a/b", labels={"ä": "\udcff"})
    db.add_fingerprints("none", [])
    db.add_fingerprints("n" * 900, [7, 2**64 - 1], [2**32 - 2, 0], contact="ann@example.org")
    db.add_fingerprints("not UTF-8 \udcfe", [7])
    db.add_fingerprints("boilerplate", [1, 2, 3], boilerplate=True)
    db.add("string", PROSE + "\ud800", keep_text=True)
    db.add("bytes", PROSE.encode(), keep_text=True)
    db.remove("1/3")
    db.add_fingerprints("2/2", [1, 2, 3, 99])


@pytest.mark.usefixtures("small_parts", "small_limits")
def test_there_and_back(path, tmp_path, rng):
    asked = np.arange(100)
    with fpdb.open(path, recipe=fpdb.Recipe.preset().with_(key=2**64 - 1)) as db:
        fill(db, rng)
        lines = exported(db, texts=True)
        expected = [*db.documents()], as_json(db.query_fingerprints(asked)), db.query(PROSE).to_dict(), db.recipe
        texts = db.text("string"), db.text("bytes"), db.original("string")
        assert db.check() == []
    copy = tmp_path / "copy.fpdb"
    assert imported(copy, lines) == {"added": 53, "replaced": 0, "updated": 0, "unchanged": 0}
    assert imported(copy, lines)["unchanged"] == 53
    with fpdb.open(copy) as db:
        assert (
            [*db.documents()],
            as_json(db.query_fingerprints(asked)),
            db.query(PROSE).to_dict(),
            db.recipe,
        ) == expected
        assert (db.text("string"), db.text("bytes"), db.original("string")) == texts
        assert exported(db, texts=True) == lines
        assert db.check() == []
        assert b'"text":' not in exported(db)


def test_samples_and_rotations(tmp_path):
    for preset in ("koala", "sample"):
        source, copy = tmp_path / preset, tmp_path / f"{preset} copy"
        with fpdb.open(source, recipe=fpdb.Recipe.preset(preset)) as db:
            text = " ".join(f"word{number} means {number**3 % 977}" for number in range(2_000))
            db.add("a", text)
            if preset == "koala":
                assert db.rotate("a", text) == 1
            db.add("b", text[5_000:])
            lines, answer = exported(db), db.query(text).to_dict()
            pairs = [repr(pair) for pair in db.pairs()]
        assert (b'"share"' in lines, b'"rotation":1' in lines) == (preset == "sample", preset == "koala")
        imported(copy, lines)
        with fpdb.open(copy) as db:
            assert exported(db) == lines
            assert db.query(text).to_dict() == answer
            assert [repr(pair) for pair in db.pairs()] == pairs
            assert db.check() == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.dictionaries(
        st.text(min_size=1, max_size=9).filter(
            lambda name: name.isascii() or not any("\ud800" <= c < "\ue000" for c in name)
        ),
        st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 2)), max_size=9),
        max_size=9,
    )
)
def test_any_hashes_come_back(tmp_path_factory, documents):
    folder = tmp_path_factory.mktemp("any")
    with fpdb.open(folder / "a") as db:
        with db.batch() as batch:
            for name, postings in documents.items():
                batch.add_fingerprints(name, [h for h, _ in postings], [p for _, p in postings])
        lines = exported(db)
    imported(folder / "b", lines)
    with fpdb.open(folder / "b") as db:
        assert exported(db) == lines
        assert db.check() == []


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


def test_texts_need_their_package(path, monkeypatch):
    with fpdb.open(path) as db:
        db.add("a", PROSE, keep_text=True)
        monkeypatch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(fpdb.MissingPackage):
            db.export(io.BytesIO(), texts=True)
        assert exported(db)
