"""What a search took and no longer needs: chosen units that add nothing to the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from infosift.examiner import Examiner
from infosift.groups import Unit

# Tests draw from streams beyond those of the search.
_FIRST_STEP = 1_000_000
_DIGITS = 9


class Pruner:
    """Drops units one by one, the least needed first, and asks about the rest anew each time.

    A search may have taken a poor column early and what tells the same and more later on. Beside many others even
    the best column may add nothing that can be seen, which is why the order matters: of several that add nothing,
    the one goes without which the others leave least unexplained.

    ``partners`` says which units came together. Of such a pair neither may add anything without the other: they
    stay where they do together.
    """

    def __init__(self, examiner: Examiner, chosen: Sequence[Unit], partners: Mapping[Unit, Unit]) -> None:
        self._examiner, self._chosen, self._partners = examiner, tuple(chosen), partners

    def superfluous(self) -> tuple[Unit, ...]:
        """Return the units that the others can do without."""
        left = list(self._chosen)
        while dropped := self._next_to_go(left):
            left = [unit for unit in left if unit not in dropped]
        return tuple(unit for unit in self._chosen if unit not in left)

    def _next_to_go(self, left: list[Unit]) -> list[Unit]:
        """Return the first unit that adds nothing, with its partner where neither does; none at the end."""
        if len(left) < 2:
            return []
        for unit in sorted(left, key=lambda unit: self._need_of(unit, left)):
            if self._add([unit], left):
                continue
            partner = self._partners.get(unit)
            others = [other for other in left if other != unit]
            if partner not in left or self._add([partner], others):
                return [unit]
            if not self._add([unit, partner], left):
                return [unit, partner]
        return []

    def _need_of(self, unit: Unit, left: list[Unit]) -> tuple[float, int]:
        others = [other for other in left if other != unit]
        return round(self._examiner.unexplained_by(others), _DIGITS), -self._chosen.index(unit)

    def _add(self, units: list[Unit], left: list[Unit]) -> bool:
        """Tell whether units together tell anything beside the others that are left."""
        name = " and ".join(unit.name for unit in units)
        together = Unit(name, tuple(i for unit in units for i in unit.columns))
        others = [other for other in left if other not in units]
        step = _FIRST_STEP + self._chosen.index(units[0]) + len(self._chosen) * (len(units) - 1)
        purpose = f"testing {name} given the others"
        # Thorough, since what is dropped here was of use when it was chosen.
        p_value = self._examiner.p_value([together], others, step, purpose, thorough=True)
        return p_value <= self._examiner.settings.alpha
