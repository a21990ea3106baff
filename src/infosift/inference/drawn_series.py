"""Series scores of candidates, of the data and of surrogates."""

from __future__ import annotations

import numpy as np

from infosift.arrays import FloatArray
from infosift.inference.candidates import Candidates, DrawnTarget
from infosift.inference.conditional import Conditional
from infosift.inference.max_test import TO_SETTLE, Draws, draws_of, joined

# Scores of so many values are kept from look to look; more are worked out again, some candidates at a time.
_MOST_KEPT = 10_000_000
_DRAWS_KEPT = 1000
_MOST_SCORES = 5
# Up to so many values of all candidates, draws are so cheap that thousands may settle what is near alpha.
_FEW_VALUES = 500_000


class DrawnSeries:
    """Series scores of the data (draw 0) and of surrogates (all others): many draws in one matrix product."""

    def __init__(self, conditional: Conditional, purpose: str) -> None:
        self._conditional, self._purpose = conditional, purpose
        n_units, n_scores = len(conditional.units), _MOST_SCORES * len(conditional.part_functions)
        self._n_scores, self._at_once = n_scores, max(1, _MOST_KEPT // (_DRAWS_KEPT * n_scores))
        self.is_cheap = n_units <= self._at_once and n_units * conditional.bench.table.n_rows <= _FEW_VALUES
        self._kept = [(block, None) for block in conditional.blocks]
        self._n_kept = 0

    def draws(self, count: int) -> Draws:
        """Return the data and so many surrogates."""
        conditional, engine = self._conditional, self._conditional.bench.engine
        n_units, reporter = len(conditional.units), conditional.bench.reporter
        reporter.begin(f"{self._purpose}, {count} surrogates", n_units)
        at_once = min(self._at_once, max(1, TO_SETTLE * _MOST_KEPT // (count * self._n_scores)))
        if n_units <= at_once:
            new = range(self._n_kept, count + 1)
            scores = engine.keep(_more_scores, self._kept, conditional.target, new)
            self._kept = list(zip(conditional.blocks, scores, strict=True))
            self._n_kept = count + 1
            answers = engine.each(draws_of, scores)
        else:
            answers = engine.each(_draws_anew, conditional.blocks, conditional.target, range(count + 1), at_once)
        parts = []
        for part, units in zip(answers, conditional.parts_of_units, strict=True):
            parts.append(part)
            reporter.advance(units.stop - units.start)
        return joined(parts)


def _more_scores(known: tuple[Candidates, FloatArray | None], target: DrawnTarget, draws: range) -> FloatArray:
    """Return the scores (draws x candidates x scores) that are known, and those of more draws."""
    candidates, scores = known
    more = candidates.scores(target, draws, slice(0, len(candidates.units)))
    return more if scores is None else np.concatenate([scores, more])


def _draws_anew(candidates: Candidates, target: DrawnTarget, draws: range, at_once: int) -> Draws:
    """Return draws of candidates, some of these at a time."""
    parts = [slice(start, start + at_once) for start in range(0, len(candidates.units), at_once)]
    return joined([draws_of(candidates.scores(target, draws, part)) for part in parts])
