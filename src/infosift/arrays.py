"""Array types used throughout; a column of the table is a row of a 2-D array, so that each is contiguous."""

from __future__ import annotations

from typing import Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

# Numbers that decide an order are rounded to so many digits: what differs by rounding alone is then a tie, and
# ties are broken alike whatever the order of columns, the blocks and the number of threads.
DIGITS = 9


class ColumnArray(Protocol):
    """The columns of a table (columns x rows): a NumPy array, or columns held by workers and fetched on demand.

    ``columns[positions]`` and ``columns[start:stop]`` are arrays of the columns at these positions;
    ``columns[:, rows]`` are all columns in some of the rows, held where the columns are.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of columns, and of rows."""
        ...

    def __len__(self) -> int:
        """Return the number of columns."""
        ...

    @overload
    def __getitem__(self, key: slice | list[int], /) -> FloatArray: ...

    @overload
    def __getitem__(self, key: tuple[slice, IntArray], /) -> ColumnArray: ...
