"""A stored document is asked for by its content, or by its hashes where its content cannot be read."""

import pytest

import fpdb
from tests.cli.prose import prose

TEXTS = {"a": prose(1, 300), "b": prose(1, 150) + prose(2, 200), "c": prose(2, 300), "d": prose(3, 300)}


def test_a_stored_document_is_a_query_that_does_not_find_itself(db):
    for name, text in TEXTS.items():
        db.add(name, text)
    given = {"texts": lambda document: TEXTS[document.name]}
    for name, text in TEXTS.items():
        matches = db.query(text, name=name).matches
        assert db.query_stored(name, **given).matches == db.query_stored(name).matches == matches
        assert name not in [match.name for match in matches]
        assert db.query_stored(name, include_self=True).matches[0].name == name
        with pytest.raises(fpdb.Unreadable):
            db.query_stored(name, regions=True)
        shown = db.query_stored(name, regions=True, **given).matches
        assert [match.name for match in shown] == [match.name for match in matches]
        assert all(match.regions for match in shown)
