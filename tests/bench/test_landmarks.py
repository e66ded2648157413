"""Excerpts of tracks are found at their offsets, and shuffled tracks are not."""

from bench.landmarks import simulate


def test_excerpts_are_found_and_shuffled_tracks_are_not(tmp_path):
    outcome = simulate(tmp_path, 20)
    assert (outcome.found, outcome.false) == (20, 0)
