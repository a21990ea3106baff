"""A step has one meaning, whichever method made it."""

import numpy as np
import pytest

from infosift import permutation_test
from infosift.results import PermutationTest, Removal, Replacement, Step, Verdict
from samples import friedman, make_selector

OPTIONS = {
    "published": {"method": "published"},
    "published, few draws": {"method": "published", "n_neighbors": 6, "n_permutations": 19, "alpha": 0.1},
    "calibrated": {},
    "calibrated, given draws": {"n_permutations": 99, "alpha": 0.1},
    "calibrated, small alpha": {"alpha": 0.01},
}


@pytest.fixture(scope="module", params=OPTIONS)
def selection(request):
    X, y = friedman(1)
    return make_selector(**OPTIONS[request.param], random_state=0).fit(X, y).selection_


def test_above_the_threshold_is_significant_is_accepted(selection):
    assert selection.accepted
    assert not selection.steps[-1].accepted
    for step in selection.steps:
        assert step.accepted == step.significant == (step.p_value <= step.alpha)
        assert step.accepted == (step.statistic > step.threshold)
        assert step.p_low <= step.p_value <= step.p_high


def test_p_values_are_those_of_the_statistics(selection):
    for step in selection.steps:
        assert len(step.null) == step.n_permutations
        as_high = np.count_nonzero(step.null >= step.statistic)
        assert step.p_value == (1 + as_high) / (1 + step.n_permutations)
        assert step.threshold in step.null


def test_alpha_is_divided_as_the_selection_says(selection):
    shares = [share for _, share in selection.alpha_shares]
    assert sum(shares) <= 1
    for step in selection.steps:
        assert step.alpha in [pytest.approx(share * selection.settings.alpha) for share in shares]


def test_information_is_in_nats_and_has_a_threshold_where_the_statistic_is_that_of_one_estimate(selection):
    for step in selection.steps:
        if selection.adjusted:
            assert step.information_threshold is None
            continue
        assert step.accepted == (step.information > step.information_threshold)
        draws = np.array([step.statistic, *step.null])
        assert draws.mean() == pytest.approx(0, abs=1e-9)
        assert draws.std() == pytest.approx(1)
        # Statistic and information differ by a scale and a shift alone, that of all draws.
        spread = (step.information - step.information_threshold) / (step.statistic - step.threshold)
        assert spread > 0
        assert step.information - spread * step.statistic == pytest.approx(
            step.information_threshold - spread * step.threshold
        )


def test_candidates_have_what_the_method_works_out_about_each(selection):
    for step in selection.steps:
        n_candidates = len(step.candidates)
        assert step.index in step.candidates
        place = step.candidates.index(step.index)
        if not selection.adjusted:
            assert len(step.candidate_information) == n_candidates
            assert step.candidate_information[place] == max(step.candidate_information) == step.information
            assert len(step.candidate_statistics) == len(step.candidate_p_values) == 0
            assert step.candidate_permutations == len(step.candidate_null) == 0
            assert len(step.candidate_unadjusted_p_values) == 0
            assert step.unadjusted_p_value == step.p_value
            continue
        assert len(step.candidate_information) == 0
        assert len(step.candidate_statistics) == len(step.candidate_p_values) == n_candidates
        assert len(step.candidate_unadjusted_p_values) == n_candidates
        assert len(step.candidate_null) == step.candidate_permutations
        for statistic, p_value in zip(step.candidate_statistics, step.candidate_p_values, strict=True):
            as_high = np.count_nonzero(step.candidate_null >= statistic)
            assert p_value == pytest.approx((1 + as_high) / (1 + step.candidate_permutations))
        # Those of candidates are of the first test of a step; one that passes is the best by another measure.
        if step.alpha == dict(selection.alpha_shares)["series"] * selection.settings.alpha:
            assert step.candidate_statistics[place] == step.statistic <= max(step.candidate_statistics)
            assert step.candidate_p_values[place] == step.p_value >= min(step.candidate_p_values)
            assert step.candidate_permutations == step.n_permutations
            assert step.candidate_unadjusted_p_values[place] == step.unadjusted_p_value
            assert step.candidate_null.tolist() == step.null.tolist()
            assert step.accepted or step.statistic == max(step.candidate_statistics)
        else:
            assert min(step.candidate_p_values) > dict(selection.alpha_shares)["series"] * selection.settings.alpha


def test_steps_travel_as_json(selection):
    for step in selection.steps:
        again = Step.from_json(step.to_json())
        assert again == step
        assert again.seconds == step.seconds
        assert again.information_threshold == step.information_threshold


def test_a_single_test_has_the_meaning_of_a_step():
    X, y = friedman(1)
    step = make_selector(method="published", n_neighbors=6, max_features=1, random_state=0).fit(X, y)
    first = step.selection_.steps[0]
    test = permutation_test(X[:, first.index], y, null="shuffle", n_neighbors=6, random_state=0)
    assert (test.information, test.n_permutations) == (first.information, first.n_permutations)
    for one in (test, first):  # with draws of their own
        assert one.p_value == (1 + np.count_nonzero(one.null >= one.statistic)) / (1 + one.n_permutations)
        assert one.p_low <= one.p_value <= one.p_high
        draws = np.array([one.statistic, *one.null])  # studentised, the data included
        np.testing.assert_allclose([draws.mean(), draws.std()], [0, 1], atol=1e-9)
        assert (one.information > one.information_threshold) == (one.statistic > one.threshold) == one.significant
    assert PermutationTest.from_json(test.to_json()) == test


@pytest.mark.parametrize(
    "record",
    [
        Verdict("bmi", "redundant", 0.01, ("s5", "bp")),
        Verdict("age", "not shown", 0.4),
        Verdict("sex", "selected", 0.01, (), 0.002, 6, ("s5", "bmi")),
        Replacement("area", ("length", "width"), 0.01),
        Removal(("width", "height"), 0.4),
    ],
)
def test_decisions_travel_as_json(record):
    assert type(record).from_json(record.to_json()) == record


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        (
            Verdict("a", "not shown", 0.21, (), 0.008, 1200),
            "p = 0.21 adjusted for 1,200 candidates (0.008 unadjusted)",
        ),
        (Verdict("a", "selected", 0.01, (), 0.002, 6, ("b", "c")), None),
        (Verdict("a", "selected", 0.004, (), None, 30), "p = 0.004 adjusted for 30 candidates"),
        (Verdict("a", "not shown", 0.4, (), 0.4, 1), "p = 0.4"),
        (Verdict("a", "selected", 0.01, (), 0.01, 1, ("b",)), "p = 0.01 conditional on b"),
    ],
)
def test_a_verdict_says_what_it_rests_on(verdict, text):
    assert verdict.rests_on == (
        text or "p = 0.01 conditional on b, c, adjusted for 6 candidates (0.002 unadjusted)"
    )
