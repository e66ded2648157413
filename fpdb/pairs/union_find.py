"""Connected components by union-find, for arrays of edges."""

import numpy as np

from fpdb.arrays import U32


def connect(roots: U32, a: U32, b: U32) -> None:
    """Connect a[i] with b[i] for all i, in place.

    Args:
        roots: The least number that is connected with each number; at first each number itself; shape (numbers,).
        a: One end of each edge; shape (n,).
        b: The other end; shape (n,).
    """
    while True:
        root_a, root_b = roots[a], roots[b]
        apart = root_a != root_b
        if not apart.any():
            return
        a, b, root_a, root_b = a[apart], b[apart], root_a[apart], root_b[apart]
        np.minimum.at(roots, np.maximum(root_a, root_b), np.minimum(root_a, root_b))
        while not np.array_equal(further := roots[roots], roots):
            roots[:] = further
