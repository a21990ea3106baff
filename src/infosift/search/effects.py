"""Sizes and shapes of the effects of selected features, by a smooth additive regression with pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import t as student

from infosift.arrays import FloatArray, IntArray
from infosift.data.groups import sample_rows
from infosift.data.prepare import complete_rows, dense_ranks
from infosift.data.table import Table
from infosift.data.targets import Classes
from infosift.data.types import class_indicators
from infosift.engines.base import single_threaded_blas
from infosift.inference.additive import AdditiveFit, AdditiveModel, CategoryFunctions
from infosift.results.selection import Selection
from infosift.results.steps import EffectCurve, Effects, Importance
from infosift.search.base import Problem

_MOST_FEATURES, _MOST_ROWS, _FEWEST_ROWS = 20, 2_000, 20
_MOST_PAIRS, _MOST_CLASSES = 10, 6
_MOST_POINTS, _N_VALUES = 500, 60
_LEVEL = 0.95
# A turn of a curve, a part of its range; the share of the range of a feature in which a step rises.
_TURN, _WIDTH_OF_STEP, _RISE_OF_STEP = 0.2, 0.15, 0.8
_FLAT = 1e-9
# Of values of unit spread, without the noise that breaks ties.
_DECIMALS = 8
_MOST_DECIMALS = 300


@dataclass(frozen=True)
class _Outcome:
    """A component that is regressed, what it is called, and its units: a centre and a spread."""

    name: str
    values: FloatArray
    centre: float = 0.0
    spread: float = 1.0


def effects_of(problem: Problem, selection: Selection) -> Effects | None:
    """Return the effects of the selected features; None where there are none, or too few rows have all of them."""
    columns = list(selection.indices[:_MOST_FEATURES])
    table = problem.table.take(complete_rows(problem.table.columns[columns])) if columns else problem.table
    table = table.take(sample_rows(table.n_rows, 0, table.row_groups, _MOST_ROWS))
    if not columns or table.n_rows < _FEWEST_ROWS:
        return None
    values: FloatArray = np.asarray(table.columns[columns]).round(_DECIMALS)
    outcomes, has_classes = _outcomes(problem, table)
    components = np.stack([own.values for own in outcomes])
    with single_threaded_blas():
        units = _units(selection, columns)
        model = AdditiveModel(values, components, _pairs(len(columns), units), has_classes=has_classes)
        full = model.fit(range(len(columns)))
        names = [selection.feature_names[i] for i in columns]
        importance = tuple(_importance(full, table.row_groups, units, names))
        curves = tuple(
            _curve(problem, outcome, full, number, columns[place], place, values[place])
            for place in range(len(columns))
            for number, outcome in enumerate(outcomes)
        )
    total = _squares(components).mean()
    explained = _share(1 - full.errors.mean() / total)
    return Effects(importance=importance, curves=curves, explained=explained, n_rows=table.n_rows)


def _outcomes(problem: Problem, table: Table) -> tuple[list[_Outcome], bool]:
    """Return what is regressed, and whether it is indicators of classes: of two, the second."""
    target = table.target
    if len(target.kinds) == 1 and type(target.kinds[0]) is Classes:
        codes = dense_ranks(target.columns[0])
        indicators = class_indicators(codes)
        known = problem.classes
        names = known if len(known) == len(indicators) else tuple(f"class {i + 1}" for i in range(len(indicators)))
        largest = np.sort(np.argsort(-indicators.sum(axis=1), kind="stable")[:_MOST_CLASSES])
        chosen = largest[1:] if len(indicators) == 2 else largest
        return [_Outcome(f"probability of {names[i]}", indicators[i].astype(np.float64)) for i in chosen], True
    if target.event is not None:
        return [_Outcome("events above expected", target.components[0])], False
    outcomes = []
    for place, (name, kind, column) in enumerate(zip(target.names, target.kinds, target.columns, strict=True)):
        if kind.has_indicators and type(kind) is Classes:
            continue
        own = kind.readings(column)[0][0].components(column)[0]
        centre, spread = table.moments[1][place] if table.moments else (0.0, 1.0)
        outcomes.append(_Outcome(name, own, centre, spread))
    return outcomes, False


def _pairs(n_features: int, units: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Return pairs of places, as many as rows can tell apart: those that came in together, then the first ones."""
    together = [pair for unit in units for pair in combinations(sorted(unit), 2)]
    ordered = sorted(combinations(range(n_features), 2), key=lambda pair: (pair[1], pair[0]))
    return list(dict.fromkeys([*together, *ordered]))[:_MOST_PAIRS]


def _squares(components: FloatArray) -> FloatArray:
    """Return the squared distance of each row from the mean, without bias."""
    n_rows = components.shape[1]
    away = components - components.mean(axis=1, keepdims=True)
    return np.asarray((away**2).sum(axis=0) * n_rows / (n_rows - 1))


def _units(selection: Selection, columns: Sequence[int]) -> list[tuple[int, ...]]:
    """Return places of features that count as one: groups, and pairs that came in together."""
    units = [
        tuple(columns.index(i) for i in step.columns if i in columns)
        for step in selection.accepted
        if step.action == "add" and len(step.columns) > 1
    ]
    units = [unit for unit in units if unit]
    together = {place for unit in units for place in unit}
    singles = [(place,) for place in range(len(columns)) if place not in together]
    return sorted([*units, *singles])


