"""Neighbour scores of draws against asking about one candidate at a time; screened ones against all of them."""

import numpy as np
import pytest

from infosift.data.groups import FeatureUnit
from infosift.engines.base import Question
from infosift.inference.max_test import NullSample
from infosift.inference.statistics.neighbors import JointInformation, NeighborStatistic
from infosift.inference.statistics.series import SeriesStatistic, effects_of
from samples import conditional_on


def make(subset=(), *, classes=False, seed=0, order=None, scales=1.0, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 60))
    X[3] = np.exp(X[2])  # has the ranks of another, and so its effects
    y = X[0] + rng.normal(size=60)
    y = np.digitize(y, [-0.5, 0.5]).astype(float) if classes else y
    order = np.arange(8) if order is None else order
    X = X * np.reshape(scales, (-1, 1))
    return conditional_on(X[order], y, subset, names=[f"x{i}" for i in order], **options)


def one_score(test, columns, given, target):
    """The score of a surrogate, for each value of the criterion's parameter."""
    question = Question(columns[-1:], np.concatenate([given, columns[:-1]]), target)
    return test.context.criterion.score([question], test.context.values, test.context.engine)[0][0]


def surrogate_of(test, draw, unit):
    """A unit and its residual in a draw, in the scale of distances."""
    context, index = test.context, test.indices([draw])[0]
    columns = context.table.columns[list(unit.columns)]
    surrogates = context.null.model(test.given, test.regression, context.seed).surrogates(columns)
    drawn = columns if draw == 0 else surrogates.draw(index)
    return [context.table.scale_distances(own, unit.columns) for own in (drawn, surrogates.residuals()[:, index])]


def slow_scores(test, draw, unit, n_versions=None):
    """The definition: a question for each value, component of the target and way to ask; means over versions."""
    drawn, residual = surrogate_of(test, draw, unit)
    given = test.context.table.scale_distances(test.given, test.subset)
    ways = [(drawn, given[:0])]
    if len(given):
        ways.append((drawn, given))
    if test.tests_residuals:
        ways.append((residual, given[:0]))
    return [
        score
        for columns, beside in ways
        for versions in test.components
        for score in np.mean([one_score(test, columns, beside, own) for own in versions[:n_versions]], axis=0)
    ]


