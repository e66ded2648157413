"""Counts of batches add up, and lists of names end."""

from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from fpdb.ingest import load_summary
from fpdb.ingest.load_summary import LoadSummary

COUNTS = ("added", "replaced", "unchanged", "duplicates", "shorts", "texts", "bytes", "postings")
SUMMARIES = st.builds(
    LoadSummary, **dict.fromkeys(COUNTS, st.integers(0, 9)), too_short=st.lists(st.sampled_from("abc"), max_size=5)
)


@given(st.lists(SUMMARIES, max_size=4))
def test_a_summary_is_the_sum_of_its_batches(batches):
    whole = LoadSummary(interrupted=True)
    for batch in batches:
        before = asdict(batch)
        whole.include(batch)
        assert asdict(batch) == before
    expected = {name: sum(getattr(batch, name) for batch in batches) for name in COUNTS}
    names = [name for batch in batches for name in batch.too_short]
    assert asdict(whole) == asdict(LoadSummary(**expected, too_short=names, interrupted=True))


def test_no_more_names_are_listed_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(load_summary, "LISTED", 3)
    whole = LoadSummary(too_short=["a", "b"])
    for _ in range(2):
        whole.include(LoadSummary(too_short=["c", "d"], shorts=2))
    assert (whole.too_short, whole.shorts) == (["a", "b", "c"], 4)
