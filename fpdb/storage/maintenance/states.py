"""What must hold of the state record, by itself and beside the runs there are."""

from __future__ import annotations

from collections.abc import Iterator

from fpdb.storage.runs.blocks import stored_runs
from fpdb.storage.snapshot import Snapshot


def state_problems(view: Snapshot) -> Iterator[str]:
    """One sentence each."""
    state = view.state
    listed = {run.number for run in state.runs}
    written = set(stored_runs(view.blocks))
    if len(listed) != len(state.runs):
        yield "the state lists a run twice"
    for number in sorted(listed - written):
        yield f"run {number} is listed but not there"
    for number in sorted(written - listed):
        if number >= state.next_run:
            yield f"run {number} is there but was never begun"
    for before, after in zip(state.runs, state.runs[1:], strict=False):
        if before.last_id >= after.first_id:
            yield f"runs {before.number} and {after.number} overlap in documents"
    for run in state.runs:
        end = state.next_boilerplate if run.boilerplate else state.next_document
        if not run.first_id <= run.last_id < end or run.number >= state.next_run or not 0 <= run.dead <= run.postings:
            yield f"run {run.number} is described impossibly: {run}"
