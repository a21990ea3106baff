"""Questions about a choice as a whole: what it leaves unexplained, and whether some of it adds to the rest."""

from __future__ import annotations

from collections.abc import Sequence

from infosift.contest import MOST_CLASSES, Bench, Contest, hold
from infosift.groups import Unit
from infosift.residuals import Smoother
from infosift.result import Settings
from infosift.unexplained import unexplained


class Examiner:
    """Answers for units of a table beside the columns that the user keeps."""

    def __init__(self, bench: Bench, settings: Settings, kept: list[int]) -> None:
        self.bench, self.settings, self.kept = bench, settings, kept

    def unexplained_by(self, units: Sequence[Unit]) -> float:
        """Return the mean square of what units leave unexplained of the target."""
        table = self.bench.table
        smoother = Smoother(table.columns[self._columns(units)], self.bench.seed, self.bench.engine)
        return unexplained(table.target, smoother, MOST_CLASSES)

    def p_value(
        self, asked: Sequence[Unit], given: Sequence[Unit], step: int, purpose: str, *, thorough: bool
    ) -> float:
        """Return the p-value of the best of some units beside given ones; ``step`` names the random streams."""
        contest = Contest(self.bench, self._columns(given), asked, step, f"pruning: {purpose}", thorough=thorough)
        return hold(contest.scores, self.settings.alpha, self.settings.n_permutations).p_value

    def _columns(self, units: Sequence[Unit]) -> list[int]:
        return self.kept + [i for unit in units for i in unit.columns]
