"""Features to predict with: those selected, and others that lower the cross-validated error of generic models.

Several sources put the features in an order. Which source, and how many of its features, is chosen by nested
cross-validation: in every fold the orders are made anew from the other rows, and generic models that use the first
features of an order predict the rows of the fold. No test is behind the features that come in this way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np
from numpy.typing import NDArray

from infosift.arrays import DIGITS, FloatArray, IntArray
from infosift.criteria.rank_basis import functions_of
from infosift.data.groups import FeatureUnit, sample_rows
from infosift.data.prepare import impute
from infosift.data.table import Table
from infosift.data.types import coordinates_of
from infosift.engines.base import equal_parts, single_threaded_blas
from infosift.progress import Reporter
from infosift.random_streams import stream
from infosift.results.prediction import PredictionSet
from infosift.results.selection import Selection
from infosift.search.base import Problem

# At most so many features, and the numbers of them that are compared.
MOST_FEATURES = 30
_SIZES = (0, 1, 2, 3, 5, 8, 12, 16, 20, 25, 30)
# Rows are divided into so many folds; of few rows several times, since folds then disagree.
_N_FOLDS = 5
_FEWEST_DIVISIONS, _MOST_DIVISIONS, _ROWS_IN_ALL = 2, 8, 1200
_MOST_ROWS = 1000
_FEWEST_ROWS = 20
# The non-negative lasso weighs so many features of largest relevance.
_MOST_WEIGHED = 300
_STEPS_OF_LARS = 3 * MOST_FEATURES
_UNITS_AT_ONCE = 2_000
_RIDGE = 1e-6
_LEAST_FREE = 1e-3
# Models that predict the rows of a fold: ridge regression on the columns and on functions of their ranks, and the
# mean of the nearest rows, which counts as much as both. Ridges are in units of the number of rows.
_RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
_COST_OF_FREEDOM = 1.1
_N_NEIGHBORS = (5, 10)
_WEIGHTS = np.array([0.25, 0.25, 0.5])
# What a feature must save of the logarithm of the error.
_COST_OF_A_FEATURE = 0.001
# By how many standard errors a set must predict better than no feature at all, and by how many for more than three
# features. Of noise it is mostly far below zero, since features that are nested do not see the rows they predict.
_CLEARLY, _VERY_CLEARLY, _FEW = 1.5, 2.0, 3

ALONE, WEIGHED, JOINT, ALL_SOURCES = "relevance alone", "weighed series", "joint lasso", "all three in turn"


@dataclass(frozen=True)
class _Data:
    """Units as models take them, in an order that does not depend on that of the columns.

    ``functions`` (units x functions x rows) are those of ranks and categories, padded with zeros; ``coordinates``
    (coordinates x rows) belong to the units in ``unit_of``; ``target`` has components of the target x rows.
    """

    units: tuple[FeatureUnit, ...]
    functions: NDArray[np.float32]
    coordinates: FloatArray
    unit_of: IntArray
    target: FloatArray

    @classmethod
    def of(cls, table: Table) -> _Data:
        """Return the usable units of a table, its gaps imputed by means and modes."""
        units = tuple(sorted(table.units, key=table.digest))
        functions, coordinates = [], []
        for part in equal_parts(len(units), _UNITS_AT_ONCE):
            columns = impute(np.asarray(table.columns[[i for unit in units[part] for i in unit.columns]]))
            of_columns = iter(zip(functions_of(columns), columns, strict=True))
            for unit in units[part]:
                own = [next(of_columns) for _ in unit.columns]
                functions.append(np.concatenate([each.smooth for each, _ in own]).astype(np.float32))
                coordinates.append(coordinates_of(np.stack([column for _, column in own])))
        padded = np.zeros((len(units), max(map(len, functions)), table.n_rows), dtype=np.float32)
        for i, own_functions in enumerate(functions):
            padded[i, : len(own_functions)] = own_functions
        unit_of = np.repeat(np.arange(len(units)), [len(own) for own in coordinates])
        target = table.target.components - table.target.components.mean(axis=1, keepdims=True)
        if not table.target.has_indicators.all():
            target = target / target.std(axis=1, keepdims=True)
        return cls(units, padded, np.concatenate(coordinates), unit_of, target)

    def design(self, which: Sequence[int], *, of_functions: bool) -> FloatArray:
        """Return the functions or coordinates of some units (columns x rows)."""
        if of_functions:
            return self.functions[list(which)].reshape(-1, self.target.shape[1]).astype(np.float64)
        return np.asarray(self.coordinates[np.isin(self.unit_of, list(which))])


def features_for_prediction(problem: Problem, selection: Selection, reporter: Reporter) -> PredictionSet:
    """Return the selected features, and those that lower the cross-validated error of generic models.

    The result depends on the data and on what is selected, and on no seed.
    """
    rows = sample_rows(problem.table.n_rows, 0, problem.table.row_groups, _MOST_ROWS)
    table = problem.table.take(rows)
    most = min(MOST_FEATURES, problem.settings.max_features or MOST_FEATURES)
    if not table.units or table.n_rows < _FEWEST_ROWS:
        return PredictionSet.of_selected(selection)
    with single_threaded_blas():
        data = _Data.of(table)
        folds = list(_divisions(table, is_series=not problem.method.shuffles_rows))
        reporter.begin("cross-validating features to predict with", sum(len(own) for own in folds))
        errors = _nested_errors(data, folds, most, reporter)
        source, size = _best(errors)
        first = _orders(data, np.arange(table.n_rows))[source][:size] if size else []
        names = _with_selected(selection, [data.units[i] for i in first], most)
        chosen = [i for i, unit in enumerate(data.units) if problem.table.names[unit.columns[0]] in names]
        weights = _weights(data, chosen)
    of_name = {
        problem.table.names[column]: weight
        for i, weight in zip(chosen, weights, strict=True)
        for column in data.units[i].columns
    }
    sizes = [k for of, k in errors if of == source]
    none = _combined(errors[source, 0]).mean()
    return PredictionSet(
        names=tuple(names),
        indices=tuple(selection.feature_names.index(name) for name in names),
        selected=tuple(name for name in names if name in selection.names),
        weights=np.array([of_name.get(name, np.nan) for name in names]),
        source=source if size else "",
        sizes=tuple(sizes),
        errors=np.array([_combined(errors[source, k]).mean() / none for k in sizes]),
    )


def _with_selected(selection: Selection, units: Sequence[FeatureUnit], most: int) -> list[str]:
    """Return the names of the selected features, then those of units as long as there is a slot left."""
    names = list(selection.names)
    for unit in units:
        new = [selection.feature_names[i] for i in unit.columns if selection.feature_names[i] not in names]
        if len(names) + len(new) <= most:
            names += new
    return names


def _divisions(table: Table, *, is_series: bool) -> Iterator[list[IntArray]]:
    """Yield divisions of the rows into folds: of whole groups, of each class alike, or of neighbouring rows."""
    n_rows, groups = table.n_rows, table.row_groups
    if is_series:
        yield list(np.array_split(np.arange(n_rows), _N_FOLDS))
        return
    classes = np.zeros(n_rows, dtype=np.int64)
    if table.target.has_indicators.all():
        classes = np.unique(table.target.components, axis=1, return_inverse=True)[1].reshape(-1)
    number = int(np.clip(round(_ROWS_IN_ALL / n_rows), _FEWEST_DIVISIONS, _MOST_DIVISIONS))
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
        orders[WEIGHED] = weighed[_lasso_order(own, target.ravel(), positive=True)].tolist()[:MOST_FEATURES]
    joint = [data.unit_of[_lasso_order(data.coordinates[:, rows], own)].tolist() for own in target]
    orders[JOINT] = _in_turn(joint)
    orders[ALL_SOURCES] = _in_turn([orders[JOINT], orders[WEIGHED], orders[ALONE]])
    return orders


def _in_turn(orders: Sequence[Sequence[int]]) -> list[int]:
    """Return the first of each order, then the second of each, and so on, each unit once."""
    together = chain.from_iterable(zip_longest(*orders))
    return list(dict.fromkeys(i for i in together if i is not None))[:MOST_FEATURES]


def _leave_one_out(data: _Data, rows: IntArray) -> tuple[Callable[[IntArray | slice], FloatArray], FloatArray]:
    """Return what predicts the target from single units (units x components x rows), and their relevance.

    Each row is predicted from the remaining rows by the functions of a unit; the relevance is the share of the
    target's variance that this explains, negative where it predicts worse than the mean.
    """
    target = data.target[:, rows] - data.target[:, rows].mean(axis=1, keepdims=True)

    def predict(units: IntArray | slice) -> FloatArray:
        functions = data.functions[units][:, :, rows].astype(np.float64)
        functions -= functions.mean(axis=2, keepdims=True)
        gram = functions @ functions.transpose(0, 2, 1) + _RIDGE * len(rows) * np.eye(functions.shape[1])
        hat = np.linalg.inv(gram) @ functions  # of a few functions each
        free = 1 - 1 / len(rows) - np.einsum("umr,umr->ur", functions, hat)
        residuals = target - (functions @ target.T).transpose(0, 2, 1) @ hat
        return np.asarray(data.target[:, rows] - residuals / np.maximum(free, _LEAST_FREE)[:, None])

    parts = equal_parts(len(data.units), _UNITS_AT_ONCE)
    errors = np.concatenate([((predict(part) - data.target[:, rows]) ** 2).sum(axis=(1, 2)) for part in parts])
    return predict, 1 - errors / (target**2).sum()


def _lasso_order(columns: FloatArray, target: FloatArray, *, positive: bool = False) -> IntArray:
    """Return the order in which columns (columns x rows) enter the lasso, its penalty lowered from the largest."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import lars_path  # which takes a while to import

    centred = columns - columns.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    scaled = np.divide(centred, length, out=np.zeros_like(centred), where=length > _RIDGE)
    away = target - target.mean()
    if not np.any(away):
        return np.zeros(0, dtype=np.int64)
    with warnings.catch_warnings():
        # That it ends early where columns are nearly alike is no matter: the order so far stands.
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = lars_path(scaled.T, away, method="lasso", max_iter=_STEPS_OF_LARS, positive=positive)[2] != 0
    entered = np.flatnonzero(path.any(axis=1))
    return np.asarray(entered[np.argsort(path[entered].argmax(axis=1), kind="stable")])


