"""What a user can say about features and target: kept, ignored, scaled by rank, several targets at once."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm, rankdata

from infosift import InputError, Selection, permutation_test, score_candidates
from infosift.data.prepare import to_gaussian_ranks
from samples import friedman, make_selector

NAMES = [f"X{number}" for number in range(1, 11)]


def select(X, y, **options):
    return make_selector(
        **{"method": "published", "n_neighbors": 6, "n_permutations": 19, "random_state": 0, **options}
    ).fit(X, y)


@pytest.fixture
def table():
    X, y = friedman(0)
    return pl.DataFrame(X, schema=NAMES), y


def test_kept_features_are_in_first_and_conditioned_upon(table):
    X, y = table
    selector = select(X, y, keep=["X9", "X2"])
    selection = selector.selection_
    assert selection.names[:2] == ("X9", "X2")
    assert list(selector.selected_[:2]) == [8, 1]
    assert set(selector.get_feature_names_out()) == set(selection.names)
    first = selection.steps[0]
    given, rest = X.select("X9", "X2"), X.drop("X9", "X2")
    np.testing.assert_allclose(first.candidate_information, score_candidates(rest, y, given, n_neighbors=6))
    assert not {"X9", "X2"} & {step.feature for step in selection.steps}
    assert Selection.from_json(selection.to_json()) == selection


def test_keep_counts_towards_max_features(table):
    assert len(select(*table, keep=["X1", "X2"], max_features=3).selection_.names) == 3
    assert select(*table, keep=["X1", "X2"], max_features=2).selection_.names == ("X1", "X2")
    assert "max_features was reached" in select(*table, keep=["X1", "X2"], max_features=2).selection_.stopped


def test_a_copy_of_a_kept_feature_is_no_candidate(table):
    X, y = table
    X = X.with_columns(copy=2 * pl.col("X4"))
    with pytest.warns(UserWarning, match="Duplicates of an earlier feature"):
        selection = select(X, y, keep="copy").selection_
    assert selection.names[0] == "copy"
    assert "X4" not in selection.names


def test_ignored_features_may_hold_anything(table):
    X, y = table
    hole = X.with_columns(X4=pl.lit(float("nan")))
    selection = select(hole, y, ignore=["X4"]).selection_
    assert "X4" not in {X.columns[i] for step in selection.steps for i in step.candidates}
    without = select(X.drop("X4"), y).selection_
    assert selection.names == without.names
    assert [step.statistic for step in selection.steps] == [step.statistic for step in without.steps]


def test_ignoring_a_feature_frees_its_copy(table):
    X, y = table
    X = X.with_columns(copy=2 * pl.col("X4"))
    assert "copy" in select(X, y, ignore="X4").selection_.names


def test_features_by_position(table):
    X, y = table
    by_name, by_position = select(X, y, keep="X2", ignore=["X10", "X9"]), select(X, y, keep=1, ignore=[-1, 8])
    assert by_name.selection_.names == by_position.selection_.names
    assert by_position.selection_.settings.ignore == ("X10", "X9")
    assert select(X.to_numpy(), y, keep=1).selection_.names[0] == "x1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": "X11"}, 'keep asks for "X11", and there is no such feature'),
        ({"ignore": [10]}, "ignore asks for 10, and there is no such feature"),
        ({"ignore": [True]}, "ignore asks for True"),
        ({"keep": ["X1", "X2"], "ignore": ["X2"]}, 'keep and ignore both have "X2"'),
        ({"scale": "log"}, "scale must be one of standard, rank, none, not 'log'"),
    ],
)
def test_refuses_what_makes_no_sense(table, options, message):
    with pytest.raises(InputError, match=message):
        select(*table, **options)


def test_gaussian_ranks():
    values = np.array([3.0, -1e9, 7.0, 3.0, 1e300])
    np.testing.assert_allclose(to_gaussian_ranks(values), norm.ppf((rankdata(values) - 0.5) / 5))


def test_rank_scale_does_not_see_a_monotone_change(table):
    X, y = table
    plain = select(X, y, scale="rank").selection_
    bent = select(X.with_columns(X4=(9 * pl.col("X4")).exp()), y**3, scale="rank").selection_
    assert plain.names == bent.names
    assert [step.statistic for step in plain.steps] == [step.statistic for step in bent.steps]
    assert plain.settings.scale == "rank"
    assert select(X, y).selection_.settings.scale == "standard"


def test_rank_scale_finds_what_an_outlier_hides():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    y = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=150)
    X[:3, :2] *= 1e6
    y[5:7] *= 1e6
    assert set(select(X, y, scale="rank").selection_.names) >= {"x0", "x1"}


def test_several_targets_are_one_together():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 5))
    targets = pl.DataFrame(
        {"sum": X[:, 0] + 0.1 * rng.normal(size=120), "other": X[:, 2] + 0.1 * rng.normal(size=120)}
    )
    selector = select(X, targets)
    selection = selector.selection_
    assert set(selection.names) >= {"x0", "x2"}
    assert selection.target_name == "sum, other"
    first = selection.steps[0]
    np.testing.assert_allclose(first.candidate_information, score_candidates(X, targets, n_neighbors=6))
    test = permutation_test(X[:, [first.index]], targets, n_neighbors=6, n_permutations=19, random_state=0)
    assert test.information == pytest.approx(first.information)


def test_scales_of_several_targets_do_not_matter():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 4))
    Y = X[:, [0, 3]] + 0.2 * rng.normal(size=(80, 2))
    assert select(X, Y).selection_.names == select(X, Y * [1.0, 1000.0]).selection_.names


def test_k_is_chosen_for_several_targets_too():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    selector = make_selector(method="published", n_permutations=19, random_state=0).fit(
        X, X[:, :2] + 0.1 * rng.normal(size=(60, 2))
    )
    assert 1 <= selector.n_neighbors_ <= 20
    assert set(selector.selection_.names) >= {"x0", "x1"}


def with_gaps(X, y):
    X = X.with_columns(X2=pl.when(pl.int_range(pl.len()) % 10 == 3).then(None).otherwise(pl.col("X2")))
    y = y.copy()
    y[[0, 3, 7]] = np.nan
    return X, y, ~(np.isnan(y) | (np.arange(len(y)) % 10 == 3))


@pytest.mark.parametrize("library", ["polars", "pandas", "numpy"])
def test_rows_with_gaps_are_dropped_and_counted(table, library):
    X, y, whole = with_gaps(*table)
    convert = {"polars": lambda X: X, "pandas": lambda X: X.to_pandas(), "numpy": lambda X: X.to_numpy()}[library]
    with pytest.warns(UserWarning, match="12 of 100 rows had missing values and were dropped"):
        selector = select(convert(X), y, missing="drop")
    selection, expected = selector.selection_, select(X.filter(whole), y[whole]).selection_
    assert (selection.n_rows, selection.n_rows_dropped) == (88, 12)
    assert selection.indices == expected.indices
    assert [step.statistic for step in selection.steps] == [step.statistic for step in expected.steps]
    assert selector.transform(convert(X)).shape == (100, len(selection.names))


def test_gaps_in_ignored_features_cost_no_rows(table):
    X, y, _ = with_gaps(*table)
    assert select(X, np.nan_to_num(y), missing="drop", ignore="X2").selection_.n_rows_dropped == 0


def test_gaps_are_refused_on_request(table):
    X, y, _ = with_gaps(*table)
    with pytest.raises(InputError, match='Column "X2" has a missing value'):
        select(X, y, missing="error")
    with pytest.raises(InputError, match="missing must be one of partial, drop, error, not 'fill'"):
        select(X, y, missing="fill")
    with pytest.raises(InputError, match="Every row has a missing value"):
        select(X.with_columns(X1=pl.lit(None, dtype=pl.Float64)), y, missing="drop")
    with pytest.raises(InputError, match='"X1" has an infinite value'):
        select(X.with_columns(X1=pl.lit(float("inf"))), y, missing="drop")
