"""Features to predict with: those selected, and others that lower the cross-validated error of generic models.

Several sources put the features in an order. Which source, and how many of its features, is chosen by nested
cross-validation: in every fold the orders are made anew from the other rows, and generic models that use the first
features of an order predict the rows of the fold. No test is behind the features that come in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.criteria.rank_basis import Functions, functions_of
from infosift.data.groups import FeatureUnit, sample_rows
from infosift.data.prepare import impute
from infosift.data.table import Table
from infosift.data.targets import Target
from infosift.data.types import coordinates_of
from infosift.engines.base import equal_parts, single_threaded_blas
from infosift.inference.max_test import Scores
from infosift.progress import Reporter
from infosift.random_streams import stream
from infosift.results.selection import Selection
from infosift.results.steps import PredictionSet
from infosift.search.base import Problem
from infosift.search.predictors import RidgePath, lasso_order, neighbor_errors, ridge_errors, scaled_by

# At most so many features, and the numbers of them that are compared.
MOST_FEATURES = 30
_SIZES = (0, 1, 2, 3, 5, 8, 12, 16, 20, 25, 30)
# Rows are divided into so many folds; of few rows several times, since folds then disagree, the more so the more
# features there are to choose from.
_N_FOLDS = 5
_UNITS_PER_DIVISION = 5
_FEWEST_DIVISIONS, _MOST_DIVISIONS, _ROWS_IN_ALL = 2, 5, 600
_MOST_ROWS = 1000
# Of a very wide table fewer rows are taken, so that there are at most so many values.
_MOST_VALUES = 20_000_000
_FEWEST_ROWS = 20
# The non-negative lasso weighs so many features of largest relevance, the joint one those of largest correlation.
_MOST_WEIGHED = 300
_MOST_JOINT = 2_000
_STEPS_OF_LARS = MOST_FEATURES + 10
_UNITS_AT_ONCE = 500
# Columns of a unit, of which a large group of features or a category of many levels has more.
_MOST_OF_UNIT = 20
_RIDGE = 1e-6
_LEAST_FREE = 1e-3
# Models that predict the rows of a fold: ridge regression on the columns and on functions of their ranks, and the
# mean of the nearest rows, which counts as much as both.
_WEIGHTS = np.array([0.25, 0.25, 0.5])
# What a feature must save of the logarithm of the error.
_COST_OF_A_FEATURE = 0.002
# By how many standard errors a set must predict better than no feature at all, and by how many for more than three
# features. Of noise it is mostly far below zero, since features that are nested do not see the rows they predict.
_CLEARLY, _VERY_CLEARLY, _FEW = 1.5, 2.4, 3

ALONE, WEIGHED, JOINT, ALL_SOURCES = "relevance alone", "weighed series", "joint lasso", "all three in turn"


@dataclass(frozen=True)
class _UnitColumns:
    """Columns that stand for units (columns x rows), one unit after the other, and where each starts."""

    columns: NDArray[Any]
    starts: IntArray

    @classmethod
    def joined(cls, of_units: Sequence[NDArray[Any]]) -> _UnitColumns:
        """Join the columns of units."""
        return cls(np.concatenate(of_units), np.cumsum([0, *map(len, of_units)]))

    def of(self, units: Sequence[int]) -> IntArray:
        """Return the positions of the columns of some units, in the order of these."""
        return np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in units])

    def ends(self, units: Sequence[int], sizes: Sequence[int]) -> IntArray:
        """Return how many columns the first so many of some units have."""
        return np.cumsum([0, *np.diff(self.starts)[list(units)]])[
            np.minimum(np.array(sizes, dtype=np.int64), len(units))
        ]

    @property
    def unit_of(self) -> IntArray:
        """The unit of each column."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


