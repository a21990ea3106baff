"""Times until an event, some of them censored: only known to be longer than a time.

A censored time is kept as one number, with a minus where the event was not seen (minus zero included), so that it
is a column like any other. Tests are about martingale residuals, events less those expected by the cumulative
hazard at a row's time: given the features that this hazard is estimated from, their mean is zero whatever the
censoring depends on, as long as it does not depend on the time itself given these.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np

from infosift.arrays import BoolArray, FloatArray, IntArray
from infosift.data.columns import Event, NamedColumns
from infosift.data.frames import read_column
from infosift.data.prepare import dense_ranks
from infosift.data.types import is_missing
from infosift.errors import Hint, InputError, RowNumber, listing, require_same_length, shown

EVENT, TIME = "event", "time"
_VALUE = "infosift event value"  # in the metadata of a target, so that a report can repeat a run
# Relative risks given a subset are estimated in so many rounds, each of which changes them by at most this factor;
# then in periods, which have at least so many events.
_ROUNDS, _ROUNDS_IN_PERIODS = 1, 2
_MOST_PERIODS, _EVENTS_OF_PERIOD = 4, 15
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
    if _holds_dates(time):
        raise InputError(f'The time "{_name_of(time, TIME)}" has dates: give the time since entry, such as days.')
    times = read_column(time, TIME)
    if times.discrete:
        raise InputError(f'The time "{times.names[0]}" is text or categories: give numbers.')
    happened, is_known = _read_events(event, event_value)
    require_same_length(len(happened), times.n_rows)
    names = [_name_of(event, EVENT), times.names[0]]
    names = [EVENT, TIME] if names[0] == names[1] else names
    metadata = {} if event_value is None else {_VALUE: _as_text(event_value)}
    fields = np.dtype([(names[0], np.bool_), (names[1], np.float64)], metadata=metadata)
    target = np.empty(times.n_rows, dtype=fields)
    target[names[0]], target[names[1]] = happened, np.where(is_known, times.values[0], np.nan)
    read_censored(target)
    return target


def _read_events(event: Any, event_value: Any) -> tuple[BoolArray, BoolArray]:
    """Return where an event happened, and where that is known."""
    series, name = nw.from_native(event, pass_through=True, allow_series=True), _name_of(event, EVENT)
    values = series.to_list() if isinstance(series, nw.Series) else np.asarray(event, dtype=object).tolist()
    if any(isinstance(value, list) for value in values):
        raise InputError(f'The event "{name}" has several columns, or is none: give one of shape (n_rows,).')
    is_known = np.array([not is_missing(value) for value in values], dtype=bool)
    known = [value for value, there in zip(values, is_known, strict=True) if there]
    different = list(dict.fromkeys(known))
    listed = listing(list(map(shown, different[:3])))
    if len(different) > 2:
        raise InputError(
            f'The event "{name}" has {len(different)} values, such as {listed}: give one with two, whether the '
            "event was seen or the time is censored (of several kinds of events, one at a time)."
        )
    if event_value is None and not set(different) <= {0, 1}:
        has = f"the value{'s' * (len(different) > 1)} {listed}"
        raise InputError(f'The event "{name}" has {has}: say which is the event with ', Hint("event_value"), ".")
    if len(different) == 1 and not is_known.all():
        raise InputError(
            f'The event "{name}" is {listed} or missing: give another value, such as 0, where a time is censored, '
            "and leave out rows of which that is not known."
        )
    wanted = _as_text(1 if event_value is None else event_value)
    texts = [_as_text(value) for value in different]
    alike = texts if wanted in texts else [text.lower() for text in texts]
    wanted = wanted if wanted in texts else wanted.lower()
    if event_value is not None and wanted not in alike:
        raise InputError(
            f'The event "{name}" never has the value {shown(event_value)}, but {listed}: give one of these as ',
            Hint("event_value"),
            ".",
        )
    events = {value for value, text in zip(different, alike, strict=True) if text == wanted}
    return np.array([there and value in events for value, there in zip(values, is_known, strict=True)]), is_known


def _as_text(value: Any) -> str:
    """Write a value such that 1, 1.0, true and their text are the same."""
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    try:
        return f"{float(value):g}"
    except (TypeError, ValueError):
        return {"true": "1", "false": "0"}.get(text.lower(), text)


def _name_of(column: Any, default: str) -> str:
    return str(getattr(column, "name", None) or default)


def _holds_dates(time: Any) -> bool:
    """Tell whether times are points in time; lengths of time are numbers."""
    series = nw.from_native(time, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        return bool(series.dtype in (nw.Date, nw.Datetime) or isinstance(series.dtype, nw.Datetime))
    values = np.asarray(time)
    return values.dtype.kind == "M" or (values.dtype.kind == "O" and any(isinstance(v, date) for v in values.flat))


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
    metadata: Any = target.dtype.metadata or {}
    return NamedColumns(
        (time,), np.where(target[event], times, -times)[None], event=Event(event, metadata.get(_VALUE))
    )


def as_structured(column: NamedColumns) -> np.ndarray:
    """Return the structured array that censored times were read from."""
    event, (time,), (values,) = column.event or Event(EVENT), column.names, column.values
    target = np.empty(column.n_rows, dtype=[(event.name, np.bool_), (time, np.float64)])
    target[event.name], target[time] = ~np.signbit(values), np.abs(values)
    return target


class MartingaleResiduals(NamedTuple):
    """Residuals of rows (weights x rows): for each weight of time, the weighted events less those expected.

    ``variances`` are their expected squares given the features (Aalen 1978): the compensators of squared weights.
    """

    residuals: FloatArray
    variances: FloatArray


def martingale_residuals(column: FloatArray, risks: FloatArray | None = None) -> MartingaleResiduals:
    """Return martingale residuals of signed times given relative risks, by default the same for all rows.

    Risks (periods x rows) are those in each of as many periods, with about equal numbers of events. The baseline
    hazard is Breslow's, of equal risks Nelson and Aalen's. The weights are one, as in the log-rank test, and a
    contrast of late and early events, in which hazards that cross show (Fleming and Harrington).
    """
    hazard = _Hazard.of(column, np.ones((1, len(column))) if risks is None else risks)
    weights = np.stack([np.ones_like(hazard.share), np.sqrt(3) * (2 * hazard.share - 1)])
    expected, variances = (hazard.expected(own).sum(axis=1) for own in (weights, weights**2))
    return MartingaleResiduals(weights[:, hazard.places] * hazard.is_event - expected, variances)


class _Hazard(NamedTuple):
    """The hazard of reference at each different time, by the rows at risk and their relative risks.

    ``places`` are the places of rows among the different times, ``share`` and ``period`` the share of events up to
    each of these and its period, and ``in_periods`` (periods x times) the hazard there, zero in other periods.
    """

    is_event: BoolArray
    places: IntArray
    share: FloatArray
    period: IntArray
    in_periods: FloatArray
    risks: FloatArray

    @classmethod
    def of(cls, column: FloatArray, risks: FloatArray) -> _Hazard:
        """Estimate the hazard of signed times."""
        n_periods, is_event, places = len(risks), ~np.signbit(column), dense_ranks(np.abs(column))
        n_events = np.bincount(places, is_event)
        share = (n_events.cumsum() - n_events / 2) / n_events.sum()
        period = np.minimum((share * n_periods).astype(np.int64), n_periods - 1)
        at_risk = np.stack([np.bincount(places, own)[::-1].cumsum()[::-1] for own in risks])
        hazards = n_events / at_risk[period, np.arange(len(n_events))]
        in_periods = (period == np.arange(n_periods)[:, None]) * hazards
        return cls(is_event, places, share, period, in_periods, risks)

    def expected(self, weights: FloatArray) -> FloatArray:
        """Return the weighted events expected of rows in each period (weights x periods x rows)."""
        until = (weights[:, None] * self.in_periods).cumsum(axis=-1)
        return np.asarray(until[..., self.places] * self.risks)


def relative_risks(column: FloatArray, predict: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return the relative risks of rows given a subset (periods x rows), by what predicts columns from it.

    Local likelihood (Tibshirani and Hastie 1987) estimates a relative risk by the events near a point of the
    subset over those expected there. In each round the residuals, and the events expected, are predicted from the
    subset, each row from the others, until no residual is left to predict: first over all time, then in periods.
    Were risks not to change with time, residuals would depend on the subset and on when a row is censored where
    hazards are not proportional, and so on any feature that censoring depends on.
    """
    n_rows, n_events = len(column), int(np.count_nonzero(~np.signbit(column)))
    n_periods = min(_MOST_PERIODS, max(1, n_events // _EVENTS_OF_PERIOD))
    risks = np.ones((1, n_rows))
    for number in (*[1] * _ROUNDS, *[n_periods] * (_ROUNDS_IN_PERIODS * (n_periods > 1))):
        risks = np.repeat(risks, number // len(risks), axis=0)
        hazard = _Hazard.of(column, risks)
        (expected,) = hazard.expected(np.ones((1, len(hazard.share))))
        happened = hazard.is_event & (hazard.period[hazard.places] == np.arange(number)[:, None])
        left, events = np.split(predict(np.concatenate([happened - expected, expected])), 2)
        change = 1 + left / np.maximum(events, _LEAST_EXPECTED * expected.mean(axis=1, keepdims=True))
        risks = risks * np.clip(change, 1 / _MOST_CHANGE, _MOST_CHANGE)
        risks = risks / np.exp(np.mean(np.log(risks), axis=1, keepdims=True))
        risks = np.clip(risks, 1 / _MOST_RISK, _MOST_RISK)
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
