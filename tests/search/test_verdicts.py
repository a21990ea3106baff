"""Verdicts on all features, and how much of the target the selected ones explain."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from infosift import Filter, MutualInfoSelector, Selection
from samples import friedman, make_selector
from studies import simulated


def select(X, y, groups=None, **options):
    return make_selector(**{"random_state": 0, **options}).fit(X, y, groups=groups).selection_


def noise(n=50, d=60, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n)


@pytest.fixture(scope="module")
def nothing():
    return select(*noise(seed=2))


@pytest.fixture(scope="module")
def selection():
    return select(*friedman(1))


def test_those_not_selected_rest_on_the_first_step(nothing):
    first = nothing.steps[0]
    for place, said in enumerate(nothing.verdicts):
        assert said.verdict == "not shown"
        assert said.p_value == first.candidate_p_values[place]
        assert said.unadjusted_p_value == first.candidate_unadjusted_p_values[place]
        assert (said.n_candidates, said.given) == (60, ())


def test_a_feature_may_seem_significant_alone_and_is_not_shown_all_the_same(nothing):
    alpha = nothing.settings.alpha
    small = [said for said in nothing.verdicts if said.unadjusted_p_value <= alpha]
    # Binomial(60, 0.05): none has a chance of 5 %, more than nine one of 0.1 %.
    assert 0 < len(small) <= 9
    assert all(said.verdict == "not shown" and said.p_value > alpha for said in small)


def test_adjusting_never_makes_a_p_value_smaller(nothing, selection):
    for one in (nothing, selection):
        for step in one.steps:
            assert np.all(step.candidate_unadjusted_p_values <= step.candidate_p_values)
            assert step.unadjusted_p_value is None or step.unadjusted_p_value <= step.p_value
        assert all(said.unadjusted_p_value <= said.p_value for said in one.verdicts if said.n_candidates > 1)


def test_of_noise_the_unadjusted_p_values_are_uniform():
    p_values = [
        select(*noise(60, 20, seed), n_permutations=59, max_features=1).steps[0].candidate_unadjusted_p_values
        for seed in range(20)
    ]
    # 400 of them, of 20 tables: at most 5 % are at most 0.05, with a standard error of 1.1 %.
    assert 0.02 < np.mean(np.concatenate(p_values) <= 0.05) < 0.083
    assert np.mean(np.concatenate(p_values)) == pytest.approx(0.5, abs=0.07)


def test_a_single_candidate_has_nothing_to_adjust_for():
    (said,) = select(*noise(d=1)).verdicts
    assert said.p_value == said.unadjusted_p_value
    assert said.n_candidates == 1
    assert "adjusted" not in said.rests_on


def test_those_selected_rest_on_their_step(selection):
    said = {one.feature: one for one in selection.verdicts}
    before = []
    for step in selection.accepted:
        found = said[step.feature]
        if step.feature in selection.names:
            assert found.verdict == "selected"
        assert (found.p_value, found.unadjusted_p_value) == (step.p_value, step.unadjusted_p_value)
        assert (found.n_candidates, found.given) == (10 - len(before), tuple(before))
        before.append(step.feature)
    assert len(before) > 2
    last = said[before[-1]]
    assert last.rests_on.startswith(
        f"p = {last.p_value:.2g} conditional on {', '.join(before[:-1])}, adjusted for "
    )


def test_what_is_kept_is_what_verdicts_are_conditional_on():
    X, y = friedman(1)
    selection = select(X, y, keep=["x3"], max_features=2)
    assert {said.given for said in selection.verdicts if said.verdict != "selected"} == {("x3",)}


def test_one_that_replaced_two_rests_on_a_test_of_its_own_and_those_replaced_on_their_steps():
    sample = simulated.friedman(114, 100, n_copies=5)
    selection = select(sample.X, sample.y)
    assert selection.replacements
    said = {one.feature: one for one in selection.verdicts}
    for replacement in selection.replacements:
        found = said[replacement.feature]
        assert (found.p_value, found.n_candidates) == (replacement.p_value, 1)
        assert not set(found.given) & {replacement.feature, *replacement.replaced}
        steps = {step.feature: step for step in selection.accepted}
        assert all(said[name].p_value == steps[name].p_value for name in replacement.replaced if name in steps)


def test_a_pair_has_no_unadjusted_p_value():
    for seed in range(1000, 1006):
        sample = simulated.exclusive_or(seed, 200)
        selection = select(sample.X, sample.y)
        pairs = [step for step in selection.accepted if len(step.columns) == 2]
        if pairs:
            break
    assert pairs[0].unadjusted_p_value is None
    members = [selection.feature_names[i] for i in pairs[0].columns]
    of_pair = [said for said in selection.verdicts if said.feature in members]
    assert [said.unadjusted_p_value for said in of_pair] == [None, None]
    assert "unadjusted" not in of_pair[0].rests_on
    assert Selection.from_json(selection.to_json()) == selection


def test_the_published_method_has_unadjusted_p_values_and_no_verdicts():
    X, y = friedman(1)
    selection = select(X, y, method="published", max_features=2)
    assert selection.verdicts == ()
    assert selection.smallest_detectable_correlation is None
    assert all(step.unadjusted_p_value == step.p_value for step in selection.steps)


def test_power_is_said_by_the_rows_that_are_tested(nothing, selection):
    assert 0.4 < nothing.smallest_detectable_correlation < 0.7
    assert selection.smallest_detectable_correlation < nothing.smallest_detectable_correlation
    more = select(*noise(d=200))
    assert more.smallest_detectable_correlation > nothing.smallest_detectable_correlation
    spectrum = np.cumsum(np.random.default_rng(0).normal(size=(50, 100)), axis=1)
    alike = select(spectrum, noise()[1])
    assert alike.smallest_detectable_correlation < more.smallest_detectable_correlation


def test_no_power_is_said_with_row_groups():
    X, y = noise(n=60, d=4)
    assert select(X, y, groups=np.repeat(np.arange(20), 3)).smallest_detectable_correlation is None
    assert select(X, y).smallest_detectable_correlation is not None


def explained_of(X, y, **options):
    return make_selector(random_state=0, **options).fit(X, y).selection_


@pytest.mark.parametrize(
    "share", [0.6, *(pytest.param(share, marks=pytest.mark.simulation) for share in (0.3, 0.9))]
)
def test_the_share_of_the_variance_of_a_linear_model(share):
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 3))
        y = np.sqrt(share / 2) * (X[:, 0] + X[:, 1]) + np.sqrt(1 - share) * rng.normal(size=300)
        found.append(explained_of(X, y).explained.share)
    assert np.mean(found) == pytest.approx(share, abs=0.05)


def share_of_entropy(shift):
    """Of two classes of one size, whose means of a normal feature lie so far apart: by the log odds x * shift."""
    odds = shift**2 / 2 + shift * norm.ppf((np.arange(10_000) + 0.5) / 10_000)
    return 1 - np.mean(np.log1p(np.exp(-odds))) / np.log(2)


@pytest.mark.parametrize(
    "shift", [2.0, *(pytest.param(shift, marks=pytest.mark.simulation) for shift in (1.0, 3.0))]
)
def test_the_share_of_the_entropy_of_two_normal_classes(shift):
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 200)
        X = rng.normal(size=(400, 3))
        X[:, 0] += shift * y
        found.append(explained_of(X, y).explained.share)
    assert np.mean(found) == pytest.approx(share_of_entropy(shift), abs=0.05)


@pytest.mark.simulation
def test_the_share_is_not_inflated_by_a_search_among_many_features():
    """The best of 300 features is correlated by 0.5 with the target in truth, and by 0.6 where it is selected."""
    shares, covered, truth = [], [], 0.25
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 300))
        y = np.sqrt(truth) * X[:, 0] + np.sqrt(1 - truth) * rng.normal(size=60)
        selection = explained_of(X, y)
        if selection.indices == (0,):
            shares.append(selection.explained.share)
            covered.append(selection.explained.interval[0] <= truth <= selection.explained.interval[1])
    assert len(shares) >= 20
    assert np.mean(shares) == pytest.approx(truth, abs=0.05)
    assert np.mean(covered) >= 0.9


def test_a_score_is_explained_as_a_number_and_a_code_as_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    score = np.clip(np.round(5 + 2 * X[:, 0] + rng.normal(size=200)), 0, 10)
    assert explained_of(X, score).explained.entropy is None
    code = np.array([2, 0, 1])[np.digitize(X[:, 0] + 0.2 * rng.normal(size=200), [-0.5, 0.5])]
    assert explained_of(X, code).explained.entropy is not None


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
    not_shown = [said.feature for said in selection.verdicts if said.verdict == "not shown"]
    unknown = [
        name
        for name, value in zip(selection.feature_names, selection.information_alone, strict=True)
        if np.isnan(value)
    ]
    assert unknown == not_shown


def test_a_filter_and_a_published_search_have_it_too():
    X, y = friedman(0)
    for selection in (explained_of(X, y, search=Filter()), explained_of(X, y, method="published")):
        assert selection.explained.share > 0.5
        assert np.isfinite(selection.information_alone[list(selection.indices)]).all()