@dataclass(frozen=True)
class _Data:
    """Units as models take them, in an order that does not depend on that of the columns.

    ``functions`` are those of ranks and categories, for each unit ``n_lines`` lines first, then curves;
    ``coordinates`` are numbers and indicators; ``target`` has components of the target x rows.
    """

    units: tuple[FeatureUnit, ...]
    functions: _UnitColumns
    n_lines: IntArray
    coordinates: _UnitColumns
    target: FloatArray

    @classmethod
    def of(cls, table: Table) -> _Data:
        """Return the usable units of a table, its gaps imputed by means and modes."""
        units = tuple(sorted(table.units, key=table.digest))
        functions, n_lines, coordinates = [], [], []
        for part in equal_parts(len(units), _UNITS_AT_ONCE):
            columns = impute(np.asarray(table.columns[[i for unit in units[part] for i in unit.columns]]))
            of_columns = iter(zip(functions_of(columns), columns, strict=True))
            for unit in units[part]:
                own = [next(of_columns) for _ in unit.columns]
                lines, curves = zip(*(_lines_and_curves(each) for each, _ in own), strict=True)
                together = _components(np.concatenate([*lines, *curves])).astype(np.float32)
                functions.append(together)
                n_lines.append(min(sum(map(len, lines)), len(together)))
                coordinates.append(_components(coordinates_of(np.stack([column for _, column in own]))))
        target = table.target.components - table.target.components.mean(axis=1, keepdims=True)
        if not table.target.has_indicators.all():
            target = target / target.std(axis=1, keepdims=True)
        joined = _UnitColumns.joined
        return cls(units, joined(functions), np.array(n_lines), joined(coordinates), target)


def _lines_and_curves(functions: Functions) -> tuple[FloatArray, FloatArray]:
    """Divide smooth functions: of numbers the first is a line, of categories all count as such."""
    n_lines = 1 if len(functions.steps) else len(functions.smooth)
    return functions.smooth[:n_lines], functions.smooth[n_lines:]


def _components(columns: FloatArray) -> FloatArray:
    """Return the columns of a unit, or the first principal components of very many, as a large group has."""
    if len(columns) <= _MOST_OF_UNIT:
        return columns
    centred = columns - columns.mean(axis=1, keepdims=True)
    _, spread, directions = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(spread[:_MOST_OF_UNIT, None] * directions[:_MOST_OF_UNIT])


