"""Fixtures for tests of pairs."""

import numpy as np
import pytest


@pytest.fixture
def crowd(rng):
    """40 documents of 0 to 60 hashes, common ones more common; names that collide in beginnings, of several folders."""
    pool = rng.integers(0, 2**64 - 1, 400, np.uint64)
    common = rng.zipf(1.3, (40, 60)) % 400
    return {
        f"{'xyz'[number % 3]}/{number % 7}/{number}": [int(hash_) for hash_ in pool[common[number, : rng.integers(61)]]]
        for number in range(40)
    }
