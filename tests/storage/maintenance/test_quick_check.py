"""Schemes whose stored fingerprints are a sample, or a part of what is searched with, in a database."""

import json
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fpdb
from fpdb.cli.program import cli
from fpdb.ingest.files import InputDocument
from fpdb.ingest.load_options import LoadOptions
from fpdb.ingest.loading import load
from fpdb.ingest.rotation import rotate

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))
WORDS = ["".join(letters) for letters in np.random.default_rng(0).choice(LETTERS, (5_000, 6))]


def prose(seed: int, words: int) -> str:
    return " ".join(np.random.default_rng(seed).choice(WORDS, words))


@pytest.fixture
def koala(tmp_path: Path):
    recipe = fpdb.Recipe.preset("koala").with_(max_df=None)
    with fpdb.open(tmp_path / "koala.fpdb", recipe=recipe) as db:
        yield db
        assert db.check() == []


def stored_hashes(db: fpdb.Database, name: str, text: str) -> set[int]:
    """Those of the document's search fingerprints that the database finds under its name."""
    found = db.recipe.fingerprint(text, purpose="search").hashes
    return {
        int(hash_)
        for hash_ in found
        if any(match.name == name for match in db.query_fingerprints([int(hash_)], max_df=1, max_ignored=0).matches)
    }


def test_koala_searches_with_more_than_it_stores(koala: fpdb.Database) -> None:
    text = prose(1, 4_000)
    koala.add("a", text)
    assert koala.document("a").fingerprints == 100
    answer = koala.query(text)
    assert answer.query.looked_up == 1000
    [match] = answer.matches
    assert (match.shared, match.reverse_containment) == (100, 1.0)


def test_rotation_stores_another_subset_and_searching_does_not_change(koala: fpdb.Database) -> None:
    text = prose(2, 4_000)
    koala.add("a", text, contact="someone", labels={"year": "1996"})
    before = koala.document("a")
    seen = [stored_hashes(koala, "a", text)]
    for expected in (1, 2, 7):
        assert koala.rotate("a", text, rotation=7 if expected == 7 else None) == expected
        seen.append(stored_hashes(koala, "a", text))
        after = koala.document("a")
        assert after.rotation == expected
        assert (after.added, after.contact, after.labels) == (before.added, before.contact, before.labels)
        assert koala.query(text).matches[0].shared == 100
    assert [len(subset) for subset in seen] == [100] * 4  # each a subset of the search fingerprints
    assert all(len(one & other) < 50 for i, one in enumerate(seen) for other in seen[:i])
    assert koala.add("a", text, contact="someone", labels={"year": "1996"}) == "unchanged"


def test_rotation_refuses_what_it_cannot_do(koala: fpdb.Database, tmp_path: Path) -> None:
    koala.add("a", prose(3, 3_000))
    with pytest.raises(fpdb.ContentChanged):
        koala.rotate("a", "something else")
    with pytest.raises(fpdb.NoSuchDocument):
        koala.rotate("b", "something else")
    with fpdb.open(tmp_path / "text.fpdb") as other:
        other.add("a", "some text")
        with pytest.raises(fpdb.BadRecipe):
            other.rotate("a", "some text")


