"""Selections for censored times, from input to verdicts; error rates where censoring depends on features."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sksurv.metrics import concordance_index_censored
from sksurv.util import Surv

from infosift import (
    Calibrated,
    DataWarning,
    InputError,
    MutualInfoSelector,
    Selection,
    censored_target,
    mutual_information,
    selection_stability,
)
from infosift.data.survival import survival_curve
from studies import simulated
from studies.calibration import Situation, count


def times_of(seed, n=150, name="linear hazard", censored=0.3, **options):
    return simulated.survival(name, seed, n=n, censored=censored, **options)


def fit(sample, **options):
    return MutualInfoSelector(random_state=0, **options).fit(sample.X, sample.y).selection_


def count_of(what, sample, n_runs):
    """In how many of so many runs something is so."""
    return round(n_runs * count(Situation("", sample, n_runs, (what,), ""), n_runs)[what])


@pytest.fixture(scope="module")
def sample():
    return times_of(0, n=200)


@pytest.fixture(scope="module")
def selection(sample):
    return fit(sample)


def test_features_that_act_on_the_hazard_are_selected(sample, selection):
    assert set(selection.indices) == sample.truth == {0, 1}
    assert {one.verdict for one in selection.verdicts if one.feature not in selection.names} == {"not shown"}
    assert selection.survival.n_events + selection.survival.n_censored == 200
    assert selection.target_kinds == (
        f"{selection.survival.n_events} events and {selection.survival.n_censored} censored times",
    )
    assert selection.explained is None
    assert selection.procedure.left_out == ("neighbours",)


def test_the_same_target_in_other_forms(sample, selection):
    event, time = sample.y["event"], sample.y["time"]
    for y in (
        Surv.from_arrays(event, time),
        censored_target(pd.Series(event.astype(int), name="event"), pd.Series(time, name="time")),
        censored_target(pl.Series(np.where(event, "dead", "alive")), time, event_value="dead"),
        censored_target(event, 100 * time),
    ):
        again = MutualInfoSelector(random_state=0).fit(sample.X, y).selection_
        assert again.names == selection.names
        assert [step.p_value for step in again.steps] == [step.p_value for step in selection.steps]


def test_it_is_stored_and_read_again(selection):
    again = Selection.from_json(selection.to_json())
    assert again == selection
    assert again.survival.curves[0].times.tolist() == selection.survival.curves[0].times.tolist()


def test_curves_are_those_of_thirds_and_categories():
    sample = times_of(1, n=120)
    frame = pd.DataFrame(sample.X[:, :3], columns=list("abc"))
    frame["a"] = np.where(sample.X[:, 0] > 0, "high", "low")
    selection = MutualInfoSelector(random_state=0, keep=["a", "b"]).fit(frame, sample.y).selection_
    by_label = {(curve.feature, curve.values): curve for curve in selection.survival.curves}
    assert {values for feature, values in by_label if feature == "a"} == {"high", "low"}
    column = np.where(sample.y["event"], sample.y["time"], -sample.y["time"])
    cuts = np.quantile(frame["b"], [1 / 3, 2 / 3])
    rows = {
        ("a", "high"): frame["a"] == "high",
        ("a", "low"): frame["a"] == "low",
        ("b", "lowest third"): frame["b"] <= cuts[0],
        ("b", "highest third"): frame["b"] > cuts[1],
    }
    for label, own in rows.items():
        curve, (times, shares) = by_label[label], survival_curve(column[own.to_numpy()])
        assert (curve.n_rows, curve.n_events) == (own.sum(), sample.y["event"][own].sum())
        np.testing.assert_allclose(np.interp(curve.times, times, times), curve.times)
        at = np.searchsorted(times, curve.times * (1 + 1e-12), side="right") - 1
        np.testing.assert_allclose(curve.shares, shares[at])


def test_rows_without_a_time_or_an_event_are_left_out(sample):
    event = [None, *sample.y["event"][1:].tolist()]
    time = np.where(np.arange(200) == 1, np.nan, sample.y["time"])
    with pytest.warns(DataWarning, match="Rows without a target are left out: 2 of 200"):
        selection = MutualInfoSelector(random_state=0).fit(sample.X, censored_target(event, time)).selection_
    assert selection.n_rows == 198
    assert selection.survival.n_events == sample.y["event"][2:].sum()


@pytest.mark.parametrize("search", ["backward", "floating", "filter"])
def test_other_searches(sample, search):
    selection = fit(sample, search=search)
    assert set(selection.indices) >= {0, 1}
    assert len(selection.indices) <= 3
    assert fit(sample, search=search, n_jobs=2) == selection


@pytest.mark.parametrize("subset", ["none", "of one"])
def test_bits_do_not_depend_on_the_order_of_columns_or_on_threads(subset):
    sample = times_of(4, n=100, name="U-shaped hazard")
    keep = [] if subset == "none" else ["x2"]
    names, order = [f"x{i}" for i in range(10)], np.random.default_rng(0).permutation(10)
    frame = pd.DataFrame(sample.X, columns=names)
    one = MutualInfoSelector(random_state=0, keep=keep, n_jobs=1).fit(frame, sample.y).selection_
    other = MutualInfoSelector(random_state=0, keep=keep, n_jobs=3).fit(frame.iloc[:, order], sample.y).selection_
    assert [(s.feature, s.p_value, s.statistic) for s in one.steps] == [
        (s.feature, s.p_value, s.statistic) for s in other.steps
    ]
    assert one.for_prediction.names == other.for_prediction.names


def test_the_features_to_predict_with_have_a_concordance():
    sample = times_of(2, n=300)
    selection = fit(sample, goal="predict")
    risk = 0.8 * sample.X[:, 0] + 0.8 * sample.X[:, 1]
    best = concordance_index_censored(sample.y["event"], sample.y["time"], risk)[0]
    assert best - 0.06 < selection.for_prediction.concordance < best + 0.02
    assert set(selection.for_prediction.names) >= {"x0", "x1"}


def test_stability_divides_events_evenly(sample):
    stability = selection_stability(MutualInfoSelector(), sample.X, sample.y, n_resamples=4, random_state=0)
    assert stability.frequency("x0") == stability.frequency("x1") == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "published"}, 'p-values are right only with method="calibrated": set that'),
        (
            {"method": Calibrated(null="shuffle")},
            r'right only with method=Calibrated\(null="residual"\): set that',
        ),
        ({"method": Calibrated(null="circular")}, r'right only with method=Calibrated\(null="residual"\)'),
        ({"discrete_target": True}, "is a time until an event: leave discrete_target out"),
    ],
)
def test_what_does_not_fit_is_refused(sample, options, sentence):
    with pytest.raises(InputError, match=sentence):
        fit(sample, **options)
    with pytest.raises(InputError, match="y is a structured array, as of censored times"):
        mutual_information(sample.X, sample.y)


@pytest.mark.parametrize(
    ("columns", "warned"),
    [
        (["months", "died"], True),
        (["OS_time", "OS.event"], True),
        (["timely", "diet"], False),
        (["months", "sex"], False),
    ],
)
def test_two_columns_named_like_a_time_and_its_event_are_noted(sample, columns, warned):
    target = pd.DataFrame({columns[0]: sample.y["time"], columns[1]: sample.y["event"].astype(int)})
    for X, y in (
        (sample.X[:, :3], target),
        (pd.DataFrame(sample.X[:, :3]).assign(**{columns[1]: target[columns[1]]}), target[columns[0]]),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            MutualInfoSelector(random_state=0, max_features=1).fit(X, y)
        assert any("censored_target(event, time)" in str(one.message) for one in caught) == warned


def test_a_feature_that_is_the_time_or_the_event_is_a_leak(sample):
    for leak in (sample.y["time"] * 2, sample.y["event"] * 1.0):
        with pytest.warns(DataWarning, match='"x10" determines the target nearly alone'):
            MutualInfoSelector(random_state=0, max_features=1).fit(np.column_stack([sample.X, leak]), sample.y)


@pytest.mark.parametrize("what", ["independent", "depends on x0", "depends on a bend of x0", "heavy ties"])
def test_whatever_censoring_depends_on_little_is_selected(what):
    # Where it is 5 %, more than 4 of 12 have a probability of 0.0002.
    sample = partial(simulated.survival, "no effect", n=100, censored=0.7, censoring=what)
    assert count_of("any", sample, 12) <= 4


def test_neighbours_would_take_censoring_for_an_effect(monkeypatch):
    # What the tests above could not do without: neighbours of residuals see their spread and shape.
    from infosift.inference.statistics.neighbors import NeighborStatistic

    monkeypatch.setattr(NeighborStatistic, "takes_censored", True)
    sample = partial(simulated.survival, "no effect", n=300, censored=0.7, censoring="depends on x0")
    assert count_of("any", sample, 10) > 3


@pytest.mark.parametrize("name", ["crossing", "delayed", "cured"])
def test_hazards_given_a_feature_may_change_with_time(name):
    # With risks that stay the same over time x1 is selected in most of these tables of crossing hazards.
    sample = partial(simulated.changing_hazards, name, n=300)
    situation = Situation("", sample, 12, ("unrelated",), "", keeps=True)
    assert round(12 * count(situation, 12)["unrelated"]) <= 4


@pytest.mark.simulation
@pytest.mark.parametrize("what", ["independent", "depends on x0", "heavy ties"])
@pytest.mark.parametrize("censored", [0.3, 0.7])
@pytest.mark.parametrize("n", [100, 300])
def test_level(what, censored, n):
    # More than 17 of 200 have a probability of 0.01 where it is 5 %.
    sample = partial(simulated.survival, "no effect", n=n, censored=censored, censoring=what)
    assert count_of("any", sample, 200) <= 17


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("name", "censored", "least"),
    [
        ("linear hazard", 0.3, 93),
        ("linear hazard", 0.7, 80),
        ("U-shaped hazard", 0.3, 93),
        ("U-shaped hazard", 0.7, 93),
        ("crossing hazards", 0.3, 80),
    ],
)
def test_power(name, censored, least):
    # Three standard errors of 50 runs below what is to be reached.
    sample = partial(simulated.survival, name, n=200, censored=censored)
    share = least / 100
    assert count_of("exact", sample, 50) >= 50 * (share - 3 * np.sqrt(share * (1 - share) / 50))