def _importance(
    full: AdditiveFit, row_groups: IntArray | None, units: Sequence[tuple[int, ...]], features: Sequence[str]
) -> Iterator[Importance]:
    """Yield the loss of variance without each unit, with its interval.

    Squared residuals have no noise of their own that a fit took up, so that more functions are not better by
    themselves. The interval is that of the mean of influence functions (Williamson et al. 2021), of the root of
    the loss: a share has a skewed distribution.
    """
    model, errors = full.model, full.errors
    squares = _squares(model.components)
    total, n_rows = squares.mean(), model.n_rows
    left = max(2.0, n_rows - full.freedom)
    inflation = n_rows / left if model.has_classes else np.sqrt(n_rows / left)
    quantile = float(student.ppf((1 + _LEVEL) / 2, left))
    for unit in units:
        names = tuple(features[place] for place in unit)
        lost = model.fit([place for place in range(len(features)) if place not in unit]).errors - errors
        value = float(lost.mean() / total)
        influence = (lost - value * squares) / total
        half = quantile * float(inflation) * _standard_error(influence, row_groups)
        shift = half**2 / (4 * max(value, half)) if half > 0 else 0.0
        alone = 1 - model.fit(unit).errors.mean() / total
        yield Importance(
            feature=" + ".join(names),
            features=names,
            importance=_share(value),
            low=_share(value - half + shift),
            high=_share(value + half + shift),
            alone=_share(alone),
        )


def _share(value: float) -> float:
    return float(min(1.0, max(0.0, value)))


def _standard_error(influence: FloatArray, row_groups: IntArray | None) -> float:
    """Return the standard error of a mean over rows, or over rows in groups."""
    away = influence - influence.mean()
    sums = away if row_groups is None else np.bincount(row_groups, away)
    return float(np.sqrt(np.sum(sums**2)) / len(influence))


def _curve(
    problem: Problem,
    outcome: _Outcome,
    full: AdditiveFit,
    number: int,
    feature: int,
    place: int,
    column: FloatArray,
) -> EffectCurve:
    """Return the effect of a feature on an outcome, in the units of both."""
    model, regression = full.model, full.regressions[number]
    functions, where = model.functions[place], model.places[place]
    name = problem.table.names[feature]
    is_category = isinstance(functions, CategoryFunctions)
    at = np.linspace(column.min(), column.max(), _N_VALUES)
    if isinstance(functions, CategoryFunctions):
        at = functions.categories
    design = functions.at(at)
    effect = design @ regression.coefficients[where]
    variances = np.einsum("vk,kl,vl->v", design, regression.inverse[where, where], design)
    spread = 1.96 * np.sqrt(regression.noise * np.maximum(variances, 0.0))
    fitted, low, high = (model.response(regression.mean + effect + sign * spread) for sign in (0, -1, 1))
    centre, unit = problem.table.moments[0][feature] if problem.table.moments else (0.0, 1.0)
    rows, residuals = np.zeros(0), np.zeros(0)
    if not model.has_classes:
        some = np.linspace(0, model.n_rows - 1, min(model.n_rows, _MOST_POINTS)).astype(np.int64)
        own = functions.at(column[some]) @ regression.coefficients[where]
        own_residuals = regression.mean + own + regression.residuals[some]
        residuals = _in_units(own_residuals, outcome.centre, outcome.spread)
        rows = _in_units(column[some], centre, unit)
        if is_category:
            rows = np.searchsorted(at, column[some]).astype(np.float64)
    scaled = (_in_units(own, outcome.centre, outcome.spread) for own in (fitted, low, high))
    categories = _categories(problem, name, len(at)) if is_category else ()
    return EffectCurve(
        feature=name,
        outcome=outcome.name,
        shape="" if is_category else shape_of(fitted, np.quantile(column, (0.05, 0.95)), at),
        values=np.arange(len(at), dtype=np.float64) if is_category else _in_units(at, centre, unit),
        categories=categories,
        **dict(zip(("fitted", "low", "high"), scaled, strict=True)),
        rows=rows,
        partial_residuals=residuals,
    )


def _in_units(values: FloatArray, centre: float, unit: float) -> FloatArray:
    """Return standardised values as they were given, without digits that come from the way.

    Those beyond the largest number are that.
    """
    decimals = _DECIMALS - 1 - int(np.floor(np.log10(unit)))
    with np.errstate(over="ignore"):
        halves = centre / 2 + unit / 2 * values
        given = np.round(2 * halves, min(_MOST_DECIMALS, max(-_MOST_DECIMALS, decimals)))
    return np.asarray(np.nan_to_num(given))


def _categories(problem: Problem, name: str, number: int) -> tuple[str, ...]:
    known = problem.categories.get(name, ())
    return known if len(known) == number else tuple(f"value {i + 1}" for i in range(number))


def shape_of(fitted: FloatArray, inner: FloatArray, at: FloatArray) -> str:
    """Name the shape of a curve where most rows are: how often it turns, each turn a good part of its range."""
    curve = fitted[(at >= inner[0]) & (at <= inner[1])]
    if len(curve) < 3 or np.ptp(curve) <= _FLAT:
        return "flat"
    turns: list[int] = []
    extreme, least = curve[0], _TURN * np.ptp(curve)
    for value in curve:
        direction = turns[-1] if turns else 0
        if (value - extreme) * direction > 0:
            extreme = value
        elif abs(value - extreme) > least:
            turns, extreme = [*turns, 1 if value > extreme else -1], value
    if len(turns) > 2:
        return "waves"
    if turns == [-1, 1]:
        return "U-shaped"
    if turns == [1, -1]:
        return "rises, then falls"
    rises = curve[-1] > curve[0]
    width = max(1, round(_WIDTH_OF_STEP * len(curve)))
    steepest = np.max(np.abs(curve[width:] - curve[:-width]))
    step = "steps up" if rises else "steps down"
    return step if steepest > _RISE_OF_STEP * np.ptp(curve) else "rises" if rises else "falls"