_Errors = dict[tuple[str, int], FloatArray]


def _nested_errors(data: _Data, divisions: list[list[IntArray]], most: int, reporter: Reporter) -> _Errors:
    """Return squared errors (models x rows) by source and number of units, the mean over divisions of the rows."""
    n_rows = data.target.shape[1]
    sums: _Errors = {}
    for folds in divisions:
        for test in folds:
            train = np.setdiff1d(np.arange(n_rows), test)
            known: dict[frozenset[int], FloatArray] = {}  # since orders begin alike, and may be short
            for source, order in _orders(data, train).items():
                for size in (size for size in _SIZES if size <= most):
                    units = frozenset(order[:size])
                    if units not in known:
                        known[units] = _errors_of(data, sorted(units), train, test)
                    sums.setdefault((source, size), np.zeros((len(_WEIGHTS), n_rows)))[:, test] += known[units]
            reporter.advance(1)
    return {key: errors / len(divisions) for key, errors in sums.items()}


def _errors_of(data: _Data, units: Sequence[int], train: IntArray, test: IntArray) -> FloatArray:
    """Return squared errors in the rows of a fold (models x rows), of models that use some units."""
    if not units:
        away = data.target[:, test] - data.target[:, train].mean(axis=1, keepdims=True)
        return np.tile((away**2).sum(axis=0), (len(_WEIGHTS), 1))
    columns, functions = (data.design(units, of_functions=own) for own in (False, True))
    of_ridges = [_ridge_errors(own, data.target, train, test) for own in (columns, functions)]
    return np.stack([*of_ridges, _neighbor_errors(columns, data.target, train, test)])


