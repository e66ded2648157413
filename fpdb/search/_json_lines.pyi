from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fpdb.arrays import F64, I64

def answer_lines(
    heads: Sequence[bytes],
    names: Sequence[bytes],
    matches: tuple[NDArray[np.intp], I64, *tuple[F64, ...]],
    bounds: I64,
) -> list[bytes]: ...
