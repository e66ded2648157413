"""Several databases asked together: the answers of one that holds the documents of all of them."""

from contextlib import ExitStack
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.storage import file_format
from tests.reference_database import OPTIONS, ReferenceDatabase, as_json

MOST = 2**64 - 1
PROSE = (
    "Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in liberty. "
)
OTHER = "It is rather for us to be here dedicated to the great task remaining before us, that from these honored dead. "
FOLDERS = count()

HASHES = st.lists(st.one_of(st.integers(0, 12), st.just(MOST)), max_size=12)
DOCUMENTS = st.lists(
    st.tuples(st.integers(0, 2), HASHES, st.sampled_from([False, False, False, True]), st.booleans()), max_size=14
)


def without_databases(answer):
    told = answer.to_dict()
    for match in told["matches"]:
        del match["database"]
    return told


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=DOCUMENTS, later=DOCUMENTS, asked=HASHES, options=st.sampled_from(OPTIONS))
@pytest.mark.usefixtures("small_limits")
def test_the_answer_is_that_of_one_database(tmp_path, documents, later, asked, options):
    """documents: in which of three databases each is, its hashes, whether it is boilerplate, whether it is removed."""
    folder = tmp_path / str(next(FOLDERS))
    folder.mkdir()
    plain, where, left = ReferenceDatabase(), {}, {}
    with ExitStack() as stack:
        paths = [str(folder / name) for name in "cab"]
        databases = [stack.enter_context(fpdb.open(path)) for path in paths]
        shards = fpdb.MultiDatabase(dict(zip(paths, databases, strict=True)))
        for when, part in (("first", documents), ("later", later)):
            for at, db in enumerate(databases):
                with db.batch() as batch:
                    for number, (place, hashes, boilerplate, _) in enumerate(part):
                        if place == at:
                            name = f"{when}/{number}"
                            batch.add_fingerprints(name, hashes, boilerplate=boilerplate)
                            plain.add(name, hashes, boilerplate)
                            where[name], left[name] = at, hashes
                with db.batch() as batch:
                    for number, (place, *_, removed) in enumerate(part):
                        name = f"{when}/{number}"
                        if place == at and removed and name in plain:
                            batch.remove(name)
                            plain.remove(name)
            for every in OPTIONS if when == "later" else [options]:
                found = shards.query_fingerprints(asked, **every)
                assert as_json(without_databases(found)) == as_json(plain.answer(asked, **every))
                assert [paths.index(match.database) for match in found.matches] == [
                    where[match.name] for match in found.matches
                ]
        assert len(shards) == len(plain)
        hashes = list(range(13))
        expected = [sum(hash_ in held for held, sort in plain.documents.values() if not sort) for hash_ in hashes]
        assert shards.frequencies(hashes).tolist() == expected
        for name, (_, boilerplate) in list(plain.documents.items())[:2]:
            if not boilerplate:
                db = databases[where[name]]
                given = {"name": name, "digest": db.digest(name), **options}
                found = without_databases(shards.query_fingerprints(left[name], **given))
                copies = {other for other in plain.names() if databases[where[other]].digest(other) == given["digest"]}
                known = {"name": name, "itself": name, "copies": copies}
                assert as_json(found) == as_json(plain.answer(left[name], **known, **options))


@pytest.mark.parametrize("preset", ["text", "koala", "sample"])
def test_documents_of_text(tmp_path, preset):
    """With regions, boilerplate, samples and rarity: as one database built of all."""
    recipe = fpdb.Recipe.preset(preset)
    words = np.random.default_rng(5).integers(0, 3_000, (6, 3_000))
    texts = [" ".join(f"word{word}" for word in row) for row in words]
    texts += [PROSE + texts[0][:9_000], OTHER + texts[1][:4_000] + texts[0][9_000:12_000]]
    with ExitStack() as stack:
        one, *parts = (stack.enter_context(fpdb.open(tmp_path / name, recipe=recipe)) for name in ("one", "a", "b"))
        for number, text in enumerate(texts):
            for db in (one, parts[number % 2]):
                db.add(f"{number}", text, keep_text=number % 3 > 0)
        for db in (one, parts[1]):
            db.add("form", PROSE * 3, boilerplate=True)
        shards = fpdb.MultiDatabase({"a": parts[0], "b": parts[1]})
        for text in (texts[0], texts[6] + OTHER, texts[1][:2_000], PROSE):
            for options in (
                {},
                {"regions": True},
                {"rarity": "corpus"},
                {"name": "0"},
                {"by": "weighted_containment"},
                {"by": "similarity", "top": 2},
            ):
                expected = one.query(text, **options).to_dict()
                found = shards.query(text, **options)
                assert without_databases(found) == expected
                assert [match.database for match in found.matches] == [
                    "ab"[int(match.name) % 2] for match in found.matches
                ]
        given = dict(enumerate(texts))
        options = {"regions": True, "texts": lambda document: given[int(document.name)]}
        assert without_databases(shards.query(texts[0], **options)) == one.query(texts[0], **options).to_dict()