def _ridge_fit(design: FloatArray, target: FloatArray) -> FloatArray:
    """Return ridge coefficients (columns x components) of centred columns, by generalised cross-validation."""
    values, vectors = np.linalg.eigh(design @ design.T)
    values, n_rows = np.maximum(values, 0.0), design.shape[1]
    products, total = vectors.T @ (design @ target.T), float((target**2).sum())
    squares = (products**2).sum(axis=1)

    def error(ridge: float) -> float:
        shrinkage = values / (values + ridge * n_rows)
        explained = np.sum((2 - shrinkage) * shrinkage * squares / np.maximum(values, _RIDGE))
        used = _COST_OF_FREEDOM * (shrinkage.sum() + 1) / n_rows
        return float((total - explained) / max(1 - used, 0.05) ** 2)

    ridge = min(_RIDGES, key=error)
    return np.asarray(vectors @ (products / (values + ridge * n_rows)[:, None]))


def _ridge_errors(design: FloatArray, target: FloatArray, train: IntArray, test: IntArray) -> FloatArray:
    mean, spread = design[:, train].mean(axis=1, keepdims=True), design[:, train].std(axis=1, keepdims=True)
    scaled = (design - mean) / np.where(spread > _RIDGE, spread, 1.0)
    centre = target[:, train].mean(axis=1, keepdims=True)
    coefficients = _ridge_fit(scaled[:, train], target[:, train] - centre)
    return np.asarray(((target[:, test] - centre - coefficients.T @ scaled[:, test]) ** 2).sum(axis=0))


