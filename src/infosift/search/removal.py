"""The end of a search: removes what the others can do without, the least missed first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from infosift.arrays import DIGITS
from infosift.data.groups import FeatureUnit
from infosift.results.steps import Removal
from infosift.search.base import Problem, Tests

# Tests draw from streams beyond those of the search.
_FIRST_STEP = 1_000_000


class Removals:
    """Removes units one by one, and asks about the rest anew each time.

    A forward search may select a poor feature early, and later others that carry its information and more. Beside
    many others even the best feature may add nothing that can be seen, so the order matters: of several that add
    nothing, the one goes without which the others leave least unexplained.

    ``partners`` says which units were selected as a pair. Of such a pair neither may add anything without the
    other: they stay where they do together.
    """

    def __init__(
        self,
        problem: Problem,
        tests: Tests,
        selected: Sequence[FeatureUnit],
        partners: Mapping[FeatureUnit, FeatureUnit],
    ) -> None:
        self._problem, self._tests = problem, tests
        self._selected, self._partners = tuple(selected), partners

    def __iter__(self) -> Iterator[Removal]:
        """Yield each removal as soon as it is decided."""
        left = list(self._selected)
        while (found := self._next(left)) is not None:
            units, p_value = found
            left = [unit for unit in left if unit not in units]
            names = self._problem.table.names
            yield Removal(tuple(names[i] for unit in units for i in unit.columns), p_value)

    def _next(self, left: list[FeatureUnit]) -> tuple[list[FeatureUnit], float] | None:
        """Return the first unit that adds nothing, with its partner where neither does; None at the end."""
        if len(left) < 2 or not self._may_go(1, left):
            return None
        for unit in sorted(left, key=lambda unit: self._need_of(unit, left)):
            p_value = self._p_value([unit], left)
            if self._adds(p_value):
                continue
            partner = self._partners.get(unit)
            others = [other for other in left if other != unit]
            if partner not in left or self._adds(self._p_value([partner], others)):
                return [unit], p_value
            p_of_both = self._p_value([unit, partner], left)
            if not self._adds(p_of_both) and self._may_go(2, left):
                return [unit, partner], p_of_both
        return None

    def _may_go(self, number: int, left: list[FeatureUnit]) -> bool:
        return len(self._problem.kept) + len(left) - number >= self._problem.settings.min_features

    def _need_of(self, unit: FeatureUnit, left: list[FeatureUnit]) -> tuple[float, int]:
        others = [*self._problem.kept, *(other for other in left if other != unit)]
        return round(self._tests.unexplained(others), DIGITS), -self._selected.index(unit)

    def _p_value(self, units: list[FeatureUnit], left: list[FeatureUnit]) -> float:
        """Return the p-value of units together, conditional on the others that are left."""
        number = _FIRST_STEP + self._selected.index(units[0]) + len(self._selected) * (len(units) - 1)
        return self._tests.drop([*self._problem.kept, *left], units, number)

    def _adds(self, p_value: float) -> bool:
        return p_value <= self._problem.settings.alpha
