"""The target: what its columns hold, and what each kind of target means for tests, regressions and reports."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import entr
from scipy.stats import norm

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.data.columns import Event, NamedColumns
from infosift.data.frames import as_plain, read_column, read_columns
from infosift.data.prepare import (
    Preparation,
    dense_ranks,
    halfway,
    interval_ranks,
    prepare,
    to_gaussian_ranks,
)
from infosift.data.types import class_indicators, encode_categories, indicators_of_largest, n_categories
from infosift.errors import Hint, InputError, is_auto, shown
from infosift.random_streams import stream
from infosift.registry import TARGET_KINDS

# A predicted probability is no smaller than this, so that an interval of the unit interval has a length.
LEAST_PROBABILITY = 1e-3
# Whole numbers with no more different values than this may be scores or codes, if there are enough rows of each.
_MOST_NUMBERED_CLASSES = 20
_FEWEST_ROWS_PER_CLASS = 3
# So many of the largest classes are regressed; more would cost power, since each is a test of its own.
_MOST_COMPONENTS = 8
# Of more classes, probabilities predicted from one regression each are too poor to bound an error with.
_MOST_PREDICTED_CLASSES = 50

# About the level of one comparison where the maximum over some dozens of them has that of a test.
_LEVEL_OF_COMPARISON = 1e-3

# Of a residual's standard deviation, by which nearest neighbours tell equal ones of censored times apart.
_NOISE_OF_TIES = 1e-6
_FEWEST_EVENTS = 2

Predict = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class TargetKind:
    """What a column of the target holds: how it is encoded, regressed and described; by default numbers.

    A new kind is a subclass that overrides what differs, and a line in ``registry.TARGET_KINDS``. ``values`` are
    those of a column as it was read, with codes for text; ``column`` is what ``encode`` makes of them, in some or
    all rows.
    """

    name: ClassVar[str] = "numbers"
    has_indicators: ClassVar[bool] = False
    n_classes: int | None = None

    @classmethod
    def of(cls, values: FloatArray) -> TargetKind:
        """Return the kind of a column that is known to be of it."""
        return cls()

    @classmethod
    def recognises(cls, values: FloatArray) -> bool:
        """Tell whether numbers are of this kind, where the user does not declare it."""
        return True

    def encode(self, values: FloatArray, how: Preparation) -> FloatArray:
        """Prepare the column for nearest neighbours: a number or an encoded category for each row."""
        return prepare(values[None], how).ravel()

    def views(self, column: FloatArray) -> tuple[FloatArray, ...]:
        """Return the column as nearest neighbours compare it; several where it may be of several kinds."""
        return (column,)

    def components(self, column: FloatArray) -> FloatArray:
        """Return what is regressed (components x rows)."""
        return column[None]

    def are_indicators(self, n_components: int) -> BoolArray:
        """Tell which components are indicators, of which no function besides the indicator is informative."""
        return np.full(n_components, self.has_indicators)

    def sums(self, n_components: int) -> list[int]:
        """Return over how many components, one after the other, each series score is summed."""
        return [1] * n_components

    def handicaps(self, n_scores: int) -> FloatArray:
        """Return by how many standard deviations scores about components, or sums, count for less in a maximum."""
        return np.zeros(n_scores)

    def residuals(
        self, components: FloatArray, predicted: FloatArray, spread: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return residuals that do not depend on the predictors: the ends of intervals, equal for a number.

        Numbers are in units of ``spread``, the predicted mean absolute residual; intervals are of the unit
        interval. All arrays are (components x rows).
        """
        residuals = (components - predicted) / spread
        return residuals, residuals

    def unexplained(self, errors: FloatArray, variances: FloatArray) -> float:
        """Return how much of the column is left, by mean squared errors and variances of its components."""
        return float(np.mean(errors))

    def readings(self, column: FloatArray) -> list[tuple[TargetKind, FloatArray]]:
        """Return what the column may be, each with the column as that: what is explained is about one of them."""
        return [(self, column)]

    def residuals_given(self, column: FloatArray, predict: Predict | None) -> TargetResiduals:
        """Return residuals by what predicts columns from a subset, None for an empty one, where it is censored."""
        raise NotImplementedError

    def information(self, column: FloatArray, predict: Predict) -> float:
        """Return the mutual information, in nats, that predictions of the column amount to.

        Of numbers it is -log(1 - R^2) / 2, that of Gaussian columns, with the R^2 of normal scores.
        """
        scores = to_gaussian_ranks(column)
        left = float(np.mean((scores - predict(scores)) ** 2) / np.mean(scores**2))
        return float(-np.log(min(1.0, max(left, np.finfo(np.float64).tiny))) / 2)

    def describe(self) -> str:
        """Return what the column holds, in words for people."""
        return self.name

    def class_counts(self, column: FloatArray) -> list[int]:
        """Count the rows of each class, largest first; empty where there are no classes."""
        return []

    def observed(self, column: FloatArray) -> list[tuple[FloatArray, bool]]:
        """Return what no feature should give away: columns, and whether each holds classes."""
        return [(column, self.n_classes is not None)]

    def require_enough_rows(self, name: str, values: FloatArray) -> None:
        """Refuse a column that has too few rows of each value for any test."""


