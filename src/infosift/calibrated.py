"""The calibrated procedure: steps whose level holds, a look at pairs, a pruning, a verdict for every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from infosift.arrays import FloatArray
from infosift.contest import Bench, Contest, Result, hold
from infosift.engine import Question
from infosift.evidence import ColumnVerdict, Exchange, Step
from infosift.examiner import Examiner
from infosift.exchange import Exchanger
from infosift.groups import Unit
from infosift.nulls import interval_of_p, threshold
from infosift.pairs import PairContest
from infosift.pruning import Pruner
from infosift.result import Settings

# Numbers of neighbours that are tried at once where none is given.
_NEIGHBORS = (10, 20)
_FEWEST_ROWS_PER_NEIGHBOR = 4
# What the tests of single columns and the look at pairs may use up of the significance level. The rest is held
# back for what is not exact: draws that end early, and surrogates by an estimated regression.
SHARE_OF_SINGLES = 0.7
_SHARE_OF_PAIRS = 0.2


def neighbors_for(n_rows: int, given: int | None) -> tuple[int, ...]:
    """Return the numbers of neighbours to score with."""
    if given is not None:
        return (given,)
    most = max(1, n_rows // _FEWEST_ROWS_PER_NEIGHBOR)
    return tuple(sorted({min(k, most) for k in _NEIGHBORS}))


class CalibratedSearch:
    """Takes the steps of a search, refines what they chose, and says something about every column."""

    def __init__(self, bench: Bench, settings: Settings) -> None:
        self.bench, self.settings = bench, settings

    def take_step(self, subset: list[int], remaining: list[Unit], number: int) -> Step:
        """Return a step about the unit that stands out most, or a pair if none does."""
        started = perf_counter()
        settings, table = self.settings, self.bench.table
        purpose = f"step {number + 1}: testing {len(remaining)} column{'s' * (len(remaining) > 1)}"
        contest = Contest(self.bench, subset, remaining, number, purpose)
        pairs = PairContest(contest)
        can_pair = len(pairs.singles) > 1 and self._room(subset) > 1 and self._pairs_can_pass()
        alpha = settings.alpha * SHARE_OF_SINGLES
        result = hold(contest.scores, alpha, settings.n_permutations)
        singles = result
        # Of equal excesses the digest decides, so that the order of the columns does not.
        place = max(range(len(remaining)), key=lambda i: (result.excess[0, i], table.digest(remaining[i])))
        unit = remaining[place]
        if result.p_value > alpha and can_pair:
            of_pairs = hold(pairs.scores, settings.alpha * _SHARE_OF_PAIRS, settings.n_permutations)
            if of_pairs.p_value <= settings.alpha * _SHARE_OF_PAIRS and pairs.best is not None:
                first, second = sorted(pairs.best, key=table.digest)
                unit = Unit(f"{first.name} + {second.name}", (*first.columns, *second.columns))
                result, alpha = of_pairs, settings.alpha * _SHARE_OF_PAIRS
        step = self._step(subset, remaining, unit, result, alpha, singles)
        return replace(step, seconds=perf_counter() - started)

    def _room(self, subset: list[int]) -> float:
        """Return how many more may be chosen; a group counts as one."""
        if self.settings.max_features is None:
            return np.inf
        chosen = set(subset) - set(self._kept)
        n_chosen = sum(chosen.issuperset(unit.columns) for unit in self.bench.table.units)
        return self.settings.max_features - len(self.settings.keep) - n_chosen

    def _pairs_can_pass(self) -> bool:
        count = self.settings.n_permutations
        return count is None or 1 / (1 + count) <= self.settings.alpha * _SHARE_OF_PAIRS

    def _step(
        self,
        subset: list[int],
        remaining: list[Unit],
        unit: Unit,
        result: Result,
        alpha: float,
        singles: Result,
    ) -> Step:
        null = result.best[1:]
        return Step(
            score=float(result.best[0]),
            threshold=threshold(null, alpha),
            p_value=result.p_value,
            p_low=result.p_low,
            p_high=result.p_high,
            n_permutations=result.n_permutations,
            alpha=alpha,
            null=null,
            feature=unit.name,
            index=unit.columns[0],
            columns=unit.columns,
            information=self._information([*subset, *unit.columns]),
            accepted=result.p_value <= alpha,
            seconds=0.0,
            candidates=tuple(other.columns[0] for other in remaining),
            candidate_scores=singles.excess[0],
            candidate_p_values=np.array([singles.p_value_of(i) for i in range(len(remaining))]),
            candidate_permutations=singles.n_permutations,
        )

    def _information(self, columns: list[int]) -> float:
        values = self.bench.table.columns[columns]
        question = Question(values[-1:], values[:-1], self.bench.table.target)
        return float(np.mean(self._score(question)))

    def _score(self, question: Question) -> FloatArray:
        return self.bench.criterion.score([question], self.bench.neighbors, self.bench.engine)[0]

    @property
    def _kept(self) -> list[int]:
        return [self.bench.table.names.index(name) for name in self.settings.keep]

    def refine(
        self, chosen: list[Unit], pairs: list[tuple[Unit, Unit]]
    ) -> tuple[tuple[Exchange, ...], tuple[Unit, ...]]:
        """Return what takes the place of two chosen units, and which units then add nothing to the others.

        ``pairs`` are the chosen units that came together.
        """
        examiner = Examiner(self.bench, self.settings, self._kept)
        exchanger = Exchanger(examiner)
        exchanges = []
        while (found := exchanger.find(chosen)) is not None:
            chosen, exchange = found
            exchanges.append(exchange)
        partners = dict(pairs) | {second: first for first, second in pairs}
        return tuple(exchanges), Pruner(examiner, chosen, partners).superfluous()

    def verdicts(
        self, steps: list[Step], exchanges: Sequence[Exchange], pruned: Sequence[Unit]
    ) -> tuple[ColumnVerdict, ...]:
        """Return what there is to say about every column that could be chosen."""
        names = self.bench.table.names
        p_values = {i: step.p_value for step in steps if step.accepted for i in step.columns}
        p_values |= {names.index(exchange.feature): exchange.p_value for exchange in exchanges}
        dropped = {i for unit in pruned for i in unit.columns}
        dropped |= {names.index(name) for exchange in exchanges for name in exchange.in_place_of}
        chosen = {i: p_value for i, p_value in p_values.items() if i not in dropped}
        said: dict[int, ColumnVerdict] = {}
        units = {unit.columns[0]: unit for unit in self.bench.table.units}
        # Where the search was stopped at a number of columns, nobody asked what the others tell beside these.
        all_asked = bool(steps) and not steps[-1].accepted
        alone = zip(steps[0].candidates, steps[0].candidate_p_values.tolist(), strict=True) if steps else ()
        for first, p_alone in alone:
            draws = steps[0].candidate_permutations
            may_pass = interval_of_p(round(p_alone * (1 + draws)) - 1, draws)[0] <= self.settings.alpha
            for i in units[first].columns:
                if i in chosen:
                    said[i] = ColumnVerdict(names[i], "chosen", chosen[i])
                    continue
                tells = i in dropped or p_alone <= self.settings.alpha
                tied = self._tied_to(i, list(chosen)) if tells and (all_asked or i in dropped) else ()
                verdict = "redundant" if tied else "undecided" if tells or may_pass else "irrelevant"
                said[i] = ColumnVerdict(names[i], verdict, p_alone, tied)
        return tuple(said[i] for i in sorted(said))

    def _tied_to(self, column: int, chosen: list[int]) -> tuple[str, ...]:
        """Return the chosen columns that tell something about a column: the best, and others half as good."""
        if not chosen:
            return ()
        columns = self.bench.table.columns
        question = Question(columns, columns[:0], columns[[column]], chosen)
        scores = self._score(question).mean(axis=1)
        order = np.argsort(-scores, kind="stable")
        tied = [i for i in order if scores[i] >= scores[order[0]] / 2 > 0]
        return tuple(self.bench.table.names[chosen[i]] for i in tied)
