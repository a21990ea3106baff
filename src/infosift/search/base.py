"""The seams of a search: a method tests whether features add to a subset, a search decides which to test next.

And from parameters, features and a target to a problem: the one place where settings are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from infosift.arrays import FloatArray, IntArray
from infosift.criteria.base import Criterion, Value, as_criterion, require_gaps_taken
from infosift.data.columns import Features, NamedColumns, missing_by_name, requested_discrete, usable_rows
from infosift.data.groups import (
    FeatureUnit,
    positions_in_groups,
    read_feature_groups,
    read_row_groups,
    require_enough_to_shuffle,
)
from infosift.data.table import Table, make_table
from infosift.data.targets import decide_kinds, requested_kinds
from infosift.engines.base import Engine
from infosift.errors import (
    Hint,
    InputError,
    is_auto,
    listing,
    require_choice,
    require_count,
    require_level,
    require_time_limit,
)
from infosift.progress import Reporter
from infosift.random_streams import resolve_seed
from infosift.registry import GOALS, METHODS, MISSING, SCALES, SEARCHES, resolve
from infosift.results import Component, NeighborChoice, ProcedureDescription, Removal, Replacement, Settings, Step

if TYPE_CHECKING:
    from infosift.inference.kernel_ridge import KernelRidge

# Features or feature groups, each of which is selected or left out as a whole.
Units: TypeAlias = Sequence[FeatureUnit]
_STREAMS_OF_A_PHASE = 1_000_000
# Requested kinds of targets that settings store as whether they are classes; others they store by name.
_STORED_KINDS: dict[str | None, bool] = {"classes": True, "numbers": False}


class Method(Protocol):
    """How features are tested: parameters, and what follows from them before any data are read.

    ``adjusted`` is whether its p-values are adjusted for the number of candidates, ``alpha_shares`` how alpha is
    divided among the tests of a step, the first of them the one of single candidates, and
    ``separates_special_values`` whether a value that makes up a share of a numeric feature is a category.
    """

    adjusted: bool
    separates_special_values: bool

    @property
    def alpha_shares(self) -> tuple[tuple[str, float], ...]:
        """The names of the tests of a step, each with its share of alpha."""

    @property
    def shuffles_rows(self) -> bool:
        """Whether surrogates are right only where rows are exchangeable."""

    @property
    def takes_censored(self) -> bool:
        """Whether tests are right for times until an event, some of them censored."""

    def check(self, alpha: float, criterion: Criterion, has_row_groups: bool) -> None:
        """Refuse parameters that cannot be used, or would not be."""

    def fewest_permutations(self, alpha: float) -> int:
        """Return how many permutations a step needs at least to be significant; 0 where their number is given."""

    def tests(
        self, problem: Problem, engine: Engine, reporter: Reporter, neighbors: NeighborChoice | None
    ) -> Tests:
        """Return the method applied to a problem; ``neighbors`` is a choice made earlier."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""


class Search(Protocol):
    """Which features are tested next, and when to stop: a generator that yields each decision once it is made.

    Progress, checkpoints, time limits and interrupts act between two decisions. ``starts_full`` is whether all
    candidates are selected at the start. ``is_conditional`` is whether features are tested conditional on those
    selected, so that one that is not selected may be redundant.
    """

    starts_full: bool
    is_conditional: bool

    def check(self) -> None:
        """Refuse parameters that cannot be used."""

    def decisions(self, problem: Problem, tests: Tests, decided: Sequence[Step] = ()) -> Decisions:
        """Yield the decisions; those that were ``decided`` in an earlier run are not tested again."""

    def error_rate(self, method: Method) -> str:
        """Return what alpha bounds: "family-wise error", "false discovery rate", or "" for single tests."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""


@dataclass(frozen=True)
class Problem:
    """What a run is to do: a table and settings that fit each other, and the parts that these name.

    ``n_missing`` has the number of missing values of each feature that has some, ``numeric_text`` the features of
    text that reads like numbers or dates, and what it reads like. ``categories`` has the names of the categories
    of a feature that occur, in the order of their codes, ``classes`` the names of those of the target.
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
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classes: tuple[str, ...] = ()

    @property
    def kept(self) -> tuple[FeatureUnit, ...]:
        """The features that are selected from the start, one by one."""
        return tuple(FeatureUnit(name, (self.table.names.index(name),)) for name in self.settings.keep)

    @property
    def candidates(self) -> list[FeatureUnit]:
        """The units that can be selected: all that can be tested and are no duplicates of features kept."""
        known = {self.table.digests[i] for unit in self.kept for i in unit.columns}
        digests = self.table.digests
        return [unit for unit in self.table.units if not known.issuperset(digests[i] for i in unit.columns)]


