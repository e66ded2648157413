"""Verdicts: documents are dropped or cut if they are stored just so, and stay as they are otherwise."""

import codecs

import pytest

import fpdb
from fpdb.ingest.verdicts import DROPPED, Verdicts


def test_reasons(db: fpdb.Database) -> None:
    names = ["copy", "similar", "connected", "stays", "again"]
    for name in names:
        db.add(name, f"the text of {name}")
    db.add("template", "the text of template", boilerplate=True)
    reasons = {name: name for name in DROPPED[:3]} | {"template": "copy", "nowhere": "copy"}
    with db.snapshot() as snapshot:
        verdicts = Verdicts(snapshot)
        verdicts.drop(reasons)  # type: ignore[arg-type]
        asked = [*names, "again", "template", "other", "x" * 70_000, ""]
        contents = [(name, f"the text of {name}") for name in asked]
        found = verdicts.judge([*contents, ("stays", "another text")])
        assert [(verdict.content is None, verdict.reason) for verdict in found] == [
            *((True, name) for name in DROPPED[:3]),
            (False, ""),
            (False, ""),
            (True, "again"),
            *[(False, "missing")] * 4,
            (False, "changed"),
        ]
        assert [verdict.content for verdict in found if verdict.content is not None][:2] == [
            "the text of stays",
            "the text of again",
        ]
        assert Verdicts(snapshot).judge([("stays", "the text of stays")] * 2)[1].content is not None
    assert db.check() == []


CONTENTS: dict[str, tuple[str, str | bytes, str | bytes | None]] = {
    "string": ("text", "äbcdéf", "äbéf"),
    "ASCII": ("text", b"abcdef", b"abef"),
    "UTF-8": ("text", "äbcdéf".encode(), "äbéf".encode()),
    "a mark": ("text", "äbcdéf".encode("utf-8-sig"), "äbéf".encode("utf-8-sig")),
    "UTF-16": ("text", "äbcdéf".encode("utf-16"), "äbéf".encode("utf-16")),
    "Latin-1": ("text", "äbcdéf".encode("latin-1"), "äbéf".encode("latin-1")),
    "a page": ("html", "<p>cd", "<pd"),
    "declared": ("html", '<meta charset="cp1251">я'.encode("cp1251"), '<ma charset="cp1251">я'.encode("cp1251")),
    "invalid bytes": ("text", "ééé".encode() + b"\xff", None),
    "a notebook": ("ipynb", '{"cells": [{"cell_type": "code", "source": "abcdef"}]}', None),
}


GIVEN: dict[tuple[str, str], bytes | None] = {
    ("cp1251", "abЯcdжf"): "abdжf".encode("cp1251"),
    ("utf-8", "\ufeffabЯcd"): "\ufeffabd".encode(),
    ("utf-16", "abЯcd"): "abd".encode("utf-16"),
    ("utf-16-le", "abЯcd"): "abd".encode("utf-16-le"),
}


@pytest.mark.parametrize(("encoding", "text"), GIVEN)
def test_characters_are_cut_out_of_the_encoding_that_was_given(db: fpdb.Database, encoding: str, text: str) -> None:
    content = text.encode(encoding)
    db.add("x", content, encoding=encoding)
    with db.snapshot() as snapshot:
        verdicts = Verdicts(snapshot)
        verdicts.cut([("x", 2, 4)])
        assert verdicts.judge([("x", content)]) == [(GIVEN[encoding, text], [(2, 4)], "")]
    native = content.removeprefix(codecs.BOM_UTF16)
    if native != content:  # to be encoded, the text needs the mark that it did not have
        db.add("x", native, encoding=encoding)
        with db.snapshot() as snapshot:
            verdicts = Verdicts(snapshot)
            verdicts.cut([("x", 2, 4)])
            assert verdicts.judge([("x", native)])[0].reason == "uncut"
    assert db.check() == []


@pytest.mark.parametrize("name", CONTENTS)
def test_characters_are_cut_out_of_any_encoding(db: fpdb.Database, name: str) -> None:
    kind, content, left = CONTENTS[name]
    db.add("x", content, kind=kind)
    with db.snapshot() as snapshot:
        verdicts = Verdicts(snapshot)
        verdicts.cut([("x", 2, 4), ("nowhere", 0, 1)])
        (verdict,) = verdicts.judge([("x", content)])
        assert verdict == ((content, (), "uncut") if left is None else (left, [(2, 4)], ""))
        assert verdicts.judge([("x", "another one")])[0].content == "another one"
    assert db.check() == []