@dataclass(frozen=True)
class Classes(TargetKind):
    """Classes without an order.

    Residuals are intervals of the unit interval, of the length that the predicted probability gives to what is the
    case (Dunn and Smyth 1996, "Randomized quantile residuals"): a uniform point of it is uniform whatever the
    predictors are.
    """

    name = "classes"
    has_indicators = True

    @classmethod
    def of(cls, values: FloatArray) -> Classes:
        """Return classes, counted."""
        return cls(n_categories(values))

    @classmethod
    def recognises(cls, values: FloatArray) -> bool:
        """Tell whether numbers are the names of classes: two of any."""
        return n_categories(values) == 2

    def encode(self, values: FloatArray, how: Preparation) -> FloatArray:
        """Encode classes as the kernel takes categories."""
        return prepare(values[None], how, discrete=(0,)).ravel()

    def components(self, column: FloatArray) -> FloatArray:
        """Return indicators of the largest classes."""
        return indicators_of_largest(column, _MOST_COMPONENTS)

    def residuals(
        self, components: FloatArray, predicted: FloatArray, spread: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the interval of each row, by the predicted probability of its class."""
        outside = 1 - np.clip(predicted, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
        return np.where(components > 0, outside, 0.0), np.where(components > 0, 1.0, outside)

    def information(self, column: FloatArray, predict: Predict) -> float:
        """Return by how much predicted probabilities make the classes likelier than their shares do."""
        indicators = class_indicators(dense_ranks(column))
        if len(indicators) > _MOST_PREDICTED_CLASSES:
            return 0.0
        predicted = np.maximum(predict(indicators), LEAST_PROBABILITY)
        likelihoods = (indicators * predicted).sum(axis=0) / predicted.sum(axis=0)
        return float(entr(indicators.mean(axis=1)).sum() + np.mean(np.log(likelihoods)))

    def describe(self) -> str:
        """Return how many classes there are."""
        return f"{self.n_classes} classes"

    def class_counts(self, column: FloatArray) -> list[int]:
        """Count the rows of each class, largest first."""
        return sorted(np.bincount(dense_ranks(column)).tolist(), reverse=True)

    def require_enough_rows(self, name: str, values: FloatArray) -> None:
        """Refuse classes most of which have one row."""
        count = n_categories(values)
        if 2 * count > len(values) > 3:
            raise InputError(
                f'The target "{name}" has {count:,} classes in {len(values):,} rows, too few rows of each: '
                "give a target with fewer classes, or numbers."
            )


@dataclass(frozen=True)
class WholeNumbers(Classes):
    """Few whole numbers, which may be scores or codes of classes: tested as both.

    The number and the indicators of classes are components, so that the maximum over all of them keeps the level.
    What is explained is that of the view by which less is left.
    """

    name = "both"

    @classmethod
    def recognises(cls, values: FloatArray) -> bool:
        """Tell whether numbers may be scores or codes: whole ones, of few values with some rows of each."""
        observed = values[~np.isnan(values)]
        most = min(_MOST_NUMBERED_CLASSES, len(observed) // _FEWEST_ROWS_PER_CLASS)
        return bool(1 < n_categories(observed) <= most and np.all(observed == np.round(observed)))

    def encode(self, values: FloatArray, how: Preparation) -> FloatArray:
        """Prepare the numbers; codes of classes can be read from these."""
        return TargetKind.encode(self, values, replace(how, special_apart=False))

    def views(self, column: FloatArray) -> tuple[FloatArray, ...]:
        """Return classes, of which an estimate of information needs no order, and numbers."""
        return encode_categories(dense_ranks(column).astype(np.float64)), column

    def readings(self, column: FloatArray) -> list[tuple[TargetKind, FloatArray]]:
        """Return numbers and classes."""
        return [(TargetKind(), column), (Classes(self.n_classes), self.views(column)[0])]

    def components(self, column: FloatArray) -> FloatArray:
        """Return the number, and indicators of the largest classes."""
        indicators = indicators_of_largest(dense_ranks(column).astype(np.float64), _MOST_COMPONENTS)
        return np.concatenate([column[None], indicators])

    def are_indicators(self, n_components: int) -> BoolArray:
        """Tell which components are indicators: all but the first."""
        return np.arange(n_components) > 0

    def sums(self, n_components: int) -> list[int]:
        """Return the number alone, and all classes together: a score for each would cost more than it finds."""
        return [1, n_components - 1]

    def handicaps(self, n_scores: int) -> FloatArray:
        """Return those by which the number exceeds a level four times as often as all classes together.

        So little costs no power for codes, and next to none for scores (by simulation).
        """
        of_class = norm.isf(_LEVEL_OF_COMPARISON / (4 * (n_scores - 1))) - norm.isf(_LEVEL_OF_COMPARISON)
        return np.array([0.0, *(n_scores - 1) * [of_class]])

    def residuals(
        self, components: FloatArray, predicted: FloatArray, spread: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return intervals: of the number, half of the way to the next ones, by its rank among all residuals."""
        low, high = super().residuals(components[1:], predicted[1:], spread[1:])
        ends = [(end - predicted[0]) / spread[0] for end in halfway(components[0])]
        ranks = interval_ranks(*ends)
        return np.concatenate([ranks[0][None], low]), np.concatenate([ranks[1][None], high])

    def unexplained(self, errors: FloatArray, variances: FloatArray) -> float:
        """Return the share of the variance that is left of the number or of the classes, whichever is less."""
        return float(min(errors[0] / variances[0], errors[1:].sum() / variances[1:].sum()))

    def class_counts(self, column: FloatArray) -> list[int]:
        """Return nothing: a rare score is no small class."""
        return []

    def describe(self) -> str:
        """Return how many values there are."""
        return f"{self.n_classes} whole numbers, as numbers and as classes"


@dataclass(frozen=True)
class TargetResiduals:
    """Residuals of the components of a target given predictions (components x rows).

    ``raw`` are in the units of the components. From ``low`` to ``high`` is the part of the unit interval that a
    residual lies in, where ``is_interval``; elsewhere both are the residual. ``column`` is the target column of
    each component.

    Of a censored target, ``functions`` (functions x rows, for each component) are what series take in place of
    polynomials of ranks, and ``variances`` theirs in each row.
    """

    raw: FloatArray
    low: FloatArray
    high: FloatArray
    is_interval: BoolArray
    column: IntArray
    functions: list[FloatArray] | None = None
    variances: list[FloatArray] | None = None


@dataclass(frozen=True)
class CensoredTimes(TargetKind):
    """Times until an event, some of them censored; tests are about martingale residuals."""

    name: ClassVar[str] = "censored times"
    n_events: int = 0
    n_censored: int = 0
    longest: float = 1.0

    @classmethod
    def of(cls, values: FloatArray) -> CensoredTimes:
        """Return the kind of signed times, their events counted."""
        times = values[~np.isnan(values)]
        n_events = int(np.count_nonzero(~np.signbit(times)))
        longest = float(np.abs(times).max(initial=0.0))
        return cls(n_events=n_events, n_censored=len(times) - n_events, longest=longest)

    def encode(self, values: FloatArray, how: Preparation) -> FloatArray:
        """Scale times to at most one."""
        return np.asarray(values / self.longest)

    def views(self, column: FloatArray) -> tuple[FloatArray, ...]:
        """Return martingale residuals of unit variance, their ties broken."""
        residuals = self.components(column)[0]
        noise = stream(0, "ties of martingale residuals").uniform(size=len(column))
        return (residuals / residuals.std() + _NOISE_OF_TIES * noise,)

    def components(self, column: FloatArray) -> FloatArray:
        """Return the martingale residuals of equal risks."""
        from infosift.data.survival import martingale_residuals

        return martingale_residuals(column).residuals[:1]

    def residuals_given(self, column: FloatArray, predict: Predict | None) -> TargetResiduals:
        """Return the residuals given what predicts columns from a subset; of an empty one, of equal risks."""
        from infosift.data.survival import martingale_residuals, relative_risks

        risks = None if predict is None else relative_risks(column, predict)
        residuals, variances = martingale_residuals(column, risks)
        raw, spread = residuals[:1], residuals.std(axis=1, keepdims=True)
        return TargetResiduals(
            raw,
            raw,
            raw,
            is_interval=np.zeros(1, dtype=bool),
            column=np.zeros(1, dtype=np.int64),
            functions=[residuals / spread],
            variances=[variances],
        )

    def observed(self, column: FloatArray) -> list[tuple[FloatArray, bool]]:
        """Return the times and the events."""
        return [(np.abs(column), False), (np.signbit(column).astype(np.float64), True)]

    def describe(self) -> str:
        """Return how many events there are, and how many censored times."""
        return f"{self.n_events:,} events and {self.n_censored:,} censored times"

    def require_enough_rows(self, name: str, values: FloatArray) -> None:
        """Refuse times of which all or all but one are censored, and events all at one time."""
        if self.n_events < _FEWEST_EVENTS:
            seen = "no event" if self.n_events == 0 else "one event only"
            raise InputError(
                f'The target "{name}" has {seen} among {len(values):,} rows, all others are censored: nothing can '
                "be informative about it. Give more rows, or check which value is the event."
            )
        if len(np.unique(values[~np.signbit(values)])) == 1:
            raise InputError(
                f'The target "{name}" has all events at one time, so times say nothing: give the event itself as '
                "the target."
            )


@dataclass(frozen=True)
class Target:
    """The target of a table: encoded columns (columns x rows), one or several, and what each holds.

    Of times until an event, of which there is one column, ``event`` is what that is called.
    """

    names: tuple[str, ...]
    columns: FloatArray
    kinds: tuple[TargetKind, ...]
    event: Event | None = None

    @property
    def name(self) -> str:
        """The names of all columns."""
        return ", ".join(self.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.columns.shape[1])

    @property
    def is_censored(self) -> bool:
        """Whether it is one column of times until an event."""
        return self.event is not None

    @property
    def n_classes(self) -> tuple[int | None, ...]:
        """Number of classes of each column; None where it has none."""
        return tuple(kind.n_classes for kind in self.kinds)

    def take(self, rows: IntArray) -> Target:
        """Return the target in some of the rows."""
        return replace(self, columns=self.columns[:, rows])

    @cached_property
    def views(self) -> FloatArray:
        """The columns as nearest neighbours compare them, one way or another (views x columns x rows)."""
        views = [kind.views(column) for kind, column in zip(self.kinds, self.columns, strict=True)]
        return np.stack([[own[min(i, len(own) - 1)] for own in views] for i in range(max(map(len, views)))])

    @cached_property
    def components(self) -> FloatArray:
        """What is regressed, of all columns (components x rows)."""
        return np.concatenate(self._by_column)

    @cached_property
    def has_indicators(self) -> BoolArray:
        """Whether each component is an indicator."""
        pairs = zip(self.kinds, self._by_column, strict=True)
        return np.concatenate([kind.are_indicators(len(own)) for kind, own in pairs])

    @cached_property
    def sums(self) -> list[int]:
        """Over how many components, one after the other, each series score is summed."""
        pairs = zip(self.kinds, self._by_column, strict=True)
        return [size for kind, own in pairs for size in kind.sums(len(own))]

    def handicaps(self, *, of_sums: bool) -> FloatArray | None:
        """Return by how much scores about components, or sums of them, count for less; None where none does."""
        pairs = zip(self.kinds, map(len, self._by_column), strict=True)
        handicaps = [kind.handicaps(len(kind.sums(size)) if of_sums else size) for kind, size in pairs]
        return np.concatenate(handicaps) if np.any(np.concatenate(handicaps)) else None

    @cached_property
    def _by_column(self) -> list[FloatArray]:
        return [kind.components(column) for kind, column in zip(self.kinds, self.columns, strict=True)]

    @property
    def _column_of_component(self) -> IntArray:
        return np.repeat(np.arange(len(self.kinds)), [len(own) for own in self._by_column])

    def residuals(self, predicted: FloatArray, spread: FloatArray) -> TargetResiduals:
        """Return the residuals of all components given their predictions and predicted spreads."""
        column = self._column_of_component
        ends = [
            kind.residuals(own, predicted[column == i], spread[column == i])
            for i, (kind, own) in enumerate(zip(self.kinds, self._by_column, strict=True))
        ]
        low, high = (np.concatenate(own) for own in zip(*ends, strict=True))
        return TargetResiduals(self.components - predicted, low, high, (low != high).any(axis=1), column)

    def unexplained(self, errors: FloatArray) -> float:
        """Return how much of the target is left, by the mean squared error of each component."""
        column, variances = self._column_of_component, self.components.var(axis=1)
        own = [column == i for i in range(len(self.kinds))]
        left = [kind.unexplained(errors[i], variances[i]) for kind, i in zip(self.kinds, own, strict=True)]
        return float(np.average(left, weights=np.count_nonzero(own, axis=1)))


def read_target(data: Any, name: str = "target") -> NamedColumns:
    """Read the target: one column, or several."""
    data = as_plain(data) if isinstance(data, (list, tuple)) else data
    if isinstance(data, np.ndarray) and data.dtype.names:
        from infosift.data.survival import read_censored  # which few targets are

        return read_censored(data)
    shape = getattr(data, "shape", None) or np.asarray(data).shape
    return read_columns(data, name) if len(shape) == 2 and shape[1] > 1 else read_column(data, name)


def make_target(
    columns: NamedColumns, kinds: Sequence[TargetKind], how: Preparation, *, rows_of_each_class: bool = True
) -> Target:
    """Encode the columns of a target; refuse one whose value never changes.

    Where ``rows_of_each_class``, one with few rows of each class is refused too.
    """
    for name, values, kind, never_changes in zip(
        columns.names, columns.values, kinds, columns.summary.are_constant, strict=True
    ):
        if never_changes:
            always = f"always {values[0]:g}" if kind.n_classes is None else "one class only"
            raise InputError(
                f'The target "{name}" is constant ({always}), so no feature can be informative about it: '
                "give a target that varies."
            )
        if rows_of_each_class:
            kind.require_enough_rows(name, values)
    encoded = [kind.encode(values, how) for kind, values in zip(kinds, columns.values, strict=True)]
    return Target(columns.names, np.stack(encoded), tuple(kinds), columns.event)


def decide_kinds(
    columns: NamedColumns, declared: Any, takes_categories: bool = True, *, may_be_both: bool = False
) -> tuple[TargetKind, ...]:
    """Decide what each column of a target holds: as declared, or by its values for "auto".

    Text is always classes. Numbers stay numbers where the criterion takes no categories. Few whole numbers are
    classes, unless they ``may_be_both``.
    """
    if columns.event is not None:
        return (CensoredTimes.of(columns.values[0]),)
    requested = requested_kinds(declared, len(columns.names))
    kinds = []
    for i, values in enumerate(columns.values):
        name = requested[i] or (None if takes_categories else TargetKind.name)
        if i in columns.discrete and name in (None, TargetKind.name):
            name = Classes.name
        if name is None:
            name = next(name for name, kind in TARGET_KINDS.items() if kind.recognises(values))
            name = Classes.name if name == WholeNumbers.name and not may_be_both else name
        kinds.append(TARGET_KINDS[name].of(values))
    return tuple(kinds)


def requested_kinds(declared: Any, n_columns: int = 1) -> tuple[str | None, ...]:
    """Return the names of the kinds that ``discrete_target`` declares, one for each column; None for "auto".

    True is classes, False numbers. A sequence has an entry for each column.
    """
    if isinstance(declared, tuple):
        return tuple(requested_kinds(each)[0] for each in declared)
    if is_auto(declared):
        return (None,) * n_columns
    by_value: dict[Any, str] = {name: name for name in TARGET_KINDS}
    by_value |= {True: Classes.name, False: TargetKind.name}
    if not isinstance(declared, Hashable) or declared not in by_value:
        *names, last = (f'"{name}"' for name in TARGET_KINDS)
        choices = f"{', '.join(names)} or {last}"
        raise InputError(
            Hint("discrete_target"), f' must be "auto", True, False, {choices}, not {shown(declared)}.'
        )
    return (by_value[declared],) * n_columns
