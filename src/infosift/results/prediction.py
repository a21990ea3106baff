"""The second answer of a run: features to predict with, of which only some are shown to matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infosift.arrays import FloatArray
from infosift.results.serialization import Record

if TYPE_CHECKING:
    from infosift.results.selection import Selection


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionSet(Record):
    """Features to predict with: those selected, and those that lower the cross-validated error of generic models.

    Only the selected ones are tested; the others come without any error rate.

    Parameters
    ----------
    names : tuple of str
        The features: those selected, then the others in the order of their source.
    indices : tuple of int
        Their positions.
    selected : tuple of str
        Those of them that are selected, and so tested.
    weights : ndarray
        How much each moves the predictions of an additive model of all, in standard deviations of the target.
        Those of a feature group are the group's; NaN for a feature that cannot be a candidate.
    source : str
        What ordered the others: "relevance alone", "weighed series", "joint lasso" or "all three in turn"; ""
        where there are none.
    sizes : tuple of int
        Numbers of features, first in the order of the source, that were compared by nested cross-validation.
    errors : ndarray
        The mean squared error of generic models with so many features, over that without any.

    Examples
    --------
    >>> import numpy as np
    >>> from infosift import MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = MutualInfoSelector(goal="predict", random_state=0).fit(X, X[:, 1] ** 2)
    >>> selector.selection_.for_prediction.names
    ('x1',)
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    selected: tuple[str, ...]
    weights: FloatArray
    source: str = ""
    sizes: tuple[int, ...] = ()
    errors: FloatArray

    @classmethod
    def of_selected(cls, selection: Selection) -> PredictionSet:
        """Return the selected features alone."""
        names = selection.names
        return cls(
            names=names,
            indices=selection.indices,
            selected=names,
            weights=np.full(len(names), np.nan),
            errors=np.zeros(0),
        )

    @property
    def added(self) -> tuple[str, ...]:
        """Those that are not selected: no test shows that they matter."""
        return tuple(name for name in self.names if name not in self.selected)
