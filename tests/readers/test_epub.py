"""Books: chapters in the order of the spine, however the package says it."""

import pytest

from fpdb.errors import Unreadable
from fpdb.fingerprint import KINDS
from tests.readers import essays


def book(manifest, spine, chapters, **more):
    """Return a book in the folder a; chapters: sources by name."""
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{manifest}</manifest><spine>{spine}</spine></package>'
    )
    container = '<container xmlns="x"><rootfiles><rootfile full-path="a/b.opf"/></rootfiles></container>'
    members = {"META-INF/container.xml": container, "a/b.opf": package, **more}
    return essays.zipped(members | {f"a/{name}": source for name, source in chapters.items()})


def item(id_, href, media_type="application/xhtml+xml"):
    return f'<item id="{id_}" href="{href}" media-type="{media_type}"/>'


def reference(*ids):
    return "".join(f'<itemref idref="{id_}"/>' for id_ in ids)


def test_the_spine_decides():
    manifest = (
        item("one", "t/1.xhtml") + item("two", "../2.html") + item("three", "gone") + item("p", "p.svg", "image/svg")
    )
    content = book(
        manifest,
        reference("two", "p", "one", "three", "no", "two"),
        {"t/1.xhtml": "<head><title>gone</title></head><body><h2>One</h2>first", "p.svg": "gone", "x.xhtml": "gone"},
        **{"2.html": "<!DOCTYPE html>second&nbsp;<p hidden>gone</p>"},
    )
    symbols = KINDS["epub"].read(content, "characters")
    assert symbols.text == "second\nOne\nfirst"
    assert symbols.parts == ("chapter", [0, 7], ["", "One"])
    assert symbols.hidden == 4


def test_encrypted_chapters_are_named():
    encryption = '<a xmlns="x"><CipherReference URI="a/1.html"/></a>'
    content = book(item("one", "1.html"), reference("one"), {"1.html": "x"}, **{"META-INF/encryption.xml": encryption})
    with pytest.raises(Unreadable, match=r"encrypted \(DRM\)"):
        KINDS["epub"].read(content)


def test_a_book_without_a_package_is_none():
    for members in ({"mimetype": "x"}, {"META-INF/container.xml": "<a/>"}, {"META-INF/container.xml": "<a"}):
        with pytest.raises(Unreadable):
            KINDS["epub"].read(essays.zipped(members))
