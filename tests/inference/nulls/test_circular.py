"""Shifts in time: every row once or beside its mirror image, each shift once, and their level in small runs."""

import numpy as np
import pytest

from infosift import Calibrated, InputError, MutualInfoSelector
from infosift.criteria.rank_basis import functions_of, standardised
from infosift.inference.nulls import RandomPermutations
from infosift.inference.nulls.circular import CircularNull, Projection
from infosift.inference.permutation import PermutationIndices
from samples import conditional_on
from studies.simulated import series, walks


def shifts_of(n_rows, seed, step):
    return CircularNull().permutations(np.empty((0, n_rows)), RandomPermutations(n_rows, seed, step))


def test_each_shift_comes_once():
    n = 7
    rows = shifts_of(n, 0, 0)(range(1, CircularNull().n_distinct(n) + 1))
    ring = [*range(n), *reversed(range(n))]
    expected = {tuple(np.roll(ring, -shift)[:n].tolist()) for shift in range(1, 2 * n)}
    assert {tuple(row) for row in rows.tolist()} == expected
    assert len(rows) == len(expected)


def test_neighbours_stay_together():
    rows = shifts_of(50, 3, 1)(range(64))
    assert np.abs(np.diff(rows, axis=1)).max() == 1


def residuals(functions, given):
    own = [found.smooth for found in functions_of(given, 4)]
    basis = np.concatenate([np.ones((1, given.shape[1])), *own, own[0][:1] * own[1][:1]]).T
    fitted = basis @ np.linalg.lstsq(basis, functions.T, rcond=None)[0]
    return standardised(functions - fitted.T)


def test_candidates_are_projected_off_the_subset():
    rng = np.random.default_rng(4)
    given, columns = rng.normal(size=(2, 60)), rng.normal(size=(3, 60))
    surrogates = CircularNull().model(given, None, 0).surrogates(columns)
    found, expected = surrogates.functions(np.array([2, 0])), functions_of(columns[[2, 0]], 4)
    for own, functions in zip(found, expected, strict=True):
        np.testing.assert_allclose(own.smooth, residuals(functions.smooth, given), atol=1e-10)
        np.testing.assert_allclose(own.steps, residuals(functions.steps, given), atol=1e-10)


def test_a_projection_leaves_the_residuals_of_a_regression():
    rng = np.random.default_rng(0)
    given, functions = rng.normal(size=(2, 60)), rng.normal(size=(5, 60))
    np.testing.assert_allclose(Projection(given)(functions), residuals(functions, given), atol=1e-10)


def test_columns_that_say_the_same_do_no_harm():
    rng = np.random.default_rng(1)
    given, functions = rng.normal(size=(1, 60)), rng.normal(size=(3, 60))
    once, twice = Projection(given), Projection(np.concatenate([given, given]))
    # The product of a column with itself is a function of it, too.
    assert np.all(np.isfinite(twice(functions)))
    assert np.abs(twice(functions) @ functions_of(given)[0].smooth.T).max() < 1e-8
    assert once(functions).shape == functions.shape


def test_the_target_is_shifted_first_and_projected_then():
    rng = np.random.default_rng(2)
    given, components = rng.normal(size=(2, 50)), [rng.normal(size=(3, 50)), rng.normal(size=(1, 50))]
    indices = shifts_of(50, 0, 0)(range(1, 5))
    shifts = PermutationIndices(shifts_of(50, 0, 0), 50)
    drawn = CircularNull().model(given, None, 0).target(components, None, shifts).functions(range(1, 5))
    assert drawn.shape == (2, 2, 4, 64)  # rows are padded
    for draw, index in enumerate(indices):
        expected = np.ldexp(residuals(components[0][:2][:, index], given), shifts.bits)
        assert np.abs(drawn[0, :, draw, :50] - expected).max() <= 0.5 + 1e-6  # rounded to whole numbers
    assert not drawn[1, 1].any()
    assert not drawn[..., 50:].any()


def test_functions_of_candidates_are_those_of_ranks_only_without_a_subset():
    columns, positions = np.random.default_rng(5).normal(size=(3, 60)), np.array([0, 2])
    for n_given, are_ranked in ((0, True), (1, False)):
        surrogates = CircularNull().model(columns[:n_given], None, 0).surrogates(columns)
        assert surrogates.are_ranked(positions).tolist() == [are_ranked] * 2


def test_given_a_subset_only_series_are_used():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(4, 80)), rng.normal(size=80)
    assert conditional_on(X, y, (0,), null="circular").is_series_only
    assert not conditional_on(X, y, (), null="circular").is_series_only
    assert not conditional_on(X, y, (0,)).is_series_only


def select(X, y, **options):
    return MutualInfoSelector(method=Calibrated(null="circular"), random_state=0, **options).fit(X, y).selection_


def test_walks_that_have_nothing_to_do_with_each_other_are_seldom_selected():
    # Of 200 such tables 1.5 to 3 % select something. At 8 %, five or more of 25 have a chance of 5 %.
    found = sum(bool(select(s.X, s.y).names) for s in (walks(seed, 200, 6) for seed in range(25)))
    assert found <= 4


def test_series_that_matter_are_found():
    rng = np.random.default_rng(0)
    X = series(rng, 300, 5, 0.8)
    y = X[:, 0] + X[:, 1] + 0.5 * series(rng, 300, 1, 0.8)[:, 0]
    selection = select(X, y)
    assert {"x0", "x1"} <= set(selection.names)
    # A p-value cannot be smaller than one over the number of shifts.
    assert all(step.n_permutations <= CircularNull().n_distinct(300) for step in selection.steps)
    assert selection.smallest_detectable_correlation is None
    assert "order" not in {notice.kind for notice in selection.warnings}


def drifting(seed, n=300):
    """Eight series of few swings, two of which matter beside noise that drifts too."""
    rng = np.random.default_rng(seed)
    X = series(rng, n, 8, 0.97)
    return X, X[:, 0] + 0.8 * np.abs(X[:, 1]) + 0.6 * series(rng, n, 1, 0.95)[:, 0]


@pytest.mark.simulation
def test_given_series_that_matter_others_are_seldom_selected():
    # Without the two freed of the subset alike, most of such tables select another.
    found = sum(len(select(*drifting(seed), keep=[0, 1], max_features=3).names) > 2 for seed in range(25))
    assert found <= 4


@pytest.mark.simulation
def test_what_matters_is_detected_given_another():
    selected = [set(select(*drifting(seed, 600)).names) for seed in range(10)]
    assert sum({"x0", "x1"} <= names for names in selected) >= 8


@pytest.mark.parametrize("search", ["filter", "backward"])
def test_other_searches_take_shifts_too(search):
    rng = np.random.default_rng(0)
    X = series(rng, 150, 3, 0.7)
    assert select(X, X[:, 0] + 0.3 * rng.normal(size=150), search=search).names == ("x0",)


def test_threads_do_not_matter():
    sample = walks(1, 120, 4, 0.5)
    y = sample.y + sample.X[:, 2]
    assert select(sample.X, y, n_jobs=2).steps == select(sample.X, y).steps


def test_row_groups_are_refused():
    sample = walks(0, 60, 2)
    with pytest.raises(InputError, match="shifts all rows as one"):
        MutualInfoSelector(method=Calibrated(null="circular")).fit(
            sample.X, sample.y, groups=np.repeat(np.arange(20), 3)
        )