@pytest.mark.parametrize("subset", [(), (1, 5)])
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 2])  # candidates in one block, and in several
def test_scores_are_those_of_one_question_at_a_time(subset, classes, n_jobs):
    groups = (FeatureUnit("two", (0, 4)),)
    test = make(subset, classes=classes, feature_groups=groups, n_jobs=n_jobs, residuals=n_jobs == 1)
    assert (len(test.blocks.handles) == 1) == (n_jobs == 1)
    assert test.tests_residuals == (n_jobs == 1 and len(subset) > 0)
    scores = NeighborStatistic(test, "testing").scores(range(3))
    for draw in range(3):
        expected = [slow_scores(test, draw, unit) for unit in test.units]
        np.testing.assert_allclose(scores[draw], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("subset", [(), (1, 5)])
def test_distances_count_as_the_columns_are_given(subset):
    scales, groups = 2.0 ** np.arange(8), (FeatureUnit("two", (0, 4)),)
    test = make(subset, scales=scales, scale="none", feature_groups=groups, n_jobs=2, residuals=True)
    assert test.context.table.distance_scale is not None
    scores = NeighborStatistic(test, "testing").scores(range(3))
    for draw in range(3):
        expected = [slow_scores(test, draw, unit) for unit in test.units]
        np.testing.assert_allclose(scores[draw], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("null", ["residual", "shuffle"])
@pytest.mark.parametrize("classes", [False, True])
def test_joint_information_is_that_of_subset_and_candidate_about_the_whole_target(null, classes):
    test = make((1, 5), classes=classes, null=null)
    scores = JointInformation(test, "testing").scores(range(3))
    versions = [test.context.table.target.columns]
    if null == "residual":
        versions = test.components[:, :, 0].swapaxes(0, 1)
    for draw in range(3):
        for unit, own in zip(test.units, scores[draw], strict=True):
            drawn = surrogate_of(test, draw, unit)[0]
            expected = np.mean([one_score(test, drawn, test.given, target) for target in versions], axis=0)
            np.testing.assert_allclose(own, expected, rtol=1e-12, atol=1e-12)


@pytest.fixture
def screened_to_three(monkeypatch):
    monkeypatch.setattr(NeighborStatistic, "max_candidates", 3)


@pytest.mark.parametrize("subset", [(), (1,)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_of_many_candidates_those_of_largest_effect_are_scored_in_each_draw(monkeypatch, subset, n_jobs):
    test = make(subset, feature_groups=(FeatureUnit("two", (0, 4)),), n_jobs=n_jobs, residuals=True)
    statistic = NeighborStatistic(test, "testing")
    assert statistic.per_candidate
    all_scores = statistic.scores(range(12))
    monkeypatch.setattr(NeighborStatistic, "max_candidates", 3)
    statistic = NeighborStatistic(test, "testing")
    assert not statistic.per_candidate
    scores = np.concatenate([statistic.scores(range(7)), statistic.scores(range(7, 12))])
    digests, screened_sets = [test.context.table.digest(unit) for unit in test.units], set()
    for draw in range(12):
        effects = np.round(effects_of(test, [draw])[0], 9)
        screened = sorted(range(len(test.units)), key=lambda i: (-effects[i], digests[i]))[:3]
        screened_sets.add(tuple(sorted(screened)))
        np.testing.assert_array_equal(scores[draw, :, 0], all_scores[draw, screened].max(axis=0))
        if draw == 0:
            assert statistic.screened_best == [screened[i] for i in all_scores[draw, screened].argmax(axis=0)]
    assert len(screened_sets) > 3


@pytest.mark.usefixtures("screened_to_three")
def test_where_candidates_are_screened_the_level_holds():
    # The data are one of ten draws that are all alike: p <= 0.2 in one of five, and Binomial(25, 0.2) exceeds 10
    # once in 180 times. Were the same ones scored in each draw, those screened in the data, it would be 16.
    rng, passed = np.random.default_rng(0), 0
    for seed in range(25):
        test = conditional_on(rng.normal(size=(40, 40)), rng.normal(size=40), seed=seed, values=(12,))
        passed += NeighborStatistic(test, "testing").run(0.2, 9).p_values.min() <= 0.2
    assert passed <= 10


@pytest.mark.usefixtures("screened_to_three")
@pytest.mark.parametrize("subset", [(), (1,)])
def test_a_strong_feature_is_detected_among_those_screened(subset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 100))
    y = X[7] + 0.5 * X[1] + 0.1 * rng.normal(size=100)
    test = conditional_on(X, y, subset)
    statistic = NeighborStatistic(test, "testing")
    sample = statistic.run(0.05, 39)
    assert sample.p_values.min() == 1 / 40
    assert len(sample.observed) == (4 if subset else 2)
    unit, position = statistic.best(sample, 0.05)
    assert unit == FeatureUnit("x7", (7,))
    assert position == sample.observed.argmax()


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_order_of_columns_does_not_matter_where_candidates_are_screened(monkeypatch, most):
    # Of two features that have the same ranks, and so the same effects, the first by digest is scored.
    monkeypatch.setattr(NeighborStatistic, "max_candidates", most)
    orders = [np.arange(8), np.arange(8)[::-1], np.random.default_rng(most).permutation(8)]
    scores, names = [], []
    for n_jobs, order in enumerate(orders, 1):
        test = make(order=order, seed=most, n_jobs=n_jobs)
        statistic = NeighborStatistic(test, "testing")
        scores.append(statistic.scores(range(20)))
        names.append([test.units[i].name for i in statistic.screened_best])
    for other in (1, 2):
        np.testing.assert_array_equal(scores[other], scores[0])
        assert names[other] == names[0]


def test_the_residual_of_a_feature_shows_what_it_adds():
    # The feature is nearly the sum of the others, and the target is what it differs by.
    rng = np.random.default_rng(0)
    given, (difference, noise) = rng.normal(size=(3, 200)), rng.normal(size=(2, 200))
    X, y = np.concatenate([given, [given.sum(axis=0) + 0.1 * difference]]), difference + 0.3 * noise
    plain, residual = (
        conditional_on(X, y, (0, 1, 2), values=(10, 20), n_jobs=1, residuals=own) for own in (False, True)
    )
    samples = [NeighborStatistic(test, "testing").run(0.05, 199) for test in (plain, residual)]
    assert samples[1].p_values[0] == 1 / 200
    assert samples[1].observed[0] > 2 * samples[0].observed[0]
    # Series are about that residual from the start.
    assert SeriesStatistic(plain, "testing").run(0.05, 199).p_values[0] == 1 / 200


def slow_sample(test, count, n_versions=None):
    """The sample of all candidates by scores of some versions of the target."""
    scores = [[slow_scores(test, draw, unit, n_versions) for unit in test.units] for draw in range(count + 1)]
    return NullSample.of_scores(np.moveaxis(np.array(scores), 0, -1))


def assert_same(found, expected):
    np.testing.assert_allclose(found.max_statistics, expected.max_statistics, atol=1e-9)
    np.testing.assert_array_equal(found.p_values, expected.p_values)


def of_classes(effect):
    """Three classes given a feature on which they depend; they depend on another by so much."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 60))
    y = np.digitize(X[0] + effect * X[1] + 0.5 * rng.normal(size=60), [-0.5, 0.5]).astype(float)
    return conditional_on(X, y, (0,), values=(5,))


def run_and_draws(test, *options):
    """The sample of a run, and how many draws were scored at a time."""
    drawn = []

    class Watched(NeighborStatistic):
        def scores(self, draws):
            drawn.append(len(draws))
            return super().scores(draws)

    return Watched(test, "testing").run(*options), drawn


def test_a_hopeless_test_ends_with_one_version_of_the_classes():
    test = of_classes(effect=0)
    sample, drawn = run_and_draws(test, 0.01)
    assert test.components.shape[1] == 3
    assert drawn == [10]
    assert_same(sample, slow_sample(test, 9, n_versions=1))
    assert not np.allclose(sample.observed, slow_sample(test, 9).observed)
    assert sample.p_values.min() >= 4 / 10


def test_a_promising_test_uses_all_versions_of_the_classes():
    test = of_classes(effect=2)
    sample, drawn = run_and_draws(test, 0.01)
    assert sum(drawn[:3]) == 40  # by one version, to see that it is not hopeless
    assert sum(drawn[3:]) == 200
    assert_same(sample, NeighborStatistic(test, "testing").sample(199))
    assert_same(NeighborStatistic(test, "testing").sample(9), slow_sample(test, 9))
    assert sample.p_values.min() == 1 / 200


@pytest.mark.parametrize("options", [(0.01, 19), (0.03,)])
def test_all_versions_are_used_from_the_start_where_draws_are_requested_or_alpha_is_large(options):
    test = of_classes(effect=0)
    sample, drawn = run_and_draws(test, *options)
    assert sum(drawn) == sample.n_permutations + 1
    assert_same(sample, NeighborStatistic(test, "testing").sample(sample.n_permutations))


def test_a_target_of_one_version_is_drawn_once():
    sample, drawn = run_and_draws(make((1, 5)), 0.01)
    assert sum(drawn) == sample.n_permutations + 1


@pytest.mark.parametrize(
    ("n_exceed", "count", "n_versions"),
    [
        # After 9, 19 and 39 draws of one version, and then of all: 3, 4 or 7 as large as the data are hopeless.
        ((3, 3, 3), 9, 1),
        ((2, 4, 4), 19, 1),
        ((2, 3, 7), 39, 1),
        ((2, 3, 6), 199, 3),
        ((0, 0, 0), 199, 3),
    ],
)
def test_how_many_surrogates_of_one_version_make_a_test_hopeless(monkeypatch, n_exceed, count, n_versions):
    statistic, n_used = NeighborStatistic(of_classes(effect=0), "testing"), []
    of_one_version = dict(zip((9, 19, 39), n_exceed, strict=True))

    def sample(count):
        """Draws of which so many are as large as the data by one version of the target, and none by all."""
        n_used.append(statistic._n_versions)
        high = of_one_version[count] if statistic._n_versions == 1 else 0
        best = np.array([0.0, *np.repeat([0.0, -1.0], [high, count - high])])
        return NullSample(np.zeros(1), np.array([high]), best)

    monkeypatch.setattr(statistic, "sample", sample)
    assert statistic.run(0.01).n_permutations == count
    assert n_used[-1] == n_versions
