"""Pairs of features that are informative only together: tested when no single feature passes."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.data.feature_groups import Unit
from infosift.engines.base import Question
from infosift.engines.blas import on_one_thread
from infosift.significance.drawn_scores import DrawnScores, mean_over_versions

# All pairs of ten columns; of more columns, the most promising. The more rows, the more a pair costs beside a
# single column: beyond some, all pairs of ten would cost more than ten times as much as the ten one by one.
_ALL_PAIRS = 45
_MOST_ROWS_OF_ALL_PAIRS = 400
_PROMISING_PAIRS = 12
# Beyond as many columns, not all are paired: the cost of all pairs would outgrow that of the columns one by one.
_MOST_COLUMNS = 2000
_ROWS_AT_ONCE = 128
_DIGITS = 9


class DrawnPairScores:
    """The largest score of any pair of single features in each draw.

    Of many features, only the pairs whose products correlate best with the residual of the target are scored. They
    are found anew in every draw, so that the data have no advantage over the surrogates.
    """

    def __init__(self, singles: DrawnScores) -> None:
        self._drawn = singles
        self.singles = [unit for unit in singles.units if len(unit.columns) == 1]
        self._places = [singles.members.index(unit.columns[0]) for unit in self.singles]
        self._wanted = singles.wanted - singles.wanted.mean(axis=1, keepdims=True)
        self.best: tuple[Unit, Unit] | None = None

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x 1 x scores) of the largest scores of any pair; remember the best of draw 0."""
        bench, parts = self._drawn.bench, self._drawn.parts
        targets = [version for part in parts for version in part]
        purpose = f"{self._drawn.purpose} in pairs, {draws[-1]} surrogates"
        bench.reporter.begin(purpose, len(draws) * self._n_pairs * len(targets))
        best = []
        for draw in draws:
            copies = self._drawn.copies(draw)[self._places]
            pairs = self._promising(copies)
            firsts = sorted({i for i, _ in pairs})
            partners = {i: [j for first, j in pairs if first == i] for i in firsts}
            questions = [
                Question(copies, copies[i : i + 1], target, partners[i]) for target in targets for i in firsts
            ]
            answers = bench.criterion.score(questions, bench.values, bench.engine)
            starts = range(0, len(answers), len(firsts))
            by_target = [np.concatenate(answers[start : start + len(firsts)]) for start in starts]
            scores = mean_over_versions(by_target, parts.shape[1])
            best.append(scores.max(axis=0))
            if draw == 0:
                listed = [(i, j) for i in firsts for j in partners[i]]
                i, j = listed[int(np.argmax(scores.max(axis=1)))]
                self.best = (self.singles[i], self.singles[j])
        return np.stack(best)[:, None, :]

    @property
    def _n_pairs(self) -> int:
        count = len(self.singles) * (len(self.singles) - 1) // 2
        few_rows = self._drawn.bench.table.n_rows <= _MOST_ROWS_OF_ALL_PAIRS
        most = _ALL_PAIRS if few_rows else _PROMISING_PAIRS
        return count if count <= most else _PROMISING_PAIRS

    def _promising(self, copies: FloatArray) -> list[tuple[int, int]]:
        if self._n_pairs == _PROMISING_PAIRS:
            return promising_pairs(copies, self._wanted, _PROMISING_PAIRS)
        return list(combinations(range(len(copies)), 2))


def promising_pairs(columns: FloatArray, wanted: FloatArray, count: int) -> list[tuple[int, int]]:
    """Return the pairs of columns whose products, of values or squares, go best with any of what is wanted.

    Of equal pairs the first are taken. Only some rows of the matrix of all pairs are in memory at a time.
    """
    forms = [_standard(columns), _standard(_standard(columns) ** 2)]
    kept = _promising_columns(forms, wanted)
    forms = [form[kept] for form in forms]
    fits, firsts, seconds = np.empty(0), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    for start in range(0, len(kept) - 1, _ROWS_AT_ONCE):
        fit = _fit_of_pairs(forms, wanted, start)
        at_least = fits[-1] - 10.0**-_DIGITS if len(fits) == count else 0.0
        i, j = np.nonzero(np.triu(fit >= at_least, k=1))
        fits = np.concatenate([fits, np.round(fit[i, j], _DIGITS)])
        firsts, seconds = np.concatenate([firsts, start + i]), np.concatenate([seconds, start + j])
        best = np.argsort(-fits, kind="stable")[:count]
        fits, firsts, seconds = fits[best], firsts[best], seconds[best]
    return sorted(zip(kept[firsts].tolist(), kept[seconds].tolist(), strict=True))


def _fit_of_pairs(forms: list[FloatArray], wanted: FloatArray, start: int) -> FloatArray:
    """Return how well some columns, from ``start`` on, go with all from there on."""
    fit = np.zeros(())
    with on_one_thread():
        for target, first, second in product(wanted, forms, forms):
            one = np.abs((first[start : start + _ROWS_AT_ONCE] * target) @ second[start:].T)
            fit = np.maximum(fit, one, out=one)
    return fit


def _promising_columns(forms: list[FloatArray], wanted: FloatArray) -> IntArray:
    """Return the positions of the columns to pair: all, or of very many those that go best with what is wanted."""
    if len(forms[0]) <= _MOST_COLUMNS:
        return np.arange(len(forms[0]))
    with on_one_thread():
        fit = np.max([np.abs(form @ target) for form in forms for target in wanted], axis=0)
    return np.sort(np.argsort(-np.round(fit, _DIGITS), kind="stable")[:_MOST_COLUMNS])


def _standard(columns: FloatArray) -> FloatArray:
    centred = columns - columns.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.asarray(centred / np.where(spread > 0, spread, 1))
