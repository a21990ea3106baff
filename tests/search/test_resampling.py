import numpy as np
import pytest

from infosift import choose_n_neighbors, resample_mutual_information
from infosift.criteria.ksg import KSG
from infosift.data.columns import NamedColumns
from infosift.data.groups import sample_rows
from infosift.data.prepare import to_unit_spread
from infosift.data.table import make_table
from infosift.engines.base import ThreadEngine
from infosift.random_streams import stream
from infosift.search import resampling
from infosift.search.resampling import Resampling, assign_folds, best_column, choose_value
from oracle import ksg, t_statistic
from samples import friedman


def rows_without_folds(n_rows, n_folds, seed):
    folds = assign_folds(n_rows, n_folds, seed)
    return [np.flatnonzero(folds != fold) for fold in range(folds.max() + 1)]


@pytest.fixture(scope="module")
def choice():
    return choose_n_neighbors(*friedman(0, n=60), n_folds=12, max_neighbors=8, random_state=3)


@pytest.mark.parametrize("variant", [1, 2])
def test_t_is_what_the_paper_defines(variant):
    X, y = friedman(1, n=40)
    choice = choose_n_neighbors(X[:, :3], y, n_folds=6, max_neighbors=5, variant=variant, random_state=7)
    parts = rows_without_folds(40, 6, seed=7)
    shuffles = [stream(7, "shuffled fold", fold).permutation(rows) for fold, rows in enumerate(parts)]
    expected = [
        [t_statistic(to_unit_spread(x), to_unit_spread(y), k, variant, parts, shuffles) for k in range(1, 6)]
        for x in X[:, :3].T
    ]
    np.testing.assert_allclose(choice.t, expected, rtol=1e-6)


def test_the_largest_t_decides(choice):
    feature, column = np.unravel_index(np.argmax(choice.t), choice.t.shape)
    assert choice.n_neighbors == choice.candidates[column]
    assert choice.feature == f"x{feature}"
    assert choice.t.shape == (10, 8)
    assert choice.estimates.mean() == pytest.approx(choice.mean[feature, column])
    assert choice.shuffled_estimates.var(ddof=1) == pytest.approx(choice.shuffled_variance[feature, column])


def test_the_mean_of_t_above_a_threshold_decides(choice):
    averaged = choose_n_neighbors(*friedman(0, n=60), n_folds=12, max_neighbors=8, t_threshold=1.0, random_state=3)
    np.testing.assert_array_equal(averaged.t, choice.t)
    means = [column[column > 1.0].mean() for column in choice.t.T]
    assert averaged.n_neighbors == averaged.candidates[int(np.argmax(means))]


def test_rules_that_differ():
    t = np.array([[9.0, 1.0], [1.0, 6.0], [1.0, 7.0]])
    assert best_column(t, None) == 0
    assert best_column(t, 0.5) == 1
    assert best_column(t, 5.0) == 0
    assert best_column(t, 10.0) == 0  # nothing is above: the largest t decides after all
    assert best_column(np.array([[3.0, 5.0, 5.0]]), None) == 1  # the smaller of equals


@pytest.mark.parametrize(("n_rows", "n_folds"), [(100, 30), (7, 30), (10, 3)])
def test_folds_partition_the_rows(n_rows, n_folds):
    sizes = np.bincount(assign_folds(n_rows, n_folds, seed=0))
    assert len(sizes) == min(n_folds, n_rows)
    assert sizes.sum() == n_rows
    assert sizes.max() - sizes.min() <= 1


def test_the_range_of_k_leaves_half_of_the_rows():
    assert KSG().values_to_compare(97) == tuple(range(1, 21))
    assert KSG().values_to_compare(9) == (1, 2, 3, 4)


def test_unusable_features_have_no_t():
    X, y = friedman(2, n=50)
    X[:, 1] = 4.0
    X[:, 2] = X[:, 0]
    choice = choose_n_neighbors(X, y, random_state=0)
    assert np.isnan(choice.t[[1, 2]]).all()
    assert np.isfinite(np.delete(choice.t, [1, 2], axis=0)).all()
    with pytest.raises(ValueError, match="Every feature is constant"):
        choose_n_neighbors(X[:, [1]], y)


def test_too_few_rows_to_choose():
    X, y = np.arange(6.0)[:, None] ** 2, np.array([1.0, 3.0, 2.0, 4.0, 9.0, 5.0])
    with pytest.raises(ValueError, match="needs at least 4 rows, and the table has n_samples=3"):
        choose_n_neighbors(X[:3], y[:3])
    with pytest.raises(ValueError, match="with 2 folds needs at least 6 rows, and the table has n_samples=5"):
        choose_n_neighbors(X[:5], y[:5], n_folds=2)
    assert choose_n_neighbors(X[:4], y[:4]).n_neighbors == 1
    assert choose_n_neighbors(X, y, n_folds=2).n_neighbors == 1


def test_resampling_gives_the_estimate_without_each_fold():
    X, y = friedman(3, n=50)
    folds = resample_mutual_information(X[:, 3:5], y, n_neighbors=4, n_folds=5, random_state=11)
    scaled = np.array([to_unit_spread(column) for column in X[:, 3:5].T])
    target = to_unit_spread(y)[None]
    expected = [ksg(scaled[:, rows], target[:, rows], 4, 1) for rows in rows_without_folds(50, 5, seed=11)]
    np.testing.assert_allclose(folds.estimates, expected, rtol=0, atol=1e-9)
    assert folds.mean == pytest.approx(np.mean(expected))
    assert folds.variance == pytest.approx(np.var(expected, ddof=1))


def test_long_tables_are_sampled(monkeypatch):
    monkeypatch.setattr(resampling, "MOST_ROWS", 80)
    X, y = friedman(0, n=200)
    table = make_table(NamedColumns(tuple("abcdefghij"), X.T), NamedColumns(("y",), y[None]), seed=4)

    def choose(table):
        return choose_value(table, KSG(max_neighbors=8), Resampling(10, None, seed=4), ThreadEngine(1))

    rows = sample_rows(200, 4, None, 80)
    assert len(np.unique(rows)) == 80
    np.testing.assert_array_equal(rows, sample_rows(200, 4, None, 80))
    assert not np.array_equal(rows, sample_rows(200, 5, None, 80))
    choice = choose(table)
    assert choice.n_rows == 80
    monkeypatch.undo()
    assert choose(table.take(rows)) == choice
    assert choose(table).n_rows == 200