def test_names_in_two_databases(tmp_path):
    with ExitStack() as stack:
        a, b, c = (stack.enter_context(fpdb.open(tmp_path / name)) for name in "abc")
        a.add_fingerprints("x", [1, 2, 3])
        b.add_fingerprints("x", [1, 2, 3])
        b.add_fingerprints("y", [1, 2])
        c.add_fingerprints("x", [1, 2, 9])
        shards = fpdb.MultiDatabase({"b": b, "a": a, "c": c})
        listed = [(match.name, match.database) for match in shards.query_fingerprints([1, 2, 3]).matches]
        assert listed == [("x", "b"), ("x", "a"), ("x", "c"), ("y", "b")]
        asked = {"name": "x", "digest": a.digest("x"), "by": "weighted_containment"}
        found = shards.query_fingerprints([1, 2, 3], **asked)
        assert [(match.name, match.database) for match in found.matches] == [("x", "c"), ("y", "b")]
        a.add("essay", PROSE)
        assert shards.holds("essay", PROSE)
        assert not shards.holds("essay", OTHER)
        assert not shards.holds("other", PROSE)


def test_shards_follow_what_is_committed_and_compacted(tmp_path):
    with fpdb.open(tmp_path / "a") as a, fpdb.open(tmp_path / "b") as b:
        shards = fpdb.MultiDatabase({"a": a, "b": b})
        for number in range(6):
            a.add_fingerprints(f"{number}", [1, 2, number + 10])
        assert len(shards.query_fingerprints([1]).matches) == 6
        b.add_fingerprints("form", [1], boilerplate=True)
        assert not shards.query_fingerprints([1]).matches
        assert shards.query_fingerprints([2]).matches[0].reverse_containment == 0.5
        a.remove("0")
        a.compact()
        assert [match.name for match in shards.query_fingerprints([2, 13]).matches] == ["3", "1", "2", "4", "5"]
        assert shards.query_fingerprints([2]).matches[0].reverse_containment == 0.5
        b.remove("form")
        assert len(shards.query_fingerprints([1]).matches) == 5


def test_what_cannot_be_asked_together(tmp_path, monkeypatch):
    recipe = fpdb.Recipe.preset()
    for name, other in (("a", recipe), ("b", recipe.with_(k=20)), ("c", recipe.with_(max_df=4)), ("d", recipe)):
        with fpdb.open(tmp_path / name, recipe=other) as db:
            db.add_fingerprints("x", [1])
    paths = {name: tmp_path / name for name in "abcd"}
    with pytest.raises(fpdb.RecipeMismatch, match="the rule for characters"):
        fpdb.open_all([paths["a"], paths["b"]])
    with pytest.raises(fpdb.RecipeMismatch, match="max_df"):
        fpdb.open_all([paths["a"], paths["c"]])
    with pytest.raises(ValueError, match="given twice"):
        fpdb.open_all([paths["a"], tmp_path / "." / "a"])
    with pytest.raises(ValueError, match="at least one"):
        fpdb.open_all([])
    with pytest.raises(fpdb.NoSuchDatabase):
        fpdb.open_all([paths["a"], tmp_path / "none"])
    with fpdb.open_all([paths["a"], paths["d"]]) as shards:  # whatever failed before has closed what it had opened
        assert [match.database for match in shards.query_fingerprints([1]).matches] == [
            str(paths["a"]),
            str(paths["d"]),
        ]
        monkeypatch.setattr(file_format, "FIRST_BOILERPLATE", 1)
        with pytest.raises(fpdb.Error, match="too many for one query"):
            len(shards)
    with pytest.raises(fpdb.Error, match="closed"):
        len(shards)
