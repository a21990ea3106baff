"""Censored times: how they are read, and estimates against their definitions and against scikit-survival."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sksurv.metrics import concordance_index_censored
from sksurv.nonparametric import kaplan_meier_estimator, nelson_aalen_estimator
from sksurv.util import Surv

from infosift import InputError, MutualInfoSelector, censored_target
from infosift.data.survival import (
    as_structured,
    concordance,
    martingale_residuals,
    read_censored,
    relative_risks,
    survival_curve,
)
from infosift.data.targets import read_target


@st.composite
def censored_columns(draw):
    n_rows = draw(st.integers(3, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    times = rng.exponential(size=n_rows)
    times = np.ceil(4 * times) if draw(st.booleans()) else times
    is_event = rng.uniform(size=n_rows) < draw(st.sampled_from([0.3, 0.7, 1.0]))
    is_event[np.argmin(times)] = is_event[np.argmax(times)] = True
    return np.where(is_event, times, -times)


def at_each_row(times, values, own):
    """Values of a step function at the times of rows."""
    return values[np.searchsorted(times, own, side="right") - 1]


@given(censored_columns())
def test_estimates_are_those_of_scikit_survival(column):
    is_event, times = ~np.signbit(column), np.abs(column)
    hazards = at_each_row(*nelson_aalen_estimator(is_event, times), times)
    residuals = martingale_residuals(column).residuals
    np.testing.assert_allclose(residuals[0], is_event - hazards, atol=1e-12)
    expected_times, expected_shares = kaplan_meier_estimator(is_event, times)
    found_times, found_shares = survival_curve(column)
    np.testing.assert_array_equal(found_times, [0, *expected_times])
    np.testing.assert_allclose(found_shares, [1, *expected_shares], atol=1e-12)
    risks = np.random.default_rng(len(column)).integers(0, 5, size=len(column)).astype(float)
    if len(np.unique(times)) > 1:
        assert concordance(column, risks) == pytest.approx(concordance_index_censored(is_event, times, risks)[0])


@given(censored_columns(), st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_residuals_and_variances_are_sums_over_events(column, seed, n_periods):
    # By definition: a weight at each own event, less weight times own risk times hazard at all events until then.
    risks_in_periods = np.random.default_rng(seed).uniform(0.2, 5, size=(n_periods, len(column)))
    is_event, times = ~np.signbit(column), np.abs(column)
    residuals, variances = np.zeros((2, len(column))), np.zeros((2, len(column)))
    n_events, before = is_event.sum(), 0
    for time in np.unique(times[is_event]):
        here = is_event & (times == time)
        share = (before + here.sum() / 2) / n_events
        before += here.sum()
        weights = np.array([1, np.sqrt(3) * (2 * share - 1)])
        risks = risks_in_periods[min(int(share * n_periods), n_periods - 1)]
        hazard = here.sum() / risks[times >= time].sum()
        residuals[:, here] += weights[:, None]
        residuals[:, times >= time] -= weights[:, None] * hazard * risks[times >= time]
        variances[:, times >= time] += weights[:, None] ** 2 * hazard * risks[times >= time]
    found = martingale_residuals(column, risks_in_periods)
    np.testing.assert_allclose(found.residuals, residuals, atol=1e-10)
    np.testing.assert_allclose(found.variances, variances, atol=1e-10)
    np.testing.assert_allclose(found.residuals.sum(axis=1), 0, atol=1e-9)


def test_relative_risks_are_those_of_a_proportional_hazard():
    # What predicts is the truth: a mean over rows of the same of five values of a feature.
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, size=4000)
    true = np.exp(0.5 * (x - 2))
    times, ends = rng.exponential(1 / true), rng.exponential(np.exp(0.5 * (x - 2)), size=4000)
    column = np.where(times <= ends, np.minimum(times, ends), -np.minimum(times, ends))

    def predict(columns):
        means = np.stack([np.bincount(x, own) / np.bincount(x) for own in columns])
        return means[:, x]

    found = relative_risks(column, predict)
    overall = np.log(found).mean(axis=0)
    # Standard errors of logarithms are 0.05 and more.
    np.testing.assert_allclose(overall - overall.mean(), np.log(true) - np.log(true).mean(), atol=0.2)
    means = predict(martingale_residuals(column, found).residuals[:1])
    assert np.abs(means).max() < 0.02  # without risks, 0.4


def test_equal_risks_count_half_and_without_pairs_there_is_no_concordance():
    assert concordance(np.array([1.0, 2.0, -3.0]), np.zeros(3)) == 0.5
    assert np.isnan(concordance(np.array([-1.0, 2.0]), np.zeros(2)))


@pytest.mark.parametrize(
    "event",
    [
        [True, False, True],
        [1, 0, 1],
        [1.0, 0.0, 1.0],
        np.array([True, False, True]),
        pd.Series([True, False, True], name="died"),
        pl.Series("died", [1, 0, 1]),
    ],
    ids=str,
)
def test_events_as_they_are_written(event):
    target = censored_target(event, [3.0, 2.0, 1.0])
    np.testing.assert_array_equal(target[target.dtype.names[0]], [True, False, True])
    np.testing.assert_array_equal(target[target.dtype.names[1]], [3.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("event", "value"),
    [
        (["dead", "alive", "dead"], "dead"),
        (pl.Series(["dead", "alive", "dead"]), "dead"),
        ([2, 1, 2], 2),
        ([2, 1, 2], "2"),
        ([0, 1, 0], 0),
        ([False, True, False], "false"),
        (pd.Series(["x", "y", "x"], dtype="category"), "x"),
        (["Dead", "alive", "Dead"], "DEAD"),
        ([1, 0, 1], "1.0"),
        (["1", "0", "1"], 1),
        (np.array([b"d", b"a", b"d"]), "d"),
    ],
    ids=str,
)
def test_which_value_is_the_event(event, value):
    assert censored_target(event, [1, 2, 3], event_value=value)["event"].tolist() == [True, False, True]


@pytest.mark.parametrize(
    "event",
    [
        [1, None, 0],
        [1, pd.NA, 0],
        [True, float("nan"), False],
        pd.Series([1, None, 0], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pl.Series([True, None, False]),
    ],
    ids=str,
)
def test_gaps_of_the_event_are_gaps_of_the_time(event):
    column = read_censored(censored_target(event, [3.0, 2.0, 1.0]))
    np.testing.assert_array_equal(column.values[0], [3.0, np.nan, -1.0])


def test_lengths_of_time_are_times():
    time = pd.Series(pd.to_timedelta([1, 2], unit="D"))
    assert censored_target([1, 0], time)["time"].tolist() == [1.0, 2.0]


def test_names_are_those_of_columns_and_stay_apart():
    event, time = pd.Series([1, 0], name="died"), pd.Series([1.0, 2.0], name="months")
    assert censored_target(event, time).dtype.names == ("died", "months")
    assert censored_target(event.rename("y"), time.rename("y")).dtype.names == ("event", "time")
    column = read_target(Surv.from_arrays([True, False], [1.0, 2.0], name_event="died", name_time="months"))
    assert (column.names, column.event.name, column.values.tolist()) == (("months",), "died", [[1.0, -2.0]])


def test_time_zero_is_an_event_or_censored():
    target = censored_target([True, False, True], [0.0, 0.0, 1.0])
    column = read_censored(target)
    assert np.signbit(column.values[0]).tolist() == [False, True, False]
    np.testing.assert_array_equal(as_structured(column), target)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1, 0, 2], [1, 2, 3]), r'^The event "event" has 3 values, such as 1, 0, 2: give one with two'),
        (
            ([1, None], [1, 2]),
            r'^The event "event" is 1 or missing: give another value, such as 0, where a time is',
        ),
        (([[1], [0]], [1, 2]), r'^The event "event" has several columns, or is none: give one of shape'),
        (([1, 0], [date(2024, 1, 1), date(2024, 1, 2)]), r'^The time "time" has dates: give the time since entry'),
        (([1, 0], pd.Series(pd.to_datetime(["2024-01-01"] * 2))), r'^The time "time" has dates'),
        (([1, 0], pl.Series("t", [date(2024, 1, 1)] * 2)), r'^The time "t" has dates'),
        (
            (["a", "b"], [1, 2]),
            r"""^The event "event" has the values 'a', 'b': say which is the event with event_value\.$""",
        ),
        (([2, 2], [1, 2]), r'^The event "event" has the value 2: say which'),
        (([1, 0], [1, -2]), r'^The time "time" is negative \(-2\) in row 1 .*: give the time since entry\.$'),
        (([1, 0], [1, np.inf]), r'^The time "time" is infinite'),
        (([1, 0], ["a", "b"]), r'^The time "time" is text or categories: give numbers\.$'),
        (([1, 0], [1, 2, 3]), "2 .* 3"),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        censored_target(*arguments)
    with pytest.raises(InputError, match="never has the value 'x', but 1, 0: give one of these as event_value"):
        censored_target([1, 0], [1, 2], event_value="x")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ([("a", float), ("b", float)], "fields a, b: a censored target has one of booleans"),
        (
            [("e", bool), ("start", float), ("stop", float)],
            r"times of entry \(left truncation\) are not supported",
        ),
        ([("e", bool), ("t", "U3")], "a censored target has one of booleans"),
    ],
)
def test_other_structured_arrays_are_refused(fields, sentence):
    with pytest.raises(InputError, match=sentence):
        MutualInfoSelector().fit(np.ones((4, 1)), np.zeros(4, dtype=fields))
    with pytest.raises(InputError, match="one event and one time for each row"):
        read_censored(np.zeros((4, 2), dtype=[("e", bool), ("t", float)]))


@pytest.mark.parametrize(
    ("event", "time", "sentence"),
    [
        (np.zeros(30), np.arange(30.0), "no event among 30 rows"),
        (np.arange(30) == 4, np.arange(30.0), "one event only among 30 rows"),
        (np.arange(30) < 9, np.where(np.arange(30) < 9, 5.0, 9.0), "all events at one time"),
    ],
)
def test_targets_that_nothing_can_be_informative_about(event, time, sentence):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(InputError, match=sentence):
        MutualInfoSelector().fit(X, censored_target(event, time))
