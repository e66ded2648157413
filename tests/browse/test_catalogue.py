"""The list of documents, page by page."""

import pytest

import fpdb
from fpdb.browse import catalogue
from fpdb.browse.site import Site, link
from tests.browse.conftest import Browser, links, words
from tests.cli.prose import prose


def test_the_list_is_read_page_by_page(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "PAGE", 3)
    long = [f"{'n' * 448}{end}" for end in ("", "b", "a", "c", "ä")]
    names = sorted(
        [*(f"d{number}" for number in range(8)), *long, "caf\udce9"], key=lambda n: n.encode("utf-8", "surrogateescape")
    )
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number, name in enumerate(names):
                batch.add(name, prose(number, 5))
        for glob in ("", "d*", "*[024]", "n*", "n*b", "caf?"):
            seen, after = [], ""
            while after is not None:
                with db.snapshot() as snapshot:
                    page = catalogue.read_page(snapshot, glob, after)
                assert len(page.documents) <= 3
                seen += [document.name for document in page.documents]
                after = page.after
            assert seen == [document.name for document in db.documents(glob or None)]
        browser, address, shown = Browser(Site(db)), "/documents", 0
        while address:
            listed = browser.get(address).text
            shown += len(links(listed, "/document?"))
            address = next((each for each in links(listed, "/documents?") if "after" in each), "")
        assert shown == len(names)
        assert db.check() == []


def test_a_search_of_names_ends_in_time_and_goes_on(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SECONDS", -1.0)
    monkeypatch.setattr(catalogue, "_STEP", 4)
    with fpdb.open(path) as db:
        with db.batch() as batch:
            for number in range(10):
                batch.add(f"d{number}", prose(number, 5))
        browser, address, steps = Browser(Site(db)), link("/documents", glob="*9"), 0
        while "d9" not in words(listed := browser.get(address).text).split():
            assert "were looked through" in listed
            (address,) = [each for each in links(listed, "/documents?") if "after" in each]
            steps += 1
        assert steps == 2
