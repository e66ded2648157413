"""Row 16: a disk that loses a write, so that a page has the content of some commits ago, never changes an answer."""

from collections import Counter

import numpy as np
import pytest

from tests.storage import lost_writes

COMMITS = 60
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_a_lost_write_is_refused_or_makes_no_difference(tmp_path, amount, figure, part):
    wanted = amount(10, 5_000)
    judged = Counter()
    rng = np.random.default_rng(part)
    for history in range(10**6):
        path = tmp_path / f"{history}.fpdb"
        states, answered = lost_writes.write_history(path, amount(20, COMMITS), seed=PARTS * history + part)
        pages = list(lost_writes.outdated_pages(states))
        for index in rng.permutation(len(pages)).tolist()[: wanted - judged.total()]:
            judged[lost_writes.judge(tmp_path / "x.fpdb", states[-1], answered, *pages[index])] += 1
        path.unlink()
        if judged.total() >= wanted:
            break
    assert set(judged) == {"right", "refused"}
    words = f"{judged['refused']} refused, {judged['right']} right, none wrong"
    figure(16, f"states with a page of an earlier commit, part {part + 1}", f"{judged.total()}: {words}")
