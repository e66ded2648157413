"""Documents that come one by one are put together; chunks stay what they are."""

from hypothesis import given
from hypothesis import strategies as st

import fpdb
from fpdb.ingest import chunks
from fpdb.ingest.chunks import ListChunk, chunked, estimate_work
from fpdb.ingest.files import InputDocument, Skipped

ITEMS = st.one_of(
    st.builds(InputDocument, st.text(max_size=3), size=st.integers(0, chunks.CHUNK_BYTES)),
    st.builds(Skipped, st.text(max_size=3), st.just("why")),
    st.builds(ListChunk, st.just([Skipped("in a chunk", "why")])),
)


@given(st.lists(ITEMS, max_size=30), st.integers(1, 5))
def test_all_items_come_in_order(items, limit):
    made = list(chunked(items, limit))
    flat = [item for item in items for item in (item.items if isinstance(item, ListChunk) else [item])]
    assert [item for chunk in made for item in chunk.documents()] == flat
    for chunk in made:
        if any(chunk is item for item in items):
            continue
        own = [item for item in chunk.documents() if isinstance(item, InputDocument)]
        assert chunk.input_bytes == sum(document.size for document in own)
        assert len(list(chunk.documents())) <= limit
        assert all(document.size < chunks.CHUNK_BYTES for document in own[:-1])


def test_work_is_counted_in_bytes_of_text():
    documents = [InputDocument("a", size=10), InputDocument("a.py", size=10, kind="auto"), Skipped("b", "why")]
    assert estimate_work(ListChunk(documents), fpdb.Recipe.preset("code")) == 10 + 8 * 10
