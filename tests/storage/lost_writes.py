"""Files in which one page has the content of some commits ago, as a disk leaves it that loses a write."""

import os
import random

import numpy as np

import fpdb

PAGE = 4096


def write_history(path, commits, seed):
    """Make a database of many small changes.

    Returns:
        The bytes of the file after each commit, and what `answers` gives after the last two.
    """
    rng = np.random.default_rng(seed)
    names = random.Random(seed)
    states, answered = [], []
    live = set()
    with fpdb.open(path, "x") as db:
        for commit in range(commits):
            with db.batch() as batch:
                for _ in range(int(rng.integers(1, 6))):
                    name = f"d{names.randrange(40)}"
                    if names.random() < 0.25 and name in live:
                        batch.remove(name)
                        live.remove(name)
                    else:
                        live.add(name)
                        hashes = rng.integers(0, 300, int(rng.integers(1, 30))).astype(np.uint64)
                        batch.add_fingerprints(name, hashes, labels={"commit": str(commit)})
            states.append(path.read_bytes())
            if commit >= commits - 2:
                answered.append(answers(db))
    os.unlink(f"{path}-lock")
    return states, answered


def answers(db):
    """Return what a database says of all that is in it."""
    documents = {document.name: (document.fingerprints, tuple(document.labels.items())) for document in db.documents()}
    found = {}
    for start in range(0, 300, 50):
        answer = db.query_fingerprints(np.arange(start, start + 50, dtype=np.uint64), max_df=None)
        found[start] = sorted((match.name, match.shared, match.containment) for match in answer.matches)
    by_name = {f"d{number}": f"d{number}" in db for number in range(40)}
    return documents, found, by_name, len(db)


def outdated_pages(states):
    """Yield (page number, content) for each older content of each page of the last state, distinct."""
    last = states[-1]
    for number in range(len(last) // PAGE):
        place = slice(number * PAGE, (number + 1) * PAGE)
        older = {state[place] for state in states[:-1] if len(state) >= place.stop} - {last[place]}
        for content in sorted(older):
            yield number, content


def judge(path, last, answered, number, content):
    """Return how a file with an older page answers: "right", "refused", or what is wrong."""
    path.write_bytes(last[: number * PAGE] + content + last[(number + 1) * PAGE :])
    try:
        with fpdb.open(path, "r") as db:
            given = answers(db)
            problems = db.check()
    except fpdb.Error:
        return "refused"
    finally:
        if os.path.exists(f"{path}-lock"):
            os.unlink(f"{path}-lock")
    if given == answered[-1] or (number < 2 and given == answered[-2] and not problems):
        return "right"  # a lost meta page is a commit that was never made
    return "found by check only" if problems else "silently wrong"
