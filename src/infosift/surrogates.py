"""Columns that keep their tie to a subset and lose all else: what "adds nothing" looks like beside the subset."""

from __future__ import annotations

import numpy as np

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray, IntArray
from infosift.residuals import Smoother, class_indicators
from infosift.streams import stream

_LEAST_PROBABILITY = 1e-3


class Surrogates:
    """Draws copies of columns that depend on a subset as the columns do, and on nothing besides.

    A column of numbers is predicted from the subset, and what is left is shuffled and added back. A column of
    categories is drawn anew from the predicted probabilities of each row. Without a subset, all columns are
    shuffled. All columns of a draw share the shuffle.
    """

    def __init__(self, columns: FloatArray, smoother: Smoother | None, seed: int, step: int) -> None:
        self._columns = columns
        self._is_discrete = columns.max(axis=1) >= CATEGORY_GAP
        self._seed, self._step = seed, step
        self._predicted = np.zeros_like(columns)
        self._chances: dict[int, tuple[FloatArray, FloatArray]] = {}
        if smoother is not None:
            for i, column in enumerate(columns):
                if self._is_discrete[i]:
                    self._chances[i] = _chances(column, smoother)
                else:
                    self._predicted[i] = smoother.predict(column)
        self._left = columns - self._predicted

    def observed(self) -> FloatArray:
        """Return the columns as they are."""
        return self._columns

    def draw(self, number: int, order: IntArray) -> FloatArray:
        """Return a copy of all columns for a shuffled order of the rows."""
        copies = self._predicted + self._left[:, order]
        for i, (categories, bounds) in self._chances.items():
            point = stream(self._seed, "categories", self._step, number).uniform(size=bounds.shape[1])
            copies[i] = categories[np.minimum((point > bounds).sum(axis=0), len(categories) - 1)]
        return np.asarray(copies)


def _chances(column: FloatArray, smoother: Smoother) -> tuple[FloatArray, FloatArray]:
    """Return the categories of a column and, for each row, the running sums of their predicted probabilities."""
    categories = np.unique(column)
    chances = np.stack([smoother.predict(indicator) for indicator in class_indicators(column)])
    chances = np.maximum(chances, _LEAST_PROBABILITY)
    return categories, np.cumsum(chances / chances.sum(axis=0), axis=0)


def residual_targets(target: FloatArray, smoother: Smoother, most_classes: int) -> FloatArray:
    """Return what a subset leaves unexplained of each target; of a discrete one, of being in each class.

    Two classes have one residual; of many, the largest have one each.
    """
    residuals: list[FloatArray] = []
    for column in target:
        parts = column[None, :]
        if column.max() >= CATEGORY_GAP:
            indicators = class_indicators(column)
            largest = np.argsort(-indicators.sum(axis=1), kind="stable")[:most_classes]
            parts = indicators[largest[:1] if len(indicators) == 2 else largest]
        for part in parts:
            residual = part - smoother.predict(part)
            spread = residual.std()
            residuals.append(residual / spread if spread > 0 else residual)
    return np.stack(residuals)
