"""Few alignments cut each shared fingerprint, as all would, and documents are counted, aligned or not."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

import fpdb
from fpdb.pairs import passage_finder

RECIPE = fpdb.Recipe.preset("text").with_(k=5, w=3)
PIECES = [random.Random(number).randbytes(12).hex() for number in range(8)]
documents = st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), min_size=2, max_size=9)


def spans_of(folder, contents):
    with fpdb.open(folder / f"{len(list(folder.iterdir()))}.fpdb", recipe=RECIPE) as db:
        with db.batch() as batch:
            for number, content in enumerate(contents):
                batch.add(f"{number}", content, kind="text", keep_text=True)
        spans = list(db.spans())
        assert db.check() == []
    return spans


def shared_symbols(contents):
    """Return the documents and symbols of fingerprints that an earlier document has; each letter is a symbol."""
    k, seen, shared = RECIPE.rules["characters"].k, set(), set()
    for number, content in enumerate(contents):
        found = RECIPE.fingerprint(content, "text")
        fingerprints = list(zip(found.hashes.tolist(), found.positions.tolist(), strict=True))
        shared |= {
            (f"{number}", at) for hash_, start in fingerprints if hash_ in seen for at in range(start, start + k)
        }
        seen |= {hash_ for hash_, _ in fingerprints}
    return shared


def symbols_of(spans):
    return {(span.name, at) for span in spans for at in range(span.start, span.end)}


@given(documents, st.sampled_from([1, 40, 1 << 24]))
@settings(max_examples=30, deadline=None)
def test_few_alignments_find_what_all_find(tmp_path_factory, contents, cached):
    folder = tmp_path_factory.mktemp("spans")
    kept = passage_finder.ALIGNED_FIRST, passage_finder.MAX_CACHED
    try:
        passage_finder.ALIGNED_FIRST = len(contents)
        full = spans_of(folder, contents)
        passage_finder.ALIGNED_FIRST, passage_finder.MAX_CACHED = 1, cached
        few = spans_of(folder, contents)
    finally:
        passage_finder.ALIGNED_FIRST, passage_finder.MAX_CACHED = kept
    assert shared_symbols(contents) <= symbols_of(few) <= symbols_of(full)


def test_documents_that_were_not_aligned_are_counted(tmp_path, monkeypatch):
    """Of two passages with one of the author's own between them, each is counted by itself."""
    monkeypatch.setattr(passage_finder, "ALIGNED_FIRST", 1)
    first, second, *own = PIECES
    both = [first + own[0] + second, first + own[1], first + own[2], second + own[3], second + own[4], own[5] + second]
    last = first + own[0][::-1] + second
    found = {(span.start, span.end): span.documents for span in spans_of(tmp_path, [*both, last]) if span.name == "6"}
    assert found == {(0, 24): 3, (48, 72): 4}
