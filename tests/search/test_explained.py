"""What the selected features explain, beside problems whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from infosift import Filter, MutualInfoSelector
from samples import friedman, make_selector


def explained_of(X, y, **options):
    return make_selector(random_state=0, **options).fit(X, y).selection_


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_the_share_of_the_variance_of_a_linear_model(share):
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 3))
        y = np.sqrt(share / 2) * (X[:, 0] + X[:, 1]) + np.sqrt(1 - share) * rng.normal(size=300)
        found.append(explained_of(X, y).explained.share)
    assert np.mean(found) == pytest.approx(share, abs=0.05)


def bayes_error_of_two_normal_classes(distance):
    from scipy.stats import norm

    return norm.cdf(-distance / 2)


@pytest.mark.parametrize("distance", [1.0, 2.0, 3.0])
def test_the_bound_lies_below_the_error_of_the_best_model_and_not_far(distance):
    bounds = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 200)
        X = rng.normal(size=(400, 3))
        X[:, 0] += distance * y
        bounds.append(explained_of(X, y).explained.least_error)
    best = bayes_error_of_two_normal_classes(distance)
    assert best / 3 < np.mean(bounds) < best


def test_units_and_skewness_do_not_count():
    X, y = friedman(0)
    one = explained_of(X, y).explained
    assert explained_of(X, 1000 * y).explained.share == pytest.approx(one.share, abs=1e-9)
    skewed = MutualInfoSelector(random_state=0, scale="rank").fit(X, np.exp(y / 4)).selection_.explained
    assert skewed.share == pytest.approx(one.share, abs=0.15)


def test_nothing_is_said_where_there_is_no_such_number():
    X, y = friedman(0)
    noise = np.random.default_rng(0).normal(size=100)
    assert explained_of(X, noise).explained is None
    assert explained_of(X, np.column_stack([y, noise])).explained is None
    assert explained_of(X, y, criterion="delta").explained is None


def test_rows_with_gaps_in_the_selected_features_do_not_count():
    X, y = friedman(0, n=200)
    frame = pd.DataFrame(X)
    frame.iloc[::7, 3] = np.nan
    selection = explained_of(frame, y, missing="partial", max_features=2)
    assert 3 in selection.indices
    assert 0 < selection.explained.share < 1


def test_single_features_have_the_information_of_their_own_steps():
    selection = explained_of(*friedman(0))
    first = selection.steps[0]
    assert selection.information_alone[first.index] == first.information
    irrelevant = [said.feature for said in selection.verdicts if said.verdict == "irrelevant"]
    unknown = [
        name
        for name, value in zip(selection.feature_names, selection.information_alone, strict=True)
        if np.isnan(value)
    ]
    assert unknown == irrelevant


def test_a_filter_and_a_published_search_have_it_too():
    X, y = friedman(0)
    for selection in (explained_of(X, y, search=Filter()), explained_of(X, y, method="published")):
        assert selection.explained.share > 0.5
        assert np.isfinite(selection.information_alone[list(selection.indices)]).all()
