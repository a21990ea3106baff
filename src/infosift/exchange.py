"""One column in place of two: mends a search that took two poor copies before it could know of a better one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from infosift._kernel import CATEGORY_GAP
from infosift.arrays import FloatArray
from infosift.evidence import Exchange
from infosift.examiner import Examiner
from infosift.groups import Unit

# Columns with a rank correlation of at least this may stand for each other.
_ALIKE = 0.9
_MOST_STAND_INS = 5
# Tests of exchanges draw from streams beyond those of the search and the pruning.
_FIRST_STEP = 2_000_000


class Exchanger:
    """Looks for a column that tells as much as two chosen ones which are nearly the same."""

    def __init__(self, examiner: Examiner) -> None:
        self.examiner, self.table = examiner, examiner.bench.table
        self._numbers = [
            unit
            for unit in self.table.units
            if len(unit.columns) == 1 and self.table.columns[unit.columns[0]].max() < CATEGORY_GAP
        ]
        self._tests = 0

    def find(self, chosen: list[Unit]) -> tuple[list[Unit], Exchange] | None:
        """Return the chosen units after the first exchange that can be made, and what it was."""
        numbers = [unit for unit in chosen if unit in self._numbers]
        if len(numbers) < 2:
            return None
        likeness = {unit: self._likeness(unit) for unit in numbers}
        for pair in combinations(numbers, 2):
            if likeness[pair[0]][self._numbers.index(pair[1])] < _ALIKE:
                continue
            rest = [unit for unit in chosen if unit not in pair]
            stand_in = self._stand_in(pair, rest, np.minimum(likeness[pair[0]], likeness[pair[1]]))
            if stand_in is not None and self._explains_as_much([*rest, stand_in], chosen):
                p_of_pair = self._p_value([*rest, stand_in], list(pair))
                p_value = self._p_value(rest, [stand_in])
                if p_of_pair > self.examiner.settings.alpha >= p_value:
                    place = chosen.index(pair[0])
                    after = [stand_in if i == place else unit for i, unit in enumerate(chosen)]
                    after.remove(pair[1])
                    return after, Exchange(stand_in.name, (pair[0].name, pair[1].name), p_value)
        return None

    def _explains_as_much(self, units: list[Unit], chosen: list[Unit]) -> bool:
        return self.examiner.unexplained_by(units) <= self.examiner.unexplained_by(chosen)

    def _likeness(self, unit: Unit) -> FloatArray:
        """Return the absolute rank correlation of a unit with every column of numbers."""
        columns = self.table.columns
        ranks = rankdata(columns[[other.columns[0] for other in self._numbers]], axis=1)
        own = rankdata(columns[unit.columns[0]])
        return np.asarray(np.abs(_standard(ranks) @ _standard(own[None])[0]))

    def _stand_in(self, pair: tuple[Unit, Unit], rest: list[Unit], likeness: FloatArray) -> Unit | None:
        others = [
            (round(float(likeness[i]), 9), self.table.digest(unit), unit)
            for i, unit in enumerate(self._numbers)
            if likeness[i] >= _ALIKE and unit not in (*pair, *rest) and unit.columns[0] not in self.examiner.kept
        ]
        likest = [
            unit for _, _, unit in sorted(others, key=lambda other: other[:2], reverse=True)[:_MOST_STAND_INS]
        ]
        return min(likest, key=lambda unit: self.examiner.unexplained_by([*rest, unit]), default=None)

    def _p_value(self, given: list[Unit], asked: list[Unit]) -> float:
        step, self._tests = _FIRST_STEP + self._tests, self._tests + 1
        return self.examiner.p_value(asked, given, step, "looking for one column in place of two", thorough=False)


def _standard(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).sum(axis=1, keepdims=True)))
