"""Look-ups of some hashes give what a scan of all postings gives, and are made only where they can."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import access_path
from fpdb.pairs.access_path import hashes_to_look_up
from fpdb.pairs.compared_set import read_compared_set
from fpdb.pairs.options import PairOptions
from fpdb.storage import posting_scan, snapshot
from fpdb.storage.sizes import SizeTable
from tests.pairs.reference_pairs import hashes, labelled, names

chosen = st.fixed_dictionaries(
    {"max_df": st.sampled_from([0, 2, 4, 6, 8])},
    optional={
        "new": st.sampled_from([("term", "1"), ("term", "3")]),
        "labels": st.just({"owner": "1"}),
        "exclude_names": st.just("a*"),
        "owners": st.just("path:1"),
        "few": st.just(0),
    },
)


@given(st.lists(st.lists(st.tuples(names, hashes, labelled), max_size=8), max_size=4), st.sets(names), hashes, chosen)
@settings(max_examples=10, deadline=None)
def test_a_look_up_gives_what_a_scan_gives(tmp_path_factory, history, removed, boilerplate, options):
    """Of some documents, of which some are new, after replacements and removals in several runs."""
    with fpdb.open(tmp_path_factory.mktemp("pairs") / "t.fpdb") as db, pytest.MonkeyPatch.context() as patch:
        for commit in history:
            with db.batch() as batch:
                for name, held, labels in commit:
                    batch.add_fingerprints(name, held, labels=labels)
        for name in removed.intersection(db.names()):
            db.remove(name)
        db.add_fingerprints("boilerplate", boilerplate[:2], boilerplate=True)
        patch.setattr(snapshot, "FREQUENT", 2)
        patch.setattr(posting_scan, "LOOKED_UP", 3)
        told = []
        for cost in (0, 10**9):
            patch.setattr(access_path, "SCANNED_PER_LOOK_UP", cost)
            found = db.pairs(**options), db.drop_list(**options)
            told.append([(list(results), results.ignored, results.held_back) for results in found])
        assert told[0] == told[1]
        assert db.check() == []


@pytest.fixture
def old_and_new(db):
    """Add a new document to 39 old ones: each holds a hash of its own, and two of all; the old ones another one."""
    with db.batch() as batch:
        for number in range(40):
            held = [number, 100, 200] + [300] * (number < 39)
            batch.add_fingerprints(f"{number:02}", held, labels={"term": str(number // 39), "owner": "x"})
    return db


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {39, 100, 200}),
        ({"max_df": 40}, {39, 100, 200}),
        ({"max_df": 39}, {39, 100, 200, 300}),
        ({"max_df": 40, "labels": {"term": "0"}, "names": "0[0-2]", "new": None}, {0, 1, 2, 100, 200, 300}),
        ({"new": None}, None),
        ({"new": ("term", "0")}, None),
        ({"max_df": 2}, None),  # which so many hashes may have that a scan is faster
        ({"by": "similarity"}, None),
        ({"by": "weighted_resemblance"}, None),
        ({"owners": "label:owner", "by_owner": True}, None),
    ],
)
def test_hashes_are_looked_up_where_few_documents_are_new(old_and_new, options, expected):
    asked = PairOptions(**{"new": ("term", "1")} | options)
    with old_and_new.snapshot() as reader:
        found = hashes_to_look_up(reader, read_compared_set(reader, asked), asked, asked.max_df or 0)
    assert (found if found is None else set(found.tolist())) == expected


def test_documents_that_hold_boilerplate_of_texts_need_all_postings(old_and_new):
    asked = PairOptions(new=("term", "1"))
    old_and_new.add_fingerprints("own", [200], boilerplate=True)  # without a place in a text
    with old_and_new.snapshot() as reader:
        found = hashes_to_look_up(reader, read_compared_set(reader, asked), asked, 0)
        assert found is not None
        assert found.tolist() == [39, 100]
    old_and_new.add("text", "A footer that stands below all of these pages, and then much more that does not.")
    old_and_new.add("footer", "A footer that stands below all of these pages,", boilerplate=True)
    with old_and_new.snapshot() as reader:
        assert hashes_to_look_up(reader, read_compared_set(reader, asked), asked, 0) is None


@pytest.mark.parametrize("max_df", [0, 39])
@pytest.mark.parametrize("wrong", ["new", "old"])
def test_a_size_below_the_hashes_that_are_found_is_damage(old_and_new, monkeypatch, wrong, max_df):
    """A forged size made containments of 11, and sizes of four billion hashes."""
    set_sizes = SizeTable.set

    def set_too_small(table, first_id, sizes):
        sizes["hashes"] = 1
        set_sizes(table, first_id, sizes)

    options = {"new": ("term", "1"), "max_df": max_df, "owners": "path:1"}
    assert len(list(old_and_new.pairs(**options))) == (0 if max_df else 39)
    monkeypatch.setattr(SizeTable, "set", set_too_small)
    old_and_new.add_fingerprints("wrong", [7, 100, 200, 300], labels={"term": "1" if wrong == "new" else "0"})
    with pytest.raises(fpdb.Corrupt, match="more hashes than its size says"):
        list(old_and_new.pairs(**options))
    old_and_new.remove("wrong")
