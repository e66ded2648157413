"""Find excerpts of simulated tracks by landmarks: hashes of which an excerpt has lost some, among others of its own.

    python -m bench.landmarks [TRACKS]

Landmarks, as of audio, are hashes with a time. Of each track an excerpt is asked for that has lost 30% of its landmarks
and has as many others; then the track with its landmarks in another order. Half of all landmarks are of a small
vocabulary, so that tracks share many.
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fpdb

LENGTH, EXCERPT = 1000, 200  # landmarks
LOST, NOISE = 0.3, 0.3
VOCABULARY = 5000
THRESHOLD = 20  # landmarks that agree on an offset


class Outcome(NamedTuple):
    """Counts of tracks: found first at the right offset; shuffled and yet found at or above the threshold."""

    tracks: int
    found: int
    false: int
    least_aligned: int  # of those that were found
    most_aligned: int  # of those that were shuffled


def simulate(folder: Path, tracks: int, seed: int = 1) -> Outcome:
    """Make tracks, ask for excerpts and for shuffled tracks, and count."""
    rng = np.random.default_rng(seed)
    vocabulary = rng.integers(0, 2**64, VOCABULARY, np.uint64)
    hashes = np.where(
        rng.random((tracks, LENGTH)) < 0.5,
        rng.choice(vocabulary, (tracks, LENGTH)),
        rng.integers(0, 2**64, (tracks, LENGTH), np.uint64),
    )
    times = np.cumsum(rng.integers(0, 4, (tracks, LENGTH)), axis=1)  # some at the same time
    names = [f"track {number}" for number in range(tracks)]
    with fpdb.open(folder / "landmarks.fpdb", "x") as db:
        db.add_columns(names, np.arange(tracks + 1) * LENGTH, hashes.reshape(-1), times.reshape(-1))
        found, false, aligned, shuffled_aligned = 0, 0, [0], [0]
        for name, track, track_times in zip(names, hashes, times, strict=True):
            start = int(rng.integers(0, LENGTH - EXCERPT))
            offset = int(track_times[start])
            excerpt = distort(rng, track[start : start + EXCERPT], track_times[start : start + EXCERPT] - offset)
            (best,) = db.query_fingerprints(*excerpt, top=1)
            if (best.name, best.offset) == (name, offset) and (best.aligned or 0) >= THRESHOLD:
                found += 1
                aligned.append(best.aligned or 0)
            (best,) = db.query_fingerprints(rng.permutation(track), track_times, top=1)
            false += (best.aligned or 0) >= THRESHOLD
            shuffled_aligned.append(best.aligned or 0)
    return Outcome(tracks, found, false, min(aligned[1:], default=0), max(shuffled_aligned))


def distort(
    rng: np.random.Generator, hashes: NDArray[np.uint64], times: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return an excerpt without some of its landmarks, and with others."""
    kept = rng.random(len(hashes)) >= LOST
    count = round(NOISE * len(hashes))
    noise = rng.integers(0, 2**64, count, np.uint64), rng.integers(0, times[-1] + 1, count)
    return np.concatenate([hashes[kept], noise[0]]), np.concatenate([times[kept], noise[1]])


def main(tracks: int = 1000) -> None:
    """Print the counts."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = simulate(Path(folder), tracks)
    print(f"{outcome.found} of {tracks} excerpts found first, at their offset; at least {outcome.least_aligned} agree")
    print(f"{outcome.false} of {tracks} shuffled tracks reach {THRESHOLD}; at most {outcome.most_aligned} agree")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