class Phase(IntEnum):
    """A phase of a run, whose tests draw from random streams of their own.

    The stream of a test is named by its phase and its number in it. The numbers of phases lie a million apart, so
    that no two phases share a stream and seeds give what they gave before phases had names.
    """

    SEARCH = 0
    REMOVAL = 1
    REPLACEMENT = 2
    FLOATING = 3
    MARGINAL = 4

    def stream(self, number: int) -> int:
        """Return the number by which random streams know a test of this phase."""
        return _STREAMS_OF_A_PHASE * self + number


def step_label(stream: int) -> str:
    """Name a step for a progress bar, such as "step 3" or "floating step 1"."""
    phase, number = divmod(stream, _STREAMS_OF_A_PHASE)
    return f"{'' if phase == Phase.SEARCH else f'{Phase(phase).name.lower()} '}step {number + 1}"


@dataclass(frozen=True)
class MarginalTests:
    """Each candidate tested on its own, conditional only on the features kept: one entry per candidate.

    ``p_values`` are adjusted for the number of candidates by their maximum (Westfall and Young 1993): ``null`` has
    the largest statistic in each draw. ``unadjusted`` are p-values of single tests, each of ``counts`` draws.
    """

    information: FloatArray
    statistics: FloatArray
    p_values: FloatArray
    unadjusted: FloatArray
    null: FloatArray
    counts: IntArray


class Tests(Protocol):
    """A method applied to a table: tests of subsets, each with a p-value.

    ``n_rows`` is the number of rows that it uses, ``values`` are those of the criterion's structural parameter
    that it scores with, ``neighbors`` is how resampling chose that, if it did, ``revises`` is whether a search
    tests the selected features again at its end, and ``procedure`` describes the tests in words. ``stream`` names
    the random streams of a test (see ``Phase``).
    """

    n_rows: int
    values: tuple[Value, ...]
    neighbors: NeighborChoice | None
    revises: bool
    engine: Engine
    procedure: ProcedureDescription

    def add(self, subset: Units, candidates: Units, stream: int, slots_left: int) -> Step:
        """Test the best candidate conditional on a subset; return the step that adds it, or stops there.

        A step may add a pair of features that are informative only together, where ``slots_left`` is at least 2.
        """

    def remove(self, subset: Units, members: Units, stream: int, n_tested: int | None = None) -> Step:
        """Test members of a subset conditional on the others; return the step that removes the least needed one.

        Where each is significant, the step is not accepted. A method that adjusts p-values does so for
        ``n_tested`` features, those that a search began with; by default for the members.
        """

    def alone(self, subset: Units, candidates: Units, stream: int, least_p: float) -> MarginalTests:
        """Test each candidate on its own, conditional on a subset; p-values can be as small as ``least_p``."""

    def drop(self, subset: Units, members: Units, stream: int) -> float:
        """Return the p-value of members of a subset, taken together, conditional on its other members."""

    def p_value(self, subset: Units, candidates: Units, stream: int, *, precise: bool = False) -> float:
        """Return the p-value of the best candidate conditional on a subset; ``precise`` draws more surrogates."""

    def residual_variance(self, subset: Units) -> float:
        """Return how much of the target a subset leaves unexplained, to rank subsets by; lower is better."""

    def regression(self, table: Table, columns: Sequence[int]) -> KernelRidge | None:
        """Return the regression on columns of a table that tests use; None where they take other rows, or none."""


Decision: TypeAlias = Step | Replacement | Removal
Decisions: TypeAlias = Iterator[Decision]


def columns_of(units: Units) -> list[int]:
    """Return the positions of the columns of units, in their order."""
    return [i for unit in units for i in unit.columns]


def units_of(table: Table, step: Step) -> list[FeatureUnit]:
    """Return the units that a step adds or removes, in an order that does not depend on that of the columns."""
    columns = set(step.columns)
    return sorted((unit for unit in table.units if columns.issuperset(unit.columns)), key=table.digest)


def without(units: Units, others: Units) -> list[FeatureUnit]:
    """Return the units that are not among others, in their order."""
    return [unit for unit in units if unit not in others]


def as_method(given: Any) -> Method:
    """Return a method that was given as an object or by its short name."""
    return resolve("method", given, METHODS, "tests")


def as_search(given: Any) -> Search:
    """Return a search that was given as an object or by its short name, with its parameters checked."""
    search = resolve("search", given, SEARCHES, "decisions")
    search.check()
    return search


def settings_of(given: Mapping[str, Any], has_row_groups: bool = False) -> Settings:
    """Check the parameters and make settings of them; what depends on the data is filled in later."""
    alpha = require_level(given["alpha"])
    require_choice("scale", given["scale"], tuple(SCALES))
    require_choice("missing", given["missing"], tuple(MISSING))
    require_choice("goal", given.get("goal", "explain"), tuple(GOALS))
    method, criterion = as_method(given["method"]), as_criterion(given["criterion"])
    method.check(alpha, criterion, has_row_groups)
    least, most = _numbers_of_features(given["min_features"], given["max_features"])
    return Settings(
        alpha=alpha,
        method=_component(method),
        search=_component(as_search(given["search"])),
        criterion=_component(criterion),
        min_features=least,
        max_features=most,
        seed=resolve_seed(given["random_state"]),
        scale=given["scale"],
        missing=given["missing"],
        time_limit=require_time_limit(given["time_limit"]),
        goal=given.get("goal", "explain"),
    )