def features_for_prediction(problem: Problem, selection: Selection, reporter: Reporter) -> PredictionSet:
    """Return the selected features, and those that lower the cross-validated error of generic models.

    The result depends on the data and on what is selected, and on no seed.
    """
    n_units = len(problem.table.units)
    most = min(MOST_FEATURES, problem.settings.max_features or MOST_FEATURES)
    n_rows = min(_MOST_ROWS, _MOST_VALUES // max(1, n_units))
    if not n_units or min(n_rows, problem.table.n_rows) < _FEWEST_ROWS:
        return PredictionSet.of_selected(selection)
    table = problem.table.take(sample_rows(problem.table.n_rows, 0, problem.table.row_groups, n_rows))
    with single_threaded_blas():
        data = _Data.of(table)
        folds = list(_divisions(table, is_series=not problem.method.shuffles_rows))
        reporter.begin("cross-validating features to predict with", sum(len(own) for own in folds))
        sizes = [*(size for size in _SIZES if size < min(most, n_units)), min(most, n_units)]
        errors, nested = _nested_errors(data, folds, sizes, reporter)
        source, size = _best(errors, sizes)
        units = [data.units[i] for i in _orders(data, np.arange(table.n_rows))[source]]
        names = _with_selected(selection, units[:size], most)
        chosen = [i for i, unit in enumerate(data.units) if problem.table.names[unit.columns[0]] in names]
        weights = _weights(data, chosen)
    of_name = {
        problem.table.names[column]: weight
        for i, weight in zip(chosen, weights, strict=True)
        for column in data.units[i].columns
    }
    path = _combined(errors[source]).mean(axis=1)
    return PredictionSet(
        names=tuple(names),
        indices=tuple(selection.feature_names.index(name) for name in names),
        selected=tuple(name for name in names if name in selection.names),
        weights=np.array([of_name.get(name, np.nan) for name in names]),
        source=source if size else "",
        order=(*names, *(name for name in _with_selected(selection, units, most) if name not in names)),
        sizes=tuple(sizes),
        errors=path / path[0],
        concordance=_concordance(data, table.target, nested, source, size) if size else None,
    )


def _concordance(
    data: _Data, target: Target, nested: Sequence[_FoldOrders], source: str, size: int
) -> float | None:
    """Return the mean concordance, in each fold, of the first units of its order; None of other targets."""
    if not target.is_censored:
        return None
    from infosift.data.survival import concordance  # which few targets need

    (column,), found = target.columns, []
    for train, test, orders in nested:
        units = orders[source][:size]
        design = scaled_by(data.functions.columns[data.functions.of(units)].astype(np.float64), train)
        path = RidgePath(design[:, train], data.target[:, train], [len(design)])
        found.append(concordance(column[test], path.predict(design[:, test])[0, 0]))
    return float(np.nanmean(found)) if not np.isnan(found).all() else None


def _with_selected(selection: Selection, units: Sequence[FeatureUnit], most: int) -> list[str]:
    """Return the names of the selected features, then those of units as long as there is a slot left."""
    names = list(selection.names)
    for unit in units:
        new = [selection.feature_names[i] for i in unit.columns if selection.feature_names[i] not in names]
        if len(names) + len(new) <= most:
            names += new
    return names


def _divisions(table: Table, *, is_series: bool) -> Iterator[list[IntArray]]:
    """Yield divisions of the rows into folds: of whole groups, of each class alike, or of neighbouring rows.

    Those of a class, or with an event, are divided evenly.
    """
    n_rows, groups = table.n_rows, table.row_groups
    if is_series:
        yield list(np.array_split(np.arange(n_rows), _N_FOLDS))
        return
    classes = np.zeros(n_rows, dtype=np.int64)
    if table.target.is_censored:
        classes = np.signbit(table.target.columns[0]).astype(np.int64)
    elif table.target.has_indicators.all():
        classes = np.unique(table.target.components, axis=1, return_inverse=True)[1].reshape(-1)
    most = min(_MOST_DIVISIONS, 1 + len(table.units) // _UNITS_PER_DIVISION)
    number = min(most, max(_FEWEST_DIVISIONS, round(_ROWS_IN_ALL / n_rows)))
    for division in range(number):
        generator = stream(0, "folds of a prediction", division)
        if groups is None:
            order = generator.permutation(n_rows)
            order = order[np.argsort(classes[order], kind="stable")]
            of_row = np.empty(n_rows, dtype=np.int64)
            of_row[order] = np.arange(n_rows) % _N_FOLDS
        else:
            of_row = (generator.permutation(int(groups.max()) + 1) % _N_FOLDS)[groups]
        folds = [np.flatnonzero(of_row == fold) for fold in range(_N_FOLDS)]
        yield [rows for rows in folds if 0 < len(rows) < n_rows]


def _orders(data: _Data, rows: IntArray) -> dict[str, list[int]]:
    """Return the first units by each source, on some rows."""
    predicted, relevance = _leave_one_out(data, rows)
    target = data.target[:, rows]
    alone = np.argsort(-np.round(relevance, DIGITS), kind="stable")
    weighed = alone[:_MOST_WEIGHED]
    weighed = weighed[relevance[weighed] > 0]
    orders = {ALONE: alone[:MOST_FEATURES].tolist(), WEIGHED: [], JOINT: []}
    if len(weighed):
        own = predicted(weighed).reshape(len(weighed), -1)
        entered = lasso_order(own, target.ravel(), _STEPS_OF_LARS, positive=True)
        orders[WEIGHED] = weighed[entered].tolist()[:MOST_FEATURES]
    columns, unit_of = data.coordinates.columns[:, rows], data.coordinates.unit_of
    orders[JOINT] = _in_turn([unit_of[_joint_order(columns, own)].tolist() for own in target])
    orders[ALL_SOURCES] = _in_turn([orders[JOINT], orders[WEIGHED], orders[ALONE]])
    return orders


def _in_turn(orders: Sequence[Sequence[int]]) -> list[int]:
    """Return the first of each order, then the second of each, and so on, each unit once."""
    together = chain.from_iterable(zip_longest(*orders))
    return list(dict.fromkeys(i for i in together if i is not None))[:MOST_FEATURES]


def _leave_one_out(data: _Data, rows: IntArray) -> tuple[Callable[[IntArray], FloatArray], FloatArray]:
    """Return what predicts the target from single units (units x components x rows), and their relevance.

    Each row is predicted from the remaining rows, by the functions of a unit or by its lines alone, whichever
    predicts better: curves of weak features are mostly noise. The relevance is the share of the target's variance
    that this explains, negative where it predicts worse than the mean.
    """
    target, starts = data.target[:, rows], data.functions.starts
    shapes = np.stack([np.diff(starts), data.n_lines])

    def predict(units: IntArray) -> FloatArray:
        predicted = np.empty((len(units), *target.shape))
        for n_functions, n_lines in np.unique(shapes[:, units], axis=1).T.tolist():
            alike = np.flatnonzero((shapes[:, units] == [[n_functions], [n_lines]]).all(axis=0))
            which = starts[units[alike], None] + np.arange(n_functions)
            predicted[alike] = _predictions_left_out(data.functions.columns[which][:, :, rows], n_lines, target)
        return predicted

    away = (target - target.mean(axis=1, keepdims=True)) ** 2
    parts = np.split(np.arange(len(data.units)), range(_UNITS_AT_ONCE, len(data.units), _UNITS_AT_ONCE))
    errors = np.concatenate([((predict(part) - target) ** 2).sum(axis=(1, 2)) for part in parts])
    return predict, 1 - errors / away.sum()


def _predictions_left_out(functions: Scores, n_lines: int, target: FloatArray) -> FloatArray:
    """Return what functions of each unit (units x functions x rows) predict of rows left out one by one."""
    mean, n_rows = target.mean(axis=1, keepdims=True), target.shape[1]
    away = target - mean
    basis: list[FloatArray] = []
    fitted = np.zeros((len(functions), *target.shape))
    leverages, best = np.full((len(functions), n_rows), 1 / n_rows), np.empty(0)
    for number, function in enumerate(functions.swapaxes(0, 1), 1):  # orthonormalised one after the other
        own = function - function.mean(axis=1, keepdims=True, dtype=np.float64)
        for other in basis:
            own -= np.einsum("ur,ur->u", own, other)[:, None] * other
        own /= np.sqrt(np.einsum("ur,ur->u", own, own) + _RIDGE * n_rows)[:, None]
        basis.append(own)
        fitted += (own @ away.T)[:, :, None] * own[:, None]
        leverages += own**2
        if number in (n_lines, functions.shape[1]):
            residuals = (away - fitted) / np.maximum(1 - leverages, _LEAST_FREE)[:, None]
            if len(best):
                errors, of_lines = (np.einsum("ucr,ucr->u", each, each) for each in (residuals, best))
                residuals = np.where((errors < of_lines)[:, None, None], residuals, best)
            best = residuals
    return np.asarray(target - best)


def _joint_order(columns: Scores, target: FloatArray) -> IntArray:
    """Return the order in which columns (columns x rows) enter the lasso; of very many, the most correlated."""
    if len(columns) <= _MOST_JOINT:
        return lasso_order(columns, target, _STEPS_OF_LARS)
    centred = columns - columns.mean(axis=1, keepdims=True)
    products = np.abs(centred @ (target - target.mean()))
    spread = np.sqrt((centred**2).sum(axis=1))
    correlations = np.divide(products, spread, out=np.zeros(len(columns)), where=spread > _RIDGE)
    first = np.argsort(-np.round(correlations, DIGITS), kind="stable")[:_MOST_JOINT]
    first.sort()
    return np.asarray(first[lasso_order(columns[first], target, _STEPS_OF_LARS)])


# Squared errors (sizes x models x rows) by source.
_Errors = dict[str, FloatArray]

# The rows to fit and to predict of a fold, and the units in the orders of the first.
_FoldOrders = tuple[IntArray, IntArray, dict[str, list[int]]]


def _nested_errors(
    data: _Data, divisions: list[list[IntArray]], sizes: Sequence[int], reporter: Reporter
) -> tuple[_Errors, list[_FoldOrders]]:
    """Return squared errors of generic predictors for numbers of units, the mean over divisions of the rows.

    Also return the orders of each fold.
    """
    n_rows = data.target.shape[1]
    sums: _Errors = {}
    nested: list[_FoldOrders] = []
    for folds in divisions:
        for test in folds:
            train = np.setdiff1d(np.arange(n_rows), test)
            orders = _orders(data, train)
            nested.append((train, test, orders))
            for source, own in _errors_of(data, orders, sizes, train, test).items():
                sums.setdefault(source, np.zeros((len(sizes), len(_WEIGHTS), n_rows)))[:, :, test] += own
            reporter.advance(1)
    return {source: errors / len(divisions) for source, errors in sums.items()}, nested


def _errors_of(
    data: _Data, orders: dict[str, list[int]], sizes: Sequence[int], train: IntArray, test: IntArray
) -> _Errors:
    """Return squared errors in the rows of a fold."""
    known: dict[frozenset[int], FloatArray] = {}  # since orders begin alike, or are the same
    paths: dict[tuple[int, ...], FloatArray] = {}
    columns = list(dict.fromkeys(chain.from_iterable(orders.values())))
    used = [
        (own, dict(zip(columns, np.split(design, own.ends(columns, range(1, len(columns)))), strict=True)))
        for own in (data.coordinates, data.functions)
        for design in [scaled_by(own.columns[own.of(columns)].astype(np.float64), train)]
    ]
    target = data.target
    none = ((target[:, test] - target[:, train].mean(axis=1, keepdims=True)) ** 2).sum(axis=0)
    errors: _Errors = {}
    for source, order in orders.items():
        if tuple(order) in paths:
            errors[source] = paths[tuple(order)]
            continue
        errors[source] = paths[tuple(order)] = own = np.tile(none, (len(sizes), len(_WEIGHTS), 1))
        if not order:
            continue
        for model, (of_units, designs) in enumerate(used):
            design = np.concatenate([designs[i] for i in order])
            own[1:, model] = ridge_errors(design, target, of_units.ends(order, sizes[1:]), train, test)
        for number, size in enumerate(sizes[1:], 1):
            units = frozenset(order[:size])
            if units not in known:
                design = np.concatenate([used[0][1][i] for i in sorted(units)])
                known[units] = neighbor_errors(design, target, train, test)
            own[number, -1] = known[units]
    return errors


def _combined(errors: FloatArray) -> FloatArray:
    """Return the weighted error of all models in each row (sizes x rows)."""
    return np.asarray(np.einsum("m,smr->sr", _WEIGHTS, errors))


def _best(errors: _Errors, sizes: Sequence[int]) -> tuple[str, int]:
    """Return the source and the number of its units of least error.

    There are none where that is not clearly better than none, and few where it is not very clearly so.
    """
    penalties = _COST_OF_A_FEATURE * np.array(sizes)
    costs = {
        source: np.log(np.maximum(own.mean(axis=2), _RIDGE)) @ _WEIGHTS + penalties
        for source, own in errors.items()
    }
    smoothed = {
        source: [np.mean(own[max(0, i - 1) : i + 2]) for i in range(len(own))] for source, own in costs.items()
    }

    def least(of: Mapping[str, Sequence[float] | FloatArray], most: int) -> tuple[str, int]:
        positions = [i for i, size in enumerate(sizes) if 0 < size <= most]
        return min(product(errors, positions), key=lambda key: round(float(of[key[0]][key[1]]), DIGITS))

    source, position = least(smoothed, MOST_FEATURES)
    if (clarity := _standard_errors(errors[source], position)) < _VERY_CLEARLY:
        source, position = least(costs, _FEW)
        clarity = _standard_errors(errors[source], position)
    return source, sizes[position] if clarity >= _CLEARLY else 0


def _standard_errors(errors: FloatArray, position: int) -> float:
    """Return by how many standard errors a number of units predicts better than none."""
    none, own = _combined(errors[[0, position]])
    gains = none - own
    spread = gains.std()
    return float(gains.mean() / spread * np.sqrt(len(gains))) if spread > 0 else 0.0


def _weights(data: _Data, units: Sequence[int]) -> FloatArray:
    """Return how much each unit moves predictions by ridge regression on functions, in units of the target's."""
    if not units:
        return np.zeros(0)
    design = data.functions.columns[data.functions.of(units)].astype(np.float64)
    coefficients = RidgePath(design, data.target, [len(design)]).coefficients[0]
    parts = np.split(np.arange(len(design)), data.functions.ends(units, range(1, len(units))))
    moved = [np.sqrt(((coefficients[part].T @ design[part]) ** 2).sum(axis=0).mean()) for part in parts]
    return np.asarray(np.array(moved) / np.sqrt((data.target**2).sum(axis=0).mean()))
