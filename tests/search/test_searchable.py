"""A database, and several databases as one, are asked alike: each answer follows from a plain dict of documents."""

from collections import Counter
from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from tests.regions.documents import words

CONTENTS = [" ".join(words(seed, 40)) for seed in range(4)]
NAMES = st.sampled_from(["a", "b", "ä\udcff"])
documents = st.dictionaries(NAMES, st.tuples(st.sampled_from(CONTENTS), st.booleans()))


def opened(stack, folder, several):
    """Return a Searchable of each database: of the only one, or of all together."""
    databases = {name: stack.enter_context(fpdb.open(folder / name)) for name in several}
    for name, contents in several.items():
        with databases[name].batch() as batch:
            for document, (content, boilerplate) in contents.items():
                batch.add(document, content, boilerplate=boilerplate)
    return databases, fpdb.MultiDatabase(databases) if len(databases) > 1 else next(iter(databases.values()))


@settings(max_examples=12)
@given(st.lists(documents, min_size=1, max_size=3))
def test_answers_are_those_of_a_dict(tmp_path_factory, stored):
    several = {f"{number}.fpdb": contents for number, contents in enumerate(stored)}
    plain = [(name, content) for contents in stored for name, (content, discarded) in contents.items() if not discarded]
    with ExitStack() as stack:
        databases, searchable = opened(stack, tmp_path_factory.mktemp("searchable"), several)
        hashes = {text: set(searchable.recipe.fingerprint(text).hashes.tolist()) for text in CONTENTS}
        assert len(searchable) == len(plain)
        for content in CONTENTS:
            for name in ("a", "b", "ä\udcff", "none"):
                assert searchable.holds(name, content) == ((name, content) in plain)
        counts = Counter(hash_ for _, content in plain for hash_ in hashes[content])
        asked = sorted(set().union(*hashes.values()))
        assert searchable.frequencies(np.array(asked, np.uint64)).tolist() == [counts[hash_] for hash_ in asked]
        queries = [("a", CONTENTS[0]), (None, CONTENTS[1]), ("\ud800", CONTENTS[2]), ("b", CONTENTS[3])]
        for query, answer in zip(queries, searchable.queries(queries), strict=True):
            if query[0] == "\ud800":
                assert isinstance(answer, fpdb.BadName)
            else:
                assert answer == searchable.query(query[1], name=query[0])
                for match in answer:
                    among = several[match.database] if len(several) > 1 else stored[0]
                    assert match.identical == (True if among[match.name][0] == query[1] else None)
                    assert (match.database is None) == (len(several) == 1)
        assert all(db.check() == [] for db in databases.values())


@pytest.mark.parametrize("count", [1, 2])
def test_the_block_closes_all_databases(tmp_path, count):
    for number in range(count):
        fpdb.open(tmp_path / f"{number}").close()
    paths = [str(tmp_path / f"{number}") for number in range(count)]
    with fpdb.open_all(paths) if count > 1 else fpdb.open(paths[0], "r") as searchable:
        opener = searchable.opener()
    with pytest.raises(fpdb.Error):
        len(searchable)
    with opener() as again:
        assert len(again) == 0