def _numbers_of_features(least: Any, most: Any) -> tuple[int, int | None]:
    least = require_count("min_features", least, least=0)
    most = None if most is None else require_count("max_features", most, least=1)
    if most is not None and least > most:
        raise InputError(
            Hint("min_features", least), " is more than ", Hint("max_features", most), ": change one of them."
        )
    return least, most


def _component(thing: Any) -> Component:
    parameters = thing.get_params(deep=False)
    return Component(name=type(thing).__name__, parameters={name: _plain(parameters[name]) for name in parameters})


def _plain(value: Any) -> Any:
    """Return a number as JSON has them, and an object of a registry, such as a null, by its name."""
    if isinstance(getattr(value, "name", None), str):
        return value.name
    if isinstance(value, np.generic):
        return value.item()
    return float(value) if isinstance(value, Real) and not isinstance(value, (int, float)) else value


def make_problem(
    features: Features, target: NamedColumns, row_groups: Any, given: Mapping[str, Any], settings: Settings
) -> Problem:
    """Make the problem that parameters pose for a table; ``settings`` has what does not depend on the table."""
    groups = read_feature_groups(given["feature_groups"], features.names)
    keep, ignore = _kept_and_ignored(given, features.names, groups)
    _require_features(settings.min_features, len(features.names))
    numbered = None if row_groups is None else read_row_groups(row_groups, features.n_rows)
    n_rows, missing = features.n_rows, missing_by_name(features, ignore)
    rows = usable_rows(features, target, ignore, settings.missing)
    features, target = features.take(rows), target.take(rows)
    if numbered is not None and not rows.all():
        numbered = read_row_groups(numbered[rows], features.n_rows)
    method, criterion = as_method(given["method"]), as_criterion(given["criterion"])
    if target.event is not None:
        _require_censoring_taken(method, target, given["discrete_target"])
    require_gaps_taken(criterion, settings.missing, missing)
    names = features.names
    discrete = requested_discrete(given["discrete_features"], names)
    kind = requested_kinds(given["discrete_target"])[0]
    settings = replace(
        settings,
        discrete_features=None if discrete is None else tuple(names[i] for i in discrete),
        discrete_target=_STORED_KINDS.get(kind, kind),
        keep=tuple(names[i] for i in keep),
        ignore=tuple(names[i] for i in ignore),
        feature_groups=tuple((group.name, tuple(names[i] for i in group.columns)) for group in groups),
        n_row_groups=require_enough_to_shuffle(
            features.n_rows, numbered, settings.alpha, method.alpha_shares[0][1]
        ),
    )
    features = features.mark_discrete(given["discrete_features"], criterion.takes_categories)
    table = make_table(
        features,
        target,
        settings.seed,
        scale=settings.scale,
        # Only a test that is adjusted for all components can look at whole numbers both ways.
        target_kinds=decide_kinds(
            target, given["discrete_target"], criterion.takes_categories, may_be_both=method.adjusted
        ),
        ignored=ignore,
        row_groups=numbered,
        feature_groups=tuple(group for group in groups if group.columns[0] not in {*keep, *ignore}),
        takes_categories=criterion.takes_categories,
        special_apart=method.separates_special_values and criterion.separates_special_values,
    )
    return Problem(
        table,
        settings,
        method,
        as_search(given["search"]),
        criterion,
        n_rows - features.n_rows,
        missing,
        {names[i]: kind for i, kind in features.numeric_text.items()},
        features.labels,
        {names[i]: own for i, own in features.named_categories().items()},
        () if target.event else target.with_discrete([0]).named_categories().get(0, ()),
    )


def _require_features(least: int, number: int) -> None:
    if least > number:
        raise InputError(Hint("min_features", least), f" is more than the {number:,} features: lower it.")


def _require_censoring_taken(method: Method, target: NamedColumns, declared: Any) -> None:
    if not is_auto(declared):
        raise InputError(
            f'The target "{target.names[0]}" is a time until an event: leave ', Hint("discrete_target"), " out."
        )
    if not method.takes_censored:
        has_null = "null" in method.get_params(deep=False)
        raise InputError(
            f'The target "{target.names[0]}" is a time until an event, of which p-values are right only with ',
            Hint("method.null", "residual") if has_null else Hint("method", "calibrated"),
            ": set that.",
        )


def _kept_and_ignored(
    given: Mapping[str, Any], names: Sequence[str], groups: Sequence[FeatureUnit]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    keep, ignore = (positions_in_groups(given[name], names, groups, name) for name in ("keep", "ignore"))
    if both := [f'"{names[i]}"' for i in keep if i in ignore]:
        raise InputError(
            Hint("keep"), " and ", Hint("ignore"), f" both have {listing(both)}: leave each in one of the two."
        )
    return keep, ignore
