"""Series scores of draws: one draw at a time, some candidates at a time and on threads, the same bits."""

import numpy as np
import pytest

from infosift.inference import candidates, drawn_series
from infosift.inference.drawn_series import DrawnSeries
from infosift.inference.max_test import cheap_looks, draws_of, max_test
from infosift.inference.series import make_series
from samples import conditional_of_groups as make


def slow_scores(conditional, draw):
    """All candidates of one draw, with nothing kept."""
    moved = conditional.target.moved([draw])
    return make_series(conditional.functions(range(len(conditional.units)))).scores(moved)[0]


def assert_same(found, expected):
    for name in ("observed", "as_high", "best", "p_values"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("subset", [(), (0,), (0, 2)])
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 3])  # candidates in one block, and in several
def test_draws_are_those_of_the_scores_of_each(monkeypatch, subset, classes, n_jobs):
    monkeypatch.setattr(candidates, "_VALUES_IN_CACHE", 1)
    monkeypatch.setattr(candidates, "_DRAWS_AT_ONCE", 3)
    conditional = make(subset, classes=classes, n_jobs=n_jobs)
    assert (len(conditional.blocks) == 1) == (n_jobs == 1)
    scores = np.stack([slow_scores(conditional, draw) for draw in range(24)])
    assert scores.shape == (24, len(conditional.units), (3 if classes else 1) * (5 if subset else 4))
    drawn = DrawnSeries(conditional, "testing")
    for count in (7, 23):
        assert_same(drawn.draws(count), draws_of(scores[: count + 1]))


@pytest.mark.parametrize("subset", [(), (0, 2)])
@pytest.mark.parametrize("n_at_once", [1, 2])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_draws_are_the_same_where_few_scores_can_be_kept(monkeypatch, subset, n_at_once, n_jobs):
    kept = DrawnSeries(make(subset), "testing")
    expected = [kept.draws(count) for count in (19, 59, 79)]
    monkeypatch.setattr(drawn_series, "_MOST_KEPT", n_at_once * 1000 * 5)
    drawn, shapes = DrawnSeries(make(subset, n_jobs=n_jobs), "testing"), []

    def watched(scores):
        shapes.append(scores.shape)
        return draws_of(scores)

    monkeypatch.setattr(drawn_series, "draws_of", watched)
    for count, draws in zip((19, 59, 79), expected, strict=True):
        assert_same(drawn.draws(count), draws)
    assert {n_units for _, n_units, _ in shapes} <= {1, n_at_once}
    assert {n_draws for n_draws, _, _ in shapes} == {20, 60, 80}


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_scores_that_are_kept_are_drawn_once(monkeypatch, n_jobs):
    conditional, asked = make(n_jobs=n_jobs), []
    drawn, sources = DrawnSeries(conditional, "testing"), conditional.sources
    monkeypatch.setattr(conditional, "sources", lambda draws: asked.extend(draws) or sources(draws))
    for count in (19, 59):
        drawn.draws(count)
    n_blocks = len(conditional.blocks)
    assert sorted(asked) == np.repeat(np.arange(60), n_blocks).tolist()
    if n_blocks == 1:
        assert asked == list(range(60))


def test_what_depends_on_the_target_is_found_and_the_rest_is_not():
    # Of no surrogate the best is as high as x0, which makes up half of the target.
    conditional = make()
    test = max_test(DrawnSeries(conditional, "testing").draws, 0.05, cheap_looks(0.05, None), fine=True)
    p_values = dict(zip([unit.name for unit in conditional.units], test.draws.p_values, strict=True))
    assert p_values["x0"] == 1 / (1 + test.n_permutations) <= 1 / 1000
    assert min(p_values["x2"], p_values["four"]) > 0.05
