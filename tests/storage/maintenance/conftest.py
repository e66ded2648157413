"""A varied database, made once for each file of tests."""

import pytest

from tests.storage import varied_database


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Return the bytes of a varied database, its documents by name, and its postings by document."""
    return varied_database.make(tmp_path_factory.mktemp("original"))
