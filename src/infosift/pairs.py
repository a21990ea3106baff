"""Pairs of columns that matter only together: looked at when no single column passes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray
from infosift.contest import Contest
from infosift.engine import Question
from infosift.groups import Unit
from infosift.residuals import class_indicators

# All pairs of ten columns; of more columns, the most promising.
_ALL_PAIRS = 45
_PROMISING_PAIRS = 12
_DIGITS = 9


class PairContest:
    """The best pair of single columns in each draw of a contest.

    Of many columns, only the pairs whose products go best with what is left of the target are scored. They are
    found anew in every draw, so that the data have no advantage over the surrogates.
    """

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.singles = [unit for unit in contest.units if len(unit.columns) == 1]
        self._places = [contest.members.index(unit.columns[0]) for unit in self.singles]
        parts = [class_indicators(t) if t.max() >= CATEGORY_GAP else t[None] for t in contest.target]
        self._wanted = np.concatenate(parts)
        self._wanted = self._wanted - self._wanted.mean(axis=1, keepdims=True)
        self.best: tuple[Unit, Unit] | None = None

    def scores(self, draws: range) -> FloatArray:
        """Return an array (draws x 1 x scores) of the largest scores of any pair; remember the best of draw 0."""
        bench, alone = self.contest.bench, self.contest.parts
        purpose = f"{self.contest.purpose} in pairs, {draws[-1]} surrogates"
        bench.reporter.begin(purpose, len(draws) * self._n_pairs * len(alone))
        best = []
        for draw in draws:
            copies = self.contest.copies(draw)[self._places]
            pairs = self._promising(copies)
            firsts = sorted({i for i, _ in pairs})
            partners = {i: [j for first, j in pairs if first == i] for i in firsts}
            questions = [Question(copies, copies[i : i + 1], part, partners[i]) for part in alone for i in firsts]
            answers = bench.criterion.score(questions, bench.neighbors, bench.engine)
            by_part = [answers[p * len(firsts) : (p + 1) * len(firsts)] for p in range(len(alone))]
            scores = np.concatenate([np.concatenate(part) for part in by_part], axis=1)
            best.append(scores.max(axis=0))
            if draw == 0:
                listed = [(i, j) for i in firsts for j in partners[i]]
                i, j = listed[int(np.argmax(scores.max(axis=1)))]
                self.best = (self.singles[i], self.singles[j])
        return np.stack(best)[:, None, :]

    @property
    def _n_pairs(self) -> int:
        count = len(self.singles) * (len(self.singles) - 1) // 2
        return count if count <= _ALL_PAIRS else _PROMISING_PAIRS

    def _promising(self, copies: FloatArray) -> Sequence[tuple[int, int]]:
        count = len(copies)
        i, j = np.triu_indices(count, k=1)
        if len(i) <= _ALL_PAIRS:
            return list(zip(i.tolist(), j.tolist(), strict=True))
        forms = [_standard(copies), _standard(_standard(copies) ** 2)]
        with threadpool_limits(1):
            fits = [np.abs((a * wanted) @ b.T) for wanted in self._wanted for a in forms for b in forms]
        fit = np.round(np.max(fits, axis=0), _DIGITS)
        promise = np.maximum(fit, fit.T)[i, j]
        chosen = np.sort(np.argsort(-promise, kind="stable")[:_PROMISING_PAIRS])
        return list(zip(i[chosen].tolist(), j[chosen].tolist(), strict=True))


def _standard(columns: FloatArray) -> FloatArray:
    centred = columns - columns.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.asarray(centred / np.where(spread > 0, spread, 1))
