"""A document that is added with an encoding is what its text is, however it is asked, stored again or read again."""

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.errors import Unreadable
from fpdb.ingest.discover import discover
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import load

PROSE = "Съешь же ещё этих мягких французских булок, да выпей чаю: so weit, so gut. "
TEXTS = {
    "text": PROSE * 3,
    "html": f"<p>{PROSE}</p><p>{PROSE * 2}</p>",
    "latex": f"\\section{{{PROSE}}} {PROSE * 2}",
    "code": 'def главная(чай):\n    return [булка for булка in чай if булка != "мягкая"]\n' * 4,
}
ENCODINGS = ("cp1251", "koi8_r", "utf-8", "utf-16-le", "utf-16", "utf-8-sig", "windows-1251")


@pytest.fixture
def db(tmp_path: Path):
    with fpdb.open(tmp_path / "d.fpdb", mode="x", recipe=fpdb.Recipe.preset("code")) as db:
        yield db
        assert db.check() == []


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_bytes_with_an_encoding_are_their_text(db: fpdb.Database, kind: str, encoding: str) -> None:
    text, name = TEXTS[kind], {"code": "a.py"}.get(kind, "a")
    content = text.encode(encoding)
    assert db.add(f"text/{name}", text, kind=kind, keep_text=True) == "added"
    assert db.add(f"bytes/{name}", content, kind=kind, encoding=encoding, keep_text=True) == "added"
    one, other = (db.fingerprints(f"{folder}/{name}") for folder in ("text", "bytes"))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    document = db.document(f"bytes/{name}")
    assert document.encoding == codecs.lookup(encoding).name
    assert db.document(f"text/{name}").encoding is None
    for again in ({}, {"encoding": encoding}):
        assert db.add(f"bytes/{name}", content, **again) == "unchanged"
    asked = db.query(content, kind=kind, encoding=encoding, name=f"bytes/{name}", regions=True)
    stored = db.query_stored(f"bytes/{name}", regions=True)
    for answer in (asked, stored):
        assert [(match.name, match.query_coverage, match.source) for match in answer] == [(f"text/{name}", 1.0, "same")]
    (match,) = db.query(text, kind=kind, name=f"text/{name}", regions=True)
    assert (match.name, match.document_coverage, match.source) == (f"bytes/{name}", 1.0, "same")
    assert match.regions
    assert text[slice(*match.regions[0].a.interval)] == text[slice(*match.regions[0].b.interval)]


@pytest.mark.parametrize("kind", TEXTS)
def test_loads_and_workers_take_the_encoding(db: fpdb.Database, tmp_path: Path, kind: str) -> None:
    extension = {"text": "txt", "code": "py", "latex": "tex"}.get(kind, kind)
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):
        Path(folder, f"{number}.{extension}").write_bytes((f"{number} " + TEXTS[kind]).encode("koi8_r"))

    def add(encoding: str | None, jobs: int = 1) -> tuple[int, int, int]:
        summary = load(db, discover([str(folder)], kind="auto"), LoadOptions(encoding=encoding), jobs=jobs)
        return summary.added, summary.replaced, summary.unchanged

    assert [add("koi8-r", 2), add(None), add("KOI8_R"), add("cp1251"), add("cp1251")] == [
        (4, 0, 0),
        (0, 0, 4),
        (0, 0, 4),
        (0, 4, 0),
        (0, 0, 4),
    ]
    assert {document.encoding for document in db.documents()} == {"cp1251"}
    summary = load(db, discover([str(folder)], kind="auto"), LoadOptions(encoding="ascii"))
    assert [each.reason[:9] for each in summary.skipped] == ["not ascii"] * 4


def test_what_says_its_encoding_itself_takes_no_notice(db: fpdb.Database) -> None:
    content = b"{\\rtf1\\ansi " + b"The quick brown fox jumps over the lazy dog. " * 3 + b"}"
    assert db.add("a.rtf", content, encoding="utf-16") == "added"
    assert db.document("a.rtf").encoding is None
    assert db.add("a.rtf", content, encoding="utf-16") == "unchanged"


def test_a_change_of_boilerplate_keeps_the_encoding(db: fpdb.Database) -> None:
    content = PROSE.encode("koi8_r")
    db.add("a", content, encoding="koi8_r")
    assert db.add("a", content, boilerplate=True) == "replaced"
    assert db.document("a").encoding == "koi8-r"
    assert db.query(PROSE * 2).query.note


@given(st.text(max_size=60), st.sampled_from(ENCODINGS))
def test_no_encoding_is_wrongly_read(text: str, encoding: str) -> None:
    recipe = fpdb.Recipe.preset("text").with_(k=2, w=1)
    content = text.encode(encoding, "ignore")
    decoded = content.decode(encoding).removeprefix("\ufeff")
    one, other = recipe.fingerprint(content, "text", encoding=encoding), recipe.fingerprint(decoded, "text")
    assert one.hashes.tolist() == other.hashes.tolist()
    assert one.positions.tolist() == other.positions.tolist()


@pytest.mark.parametrize("encoding", ["no-such", "rot13", "base64"])
def test_unknown_encodings_are_refused(db: fpdb.Database, encoding: str) -> None:
    for call in (db.add, lambda name, content, encoding: db.query(content, name=name, encoding=encoding)):
        with pytest.raises(Unreadable, match="no encoding of texts is called"):
            call("a", b"abc", encoding=encoding)
