"""Documents are listed by patterns of names."""

from fnmatch import fnmatchcase

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.documents.listing import list_documents, list_names

NAMES = st.text("ab*?[]\udcff", min_size=1, max_size=4)


@given(st.sets(NAMES, max_size=8), st.text("ab*?[]!-\udcff\ud800", max_size=4))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_pattern_lists_the_names_that_match(tmp_path_factory, names, glob):
    with fpdb.open(tmp_path_factory.mktemp("names") / "t.fpdb") as db:
        with db.batch() as batch:
            for name in names:
                batch.add_fingerprints(name, [1])
        with db.snapshot() as snapshot:
            listed = [document.name for document in list_documents(snapshot, glob)]
            named = list(list_names(snapshot, glob))
    ordered = sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"))
    assert listed == named == [name for name in ordered if fnmatchcase(name, glob)]
