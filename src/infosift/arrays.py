"""Array types used throughout; a column of the table is a row of a 2-D array, so that each is contiguous."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

# Numbers that decide an order are rounded to so many digits: what differs by rounding alone is then a tie, and
# ties are broken alike whatever the order of columns, the blocks and the number of threads.
DIGITS = 9
