from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

def lines(
    heads: Sequence[bytes],
    names: Sequence[bytes],
    which: NDArray[np.intp],
    shared: I64,
    containment: F64,
    reverse: F64,
    resemblance: F64,
    bounds: I64,
) -> list[bytes]: ...