def test_a_rotation_of_everything_lists_stale_sources_with_their_contact(koala: fpdb.Database, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(prose(ord(name), 3_000))
        load(
            koala,
            [InputDocument(name, str(tmp_path / name), source=str(tmp_path / name))],
            LoadOptions(contact=f"{name}@example.org"),
        )
    koala.add("d", prose(9, 3_000))
    (tmp_path / "b").unlink()
    (tmp_path / "c").write_text("another text")
    report = rotate(koala, koala.documents())
    assert report.documents == 1
    assert [(stale.name, stale.contact) for stale in report.stale] == [
        ("b", "b@example.org"),
        ("c", "c@example.org"),
        ("d", None),
    ]
    assert [stale.reason for stale in report.stale] == [
        "the source is gone, and the text was not kept",
        "the source has changed since it was added",
        "it did not come from a file here, and the text was not kept",
    ]
    assert [document.rotation for document in koala.documents()] == [1, 0, 0, 0]


def test_rotation_reads_kept_texts_and_keeps_them(koala: fpdb.Database) -> None:
    text = prose(2, 4_000)
    koala.add("a", text, keep_text=True)
    koala.add("b", text.encode())
    with koala.batch() as batch:
        batch.add("c", text, keep_text=True)
        batch.rotate("c", text)
        assert batch.add("b", text.encode(), keep_text=True) == "updated"
        batch.rotate("b", text.encode())
    report = rotate(koala, koala.documents())
    assert (report.documents, report.stale) == (3, [])
    assert [(each.rotation, each.text_bytes) for each in koala.documents()] == [
        (1, len(text)),
        (2, len(text)),
        (2, len(text)),
    ]
    assert [koala.original(name) for name in "abc"] == [text, text.encode(), text]
    assert koala.info()["texts"] == 3


def test_the_command_rotates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(prose(4, 3_000))
    run = CliRunner().invoke
    assert run(cli, ["init", "--preset", "koala"]).exit_code == 0
    assert run(cli, ["rotate"]).exit_code == 1  # nothing there
    assert run(cli, ["add", "a.txt"]).exit_code == 0
    result = run(cli, ["rotate"])
    assert (result.exit_code, result.stderr) == (0, "rotated 1 document\n")
    assert json.loads(run(cli, ["show", "a.txt", "--format", "json"]).stdout)["rotation"] == 1
    assert run(cli, ["check"]).exit_code == 0


def test_rarity_in_the_corpus_avoids_what_other_documents_hold(tmp_path: Path) -> None:
    """A passage that is in every document is stored for none when the database's frequencies decide."""
    common = prose(5, 150)
    recipe = fpdb.Recipe.preset("koala").with_(skip=0, stored=400, search=800, max_df=None)
    with fpdb.open(tmp_path / "t.fpdb", recipe=recipe) as db:
        db.add("first", common)
        held = db.recipe.fingerprint(common).hashes
        assert (db.frequencies(held) == 1).all()
        text = prose(6, 2_000) + common
        db.add("document", text)
        db.add("corpus", text, rarity="corpus")
        counts = {match.name: match.shared for match in db.query_fingerprints(held, max_df=1, max_ignored=0).matches}
        assert counts["document"] > 0
        assert "corpus" not in counts
        assert {match.name for match in db.query(text, rarity="corpus").matches} >= {"corpus", "document"}
        assert db.check() == []


def test_frequencies_count_documents(tmp_path: Path) -> None:
    """In any order, with repeats, and for hashes that nobody holds."""
    with fpdb.open(tmp_path / "t.fpdb") as db:
        for number in range(5):
            db.add_fingerprints(f"{number}", range(number, 5))
        db.add_fingerprints("template", [4], boilerplate=True)
        db.remove("0")
        assert db.frequencies([4, 0, 2, 4, 2**64 - 1]).tolist() == [4, 0, 2, 4, 0]
        assert db.frequencies([]).tolist() == []
        assert db.check() == []


def test_low_ratios_of_documents_of_very_different_length_are_flagged(koala: fpdb.Database) -> None:
    short = prose(7, 1_000)
    koala.add("whole", prose(8, 8_000) + short + prose(9, 8_000))
    koala.add("other", prose(10, 17_000))
    koala.add("itself", short)
    found = {match.name: match for match in koala.query(short).matches}
    assert found["itself"].part is None
    assert found["whole"].reverse_containment < 0.3
    assert found["whole"].part is not None
    assert found["whole"].part > 0.3
    assert "part" in koala.query(short).to_dict()["matches"][-1]
    assert "part" not in koala.query(short).to_dict()["matches"][0]


@pytest.mark.parametrize("sizes", [(3_000, 3_000), (3_000, 12_000), (12_000, 3_000)])
def test_samples_are_compared_within_what_both_are_samples_of(tmp_path: Path, sizes: tuple[int, int]) -> None:
    """Resemblance and containment of documents of any lengths, from 400 fingerprints each: within 4 / sqrt(400)."""
    mine, theirs = sizes
    shared = 2_000
    with (
        fpdb.open(tmp_path / "sample.fpdb", recipe=fpdb.Recipe.preset("sample")) as db,
        fpdb.open(tmp_path / "full.fpdb", recipe=fpdb.Recipe.preset("text").with_(scheme="full")) as full,
    ):
        for number in range(20):
            passage = prose(100 + number, shared)
            document = passage + prose(200 + number, theirs - shared)
            query = passage + prose(300 + number, mine - shared)
            db.add(f"{number}", document)
            full.add(f"{number}", document)
            [found] = [match for match in db.query(query).matches if match.name == f"{number}"]
            [exact] = [match for match in full.query(query).matches if match.name == f"{number}"]
            assert abs(found.resemblance - exact.resemblance) < 0.2
            assert abs(found.containment - exact.containment) < 0.25
            assert db.query(document).matches[0].resemblance == 1.0
        assert db.check() == full.check() == []


@pytest.mark.parametrize("sizes", [(4_000, 4_000), (4_000, 20_000), (20_000, 4_000)])
def test_distinct_samples_are_compared_at_the_higher_level(tmp_path: Path, sizes: tuple[int, int]) -> None:
    mine, theirs = sizes
    recipe = fpdb.Recipe.preset("text").with_(scheme="distinct", guarantee=1000, s=800)
    with fpdb.open(tmp_path / "t.fpdb", recipe=recipe) as db:
        passage = prose(1, 3_000)
        document, query = passage + prose(2, theirs - 3_000), passage + prose(3, mine - 3_000)
        db.add("d", document)
        [match] = db.query(query).matches
        assert abs(match.containment - 3_000 / mine) < 0.2
        assert abs(match.reverse_containment - 3_000 / theirs) < 0.2
        [itself] = db.query(document).matches
        assert (itself.containment, itself.resemblance) == (1.0, 1.0)
        assert db.check() == []


@pytest.mark.parametrize("preset", ["sample", "koala", "text"])
def test_workers_give_what_one_process_gives(tmp_path: Path, preset: str) -> None:
    """Shares, levels and positions too: the files hold the same postings and sizes."""
    folder = Path(sysconfig.get_path("stdlib"))
    sources = [InputDocument(path.name, str(path)) for path in sorted(folder.glob("*.py"))] * 3
    sources = [source._replace(name=f"{number}") for number, source in enumerate(sources)]
    found = []
    for jobs in (1, 2):
        with fpdb.open(tmp_path / f"{jobs}.fpdb", recipe=fpdb.Recipe.preset(preset)) as db:
            load(db, sources, jobs=jobs)
            with db._store.snapshot() as view:
                ids = np.fromiter(view.catalogue.size_table.ids(), np.uint32)
                found.append(view.catalogue.sizes(ids).tobytes())
            assert db.check() == []
    assert found[0] == found[1]
