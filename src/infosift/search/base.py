"""The seams of a search: a method answers "does this add?" and "is this still needed?", a search asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from infosift.arrays import FloatArray, IntArray
from infosift.criteria import Criterion
from infosift.criteria.base import Value
from infosift.data.groups import FeatureUnit
from infosift.data.table import Table
from infosift.engines.base import Engine
from infosift.progress import Reporter
from infosift.results.settings import Settings
from infosift.results.steps import NeighborChoice, Removal, Replacement, Step


class Method(Protocol):
    """How features are tested: parameters, and what follows from them before any data are seen.

    ``adjusted`` is whether its p-values are adjusted for the number of candidates, ``alpha_shares`` how alpha is
    divided among the tests of a step, the first of them the one of single candidates, and
    ``separates_special_values`` whether a value that makes up a share of a feature of numbers is a category.
    """

    adjusted: bool
    alpha_shares: tuple[tuple[str, float], ...]
    separates_special_values: bool

    @property
    def shuffles_rows(self) -> bool:
        """Whether surrogates are right only where rows are exchangeable."""
        ...

    def check(self, alpha: float, criterion: Criterion, has_row_groups: bool) -> None:
        """Refuse parameters that cannot be used, or would not be."""
        ...

    def fewest_permutations(self, alpha: float) -> int:
        """Return how many permutations a step needs at least to be significant; 0 where their number is given."""
        ...

    def tests(
        self, problem: Problem, engine: Engine, reporter: Reporter, neighbors: NeighborChoice | None
    ) -> Tests:
        """Return the method at work on a problem; ``neighbors`` is a choice made earlier."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        ...


class Search(Protocol):
    """Which feature next, and when to stop: asks a method, and yields each decision as soon as it is made.

    ``starts_full`` is whether all candidates are in from the start. ``is_conditional`` is whether features are
    tested conditional on those selected, so that one that is not selected may be redundant.
    """

    starts_full: bool
    is_conditional: bool

    def check(self) -> None:
        """Refuse parameters that cannot be used."""
        ...

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield the decisions, steps that were decided earlier first."""
        ...

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds: "family-wise error", "false discovery rate", or "" for single tests."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        ...


@dataclass(frozen=True)
class Problem:
    """What a run is to do: a table and settings that fit each other, and the parts that these name.

    ``n_missing`` has the number of missing values of each feature that has some, ``numeric_text`` the features of
    text that reads like numbers or dates, and what it reads like.
    """

    table: Table
    settings: Settings
    method: Method
    search: Search
    criterion: Criterion
    n_rows_dropped: int = 0
    n_missing: Mapping[str, int] = field(default_factory=dict)
    numeric_text: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def kept(self) -> tuple[FeatureUnit, ...]:
        """The features that are in from the start, one by one."""
        return tuple(FeatureUnit(name, (self.table.names.index(name),)) for name in self.settings.keep)

    @property
    def candidates(self) -> list[FeatureUnit]:
        """What can be selected: all that can be tested and is no copy of what is kept."""
        known = {self.table.digests[i] for unit in self.kept for i in unit.columns}
        digests = self.table.digests
        return [unit for unit in self.table.units if not known.issuperset(digests[i] for i in unit.columns)]


@dataclass(frozen=True)
class Alone:
    """Each of some candidates tested on its own, beside what is kept: an entry for each.

    ``p_values`` are adjusted for all candidates, by the largest statistic of each of ``n_permutations`` draws:
    ``null``. The unadjusted ones rest on ``counts`` draws each.
    """

    information: FloatArray
    statistics: FloatArray
    p_values: FloatArray
    unadjusted: FloatArray
    null: FloatArray
    n_permutations: int
    counts: IntArray


class Tests(Protocol):
    """A method at work on a table: answers about subsets, each with a p-value.

    ``n_rows`` is the number of rows that it looks at, ``values`` are those of the criterion's structural parameter
    that it scores with, ``neighbors`` is how resampling chose it, if it did, and ``revises`` whether a search is
    to ask again, at its end, about what it selected. ``number`` names the random streams of a test.
    """

    n_rows: int
    values: tuple[Value, ...]
    neighbors: NeighborChoice | None
    revises: bool
    engine: Engine

    def add(
        self, subset: Sequence[FeatureUnit], candidates: Sequence[FeatureUnit], number: int, room: int
    ) -> Step:
        """Return the step that adds the best candidate, or finds that it adds nothing; at most ``room`` units."""
        ...

    def remove(self, subset: Sequence[FeatureUnit], members: Sequence[FeatureUnit], number: int) -> Step:
        """Return the step that removes the least needed of some members of a subset, or finds that all are."""
        ...

    def alone(
        self, subset: Sequence[FeatureUnit], candidates: Sequence[FeatureUnit], number: int, least_p: float
    ) -> Alone:
        """Test each candidate beside a subset, with p-values that can be as small as ``least_p``."""
        ...

    def drop(self, subset: Sequence[FeatureUnit], members: Sequence[FeatureUnit], number: int) -> float:
        """Return the p-value of some members of a subset together, conditional on its other members."""
        ...

    def p_value(
        self, subset: Sequence[FeatureUnit], candidates: Sequence[FeatureUnit], number: int, *, fine: bool = False
    ) -> float:
        """Return the p-value of the best of some candidates conditional on a subset."""
        ...

    def unexplained(self, subset: Sequence[FeatureUnit]) -> float:
        """Return how much of the target a subset leaves unexplained, to rank subsets by; lower is better."""
        ...


Decision: TypeAlias = Step | Replacement | Removal
Decisions: TypeAlias = Iterator[Decision]


def columns_of(units: Sequence[FeatureUnit]) -> list[int]:
    """Return the positions of the columns of some units, in their order."""
    return [i for unit in units for i in unit.columns]
