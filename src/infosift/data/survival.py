"""Times until an event, some of them censored: only known to be longer than a time.

A censored time is kept as one number, with a minus where the event was not seen (minus zero included), so that it
is a column like any other. Tests are about martingale residuals, events less those expected by the cumulative
hazard at a row's time: given the features, their mean is zero whatever the censoring depends on, as long as it
does not depend on the time itself given these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np

from infosift.arrays import BoolArray, FloatArray
from infosift.data.columns import NamedColumns
from infosift.data.frames import read_column
from infosift.data.prepare import dense_ranks
from infosift.errors import Hint, InputError, RowNumber, listing, require_same_length, shown

EVENT, TIME = "event", "time"
# Relative risks given a subset are estimated in so many rounds, each of which changes them by at most this factor.
_ROUNDS = 3
_MOST_CHANGE = 4.0
_MOST_RISK = 50.0
# Of the mean, below which an expected number of events is not predicted.
_LEAST_EXPECTED = 0.1


def censored_target(event: Any, time: Any, *, event_value: Any = None) -> np.ndarray:
    """Return a target of times until an event, some of them censored.

    It is a structured array as scikit-survival's ``Surv.from_arrays`` makes it, which a selector takes as well.

    Parameters
    ----------
    event : array-like of shape (n_rows,)
        Whether the event was seen at the time: booleans, 0 and 1, or two other values with ``event_value``.
    time : array-like of shape (n_rows,)
        The time of the event, or up to which a row was observed without it (censored): numbers of at least zero.
        Where either is missing, the row is left out of a selection.
    event_value : object, default=None
        Which value of the event is one, such as "dead", where there are two others than 0 and 1.

    Examples
    --------
    >>> from infosift import censored_target
    >>> censored_target(["alive", "dead"], [12.5, 3.0], event_value="dead")
    array([(False, 12.5), ( True,  3. )],
          dtype=[('event', '?'), ('time', '<f8')])
    """
    times = read_column(time, TIME)
    if times.discrete:
        raise InputError(f'The time "{times.names[0]}" is text or categories: give numbers.')
    happened, is_known = _read_events(event, event_value)
    require_same_length(len(happened), times.n_rows)
    names = [_name_of(event), times.names[0]]
    names = [EVENT, TIME] if names[0] == names[1] else names
    target = np.empty(times.n_rows, dtype=[(names[0], np.bool_), (names[1], np.float64)])
    target[names[0]], target[names[1]] = happened, np.where(is_known, times.values[0], np.nan)
    read_censored(target)
    return target


def _read_events(event: Any, event_value: Any) -> tuple[BoolArray, BoolArray]:
    """Return where an event happened, and where that is known."""
    series = nw.from_native(event, pass_through=True, allow_series=True)
    values = series.to_list() if isinstance(series, nw.Series) else np.asarray(event).tolist()
    name = _name_of(event)
    known = [value for value in values if value is not None and value == value]
    is_known = np.array([value is not None and value == value for value in values], dtype=bool)
    different = list(dict.fromkeys(known))
    if len(different) > 2:
        raise InputError(
            f'The event "{name}" has {len(different)} values, such as {listing(list(map(shown, different[:3])))}: '
            "give one with two, whether the event was seen or the time is censored."
        )
    if event_value is None and not set(different) <= {0, 1}:
        raise InputError(
            f'The event "{name}" has the value{"s" * (len(different) > 1)} '
            f"{listing(list(map(shown, different)))}: say which is the event, such as with ",
            Hint("event_value", different[-1]),
            ".",
        )
    wanted = 1 if event_value is None else event_value
    if event_value is not None and not any(_is_value(value, wanted) for value in different):
        raise InputError(
            f'The event "{name}" never has the value {shown(wanted)}, but {listing(list(map(shown, different)))}: '
            "give one of these as ",
            Hint("event_value"),
            ".",
        )
    return np.array([_is_value(value, wanted) for value in values], dtype=bool), is_known


def _name_of(event: Any) -> str:
    return str(getattr(event, "name", None) or EVENT)


def _is_value(value: Any, wanted: Any) -> bool:
    """Tell whether a value is the wanted one, which may be written as text."""
    if isinstance(wanted, str) and isinstance(value, (bool, int, float)):
        return wanted.lower() in (str(value).lower(), f"{value:g}")
    return bool(value == wanted)


def read_censored(target: np.ndarray) -> NamedColumns:
    """Read a structured array with a field of booleans, whether an event was seen, and one of times."""
    fields: Any = target.dtype.fields
    kinds = {name: fields[name][0].kind for name in target.dtype.names or ()}
    if sorted(kind in "b" for kind in kinds.values()) != [False, True] or not set(kinds.values()) <= set("biuf"):
        raise InputError(
            f"The target is a structured array with the fields {listing(list(kinds))}: a censored target has one "
            "of booleans, whether the event was seen, and one of numbers, the time; times of entry (left "
            "truncation) are not supported. infosift.censored_target(event, time) makes one."
        )
    if target.ndim != 1:
        raise InputError("A censored target has one event and one time for each row: give one of shape (n_rows,).")
    event, time = sorted(kinds, key=lambda name: kinds[name] != "b")
    times = target[time].astype(np.float64)
    for is_wrong, what in ((times < 0, "negative"), (np.isinf(times), "infinite")):
        if is_wrong.any():
            row = int(np.flatnonzero(is_wrong)[0])
            raise InputError(
                f'The time "{time}" is {what} ({times[row]:g}) in ', RowNumber(row), ": give the time since entry."
            )
    return NamedColumns((time,), np.where(target[event], times, -times)[None], event=event)


def as_structured(column: NamedColumns) -> np.ndarray:
    """Return the structured array that censored times were read from."""
    event, (time,), (values,) = column.event or EVENT, column.names, column.values
    target = np.empty(column.n_rows, dtype=[(event, np.bool_), (time, np.float64)])
    target[event], target[time] = ~np.signbit(values), np.abs(values)
    return target


class MartingaleResiduals(NamedTuple):
    """Residuals of rows (weights x rows): for each weight of time, the weighted events less those expected.

    ``variances`` are their expected squares given the features (Aalen 1978): the compensators of squared weights.
    """

    residuals: FloatArray
    variances: FloatArray


def martingale_residuals(column: FloatArray, risks: FloatArray | None = None) -> MartingaleResiduals:
    """Return martingale residuals of signed times given relative risks, by default the same for all rows.

    The baseline hazard is Breslow's, of equal risks Nelson and Aalen's. The weights are one, as in the log-rank
    test, and a contrast of late and early events, in which hazards that cross show (Fleming and Harrington).
    """
    risks = np.ones(len(column)) if risks is None else risks
    is_event, places = ~np.signbit(column), dense_ranks(np.abs(column))
    n_events = np.bincount(places, is_event)
    at_risk = np.bincount(places, risks)[::-1].cumsum()[::-1]
    hazards = n_events / at_risk
    share = (n_events.cumsum() - n_events / 2) / n_events.sum()
    weights = np.stack([np.ones_like(share), np.sqrt(3) * (2 * share - 1)])
    expected, variances = ((own * hazards).cumsum(axis=1)[:, places] * risks for own in (weights, weights**2))
    return MartingaleResiduals(weights[:, places] * is_event - expected, variances)


def relative_risks(column: FloatArray, predict: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return the relative risk of each row given a subset, by what predicts columns from it (leave-one-out).

    Local likelihood (Tibshirani and Hastie 1987) estimates a relative risk by the events near a point of the
    subset over those expected there. In each round the residuals, and the events expected, are predicted from the
    subset, until no residual is left to predict.
    """
    risks = np.ones(len(column))
    for _ in range(_ROUNDS):
        residuals, expected = (own[0] for own in martingale_residuals(column, risks))
        left, events = predict(np.stack([residuals, expected]))
        change = 1 + left / np.maximum(events, _LEAST_EXPECTED * expected.mean())
        risks = risks * np.clip(change, 1 / _MOST_CHANGE, _MOST_CHANGE)
        risks = np.clip(risks / np.exp(np.mean(np.log(risks))), 1 / _MOST_RISK, _MOST_RISK)
    return risks


def concordance(column: FloatArray, risks: FloatArray) -> float:
    """Return the share of pairs of rows, one of which has its event first, of which that has the larger risk.

    It is Harrell's index: equal risks count half, and rows that are censored before do not count (Harrell, Lee and
    Mark 1996). NaN where there is no such pair.
    """
    times, is_event = np.abs(column), ~np.signbit(column)
    concordant = total = 0.0
    for i in np.flatnonzero(is_event):
        later = (times > times[i]) | ((times == times[i]) & ~is_event)
        total += np.count_nonzero(later)
        concordant += np.count_nonzero(risks[later] < risks[i]) + np.count_nonzero(risks[later] == risks[i]) / 2
    return concordant / total if total else float("nan")


def survival_curve(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return times, from zero on, and the share of rows without an event after each (Kaplan and Meier 1958)."""
    times, places = np.unique(np.abs(column), return_inverse=True)
    n_events = np.bincount(places, ~np.signbit(column))
    at_risk = np.bincount(places)[::-1].cumsum()[::-1]
    return np.array([0.0, *times]), np.cumprod([1.0, *(1 - n_events / at_risk)])
