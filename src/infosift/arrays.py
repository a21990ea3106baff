"""Names for the array types used throughout: columns are rows of a 2-D array, so that each lies in one piece."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