def _neighbor_errors(design: FloatArray, target: FloatArray, train: IntArray, test: IntArray) -> FloatArray:
    inside, outside = design[:, test], design[:, train]
    distances = (inside**2).sum(axis=0)[:, None] + (outside**2).sum(axis=0) - 2 * inside.T @ outside
    most = min(max(_N_NEIGHBORS), len(train))
    nearest = np.sort(np.argpartition(distances, most - 1, axis=1)[:, :most], axis=1)
    order = np.argsort(np.take_along_axis(distances, nearest, axis=1), axis=1, kind="stable")
    nearest = np.take_along_axis(nearest, order, axis=1)
    values = target[:, train][:, nearest]
    errors = [((target[:, test] - values[..., :k].mean(axis=2)) ** 2).sum(axis=0) for k in _N_NEIGHBORS]
    return np.asarray(np.mean(errors, axis=0))


def _combined(errors: FloatArray) -> FloatArray:
    """Return the weighted error of all models in each row."""
    return np.asarray(_WEIGHTS @ errors)


def _best(errors: _Errors) -> tuple[str, int]:
    """Return the source and the number of its units of least error.

    There are none where that is not clearly better than none, and few where it is not very clearly so.
    """
    costs = {key: float(_WEIGHTS @ np.log(np.maximum(own.mean(axis=1), _RIDGE))) for key, own in errors.items()}
    costs = {key: cost + _COST_OF_A_FEATURE * key[1] for key, cost in costs.items()}
    sizes = sorted({size for _, size in errors})

    def smoothed(key: tuple[str, int]) -> float:
        place = sizes.index(key[1])
        return round(
            float(np.mean([costs[key[0], size] for size in sizes[max(0, place - 1) : place + 2]])), DIGITS
        )

    candidates = [key for key in errors if key[1]]
    if not candidates:
        return ALL_SOURCES, 0
    best = min(candidates, key=smoothed)
    clarity = _standard_errors(errors, best)
    if clarity < _VERY_CLEARLY:
        best = min((key for key in candidates if key[1] <= _FEW), key=lambda key: costs[key])
        clarity = _standard_errors(errors, best)
    return best if clarity >= _CLEARLY else (best[0], 0)


def _standard_errors(errors: _Errors, key: tuple[str, int]) -> float:
    """Return by how many standard errors a set predicts better than no feature."""
    gains = _combined(errors[key[0], 0]) - _combined(errors[key])
    spread = gains.std()
    return float(gains.mean() / spread * np.sqrt(len(gains))) if spread > 0 else 0.0


def _weights(data: _Data, units: Sequence[int]) -> FloatArray:
    """Return how much each unit moves predictions by ridge regression on functions, in units of the target's."""
    if not units:
        return np.zeros(0)
    design = data.design(units, of_functions=True)
    coefficients = _ridge_fit(design, data.target)
    parts = np.split(np.arange(len(design)), len(units))
    moved = [np.sqrt(((coefficients[part].T @ design[part]) ** 2).sum(axis=0).mean()) for part in parts]
    return np.asarray(np.array(moved) / np.sqrt((data.target**2).sum(axis=0).mean()))
