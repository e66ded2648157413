"""Types of arrays, as annotations name them: the letter is the kind of number, the figure its bits."""

import numpy as np
from numpy.typing import NDArray

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
Bools = NDArray[np.bool_]
