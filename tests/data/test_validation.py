"""Missing and infinite values: refused, dropped, or compared in the features that both rows have."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import InputError
from infosift.cli import app
from infosift.data import frames
from infosift.data.columns import ColumnSummary, NamedColumns, require_finite
from oracle import mixed
from samples import INFORMATIVE, friedman, make_selector


def select(X, y, **options):
    options = {"method": "published", "n_neighbors": 5, "missing": "partial", "random_state": 0, **options}
    return make_selector(**options).fit(X, y)


def with_gaps(share, seed=0, n=100):
    X, y = friedman(seed, n)
    X[np.random.default_rng(seed).uniform(size=X.shape) < share] = np.nan
    return X, y


def test_without_gaps_nothing_changes():
    X, y = friedman(0)
    assert select(X, y).selection_.steps == select(X, y, missing="error").selection_.steps


def test_scores_are_those_of_partial_distances():
    X, y = with_gaps(0.2, n=60)
    step = select(X, y, n_permutations=19).selection_.steps[0]

    def scaled(values):
        return (values - np.nanmean(values)) / np.nanstd(values)

    target = [(list(scaled(y)), [False] * 60)]
    for place, information in zip(step.candidates, step.candidate_information, strict=True):
        values = [None if np.isnan(value) else value for value in scaled(X[:, place])]
        assert information == pytest.approx(mixed([(values, [False] * 60)], target, 5), abs=1e-9)


def test_gaps_cost_no_rows():
    # With a fifth of the cells missing, one row in nine is whole. A row is compared with 80 others in one feature,
    # 64 in two: enough for two or three of the five.
    found = []
    for seed in range(10):
        X, y = with_gaps(0.2, seed)
        selection = select(X, y).selection_
        assert selection.n_rows == 100
        found.append(len(INFORMATIVE & set(selection.indices)))
    assert np.mean(found) >= 2


def test_gaps_alone_are_not_informative():
    # Values are missing at random: the test has its level. Binomial(100, 0.05) exceeds 12 once in 3000 times.
    n_selected = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 1))
        X[rng.uniform(size=60) < 0.4] = np.nan
        y = rng.integers(2, size=60) if seed % 2 else rng.normal(size=60)
        n_selected += len(select(X, y, n_permutations=19).selected_)
    assert n_selected <= 12


def test_gaps_in_text_and_targets():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", None], size=150, p=[0.4, 0.4, 0.2])
    X = pd.DataFrame(
        {"colour": colour, "noise": np.where(rng.uniform(size=150) < 0.3, np.nan, rng.normal(size=150))}
    )
    y = pd.Series((colour == "red") + rng.normal(scale=0.3, size=150), name="y")
    y[:10] = np.nan
    selection = select(X, y).selection_
    assert selection.names == ("colour",)
    assert selection.n_rows_dropped == 10
    polars = select(pl.from_pandas(X), pl.Series(y)).selection_
    assert polars.steps == selection.steps


def test_an_empty_feature_is_not_tested():
    X, y = with_gaps(0.1)
    X[:, 2] = np.nan
    with pytest.warns(UserWarning, match='Empty features, .*"x2"'):
        assert select(X, y).selection_.constant == ("x2",)


def test_scaled_by_ranks_too():
    X, y = with_gaps(0.1)
    monotone = np.exp(X)
    ranks = select(X, y, scale="rank", max_features=2).selection_
    assert select(monotone, y, scale="rank", max_features=2).selection_.steps == ranks.steps


def test_infinities_are_still_refused():
    X, y = with_gaps(0.1)
    X[3, 4] = np.inf
    with pytest.raises(InputError, match='"x4" has an infinite value'):
        select(X, y)


@pytest.mark.parametrize("missing", ["drop", "partial"])
def test_rows_are_those_of_the_table_also_where_some_are_dropped(missing):
    X, y = friedman(0)
    X[2, 0], X[7, 4] = np.nan, np.inf
    with pytest.raises(InputError, match=r'"x4" has an infinite value \(inf\) in row 7 \(the first row is 0\)'):
        select(X, y, missing=missing)
    X[7, 4], y[9] = 0.0, -np.inf
    with pytest.raises(InputError, match=r"infinite value \(-inf\) in row 9 \(the first row is 0\)"):
        select(X, y, missing=missing)


@pytest.mark.parametrize(
    ("value", "said"), [(np.nan, "missing value"), (np.inf, "infinite value"), (-np.inf, "infinite value")]
)
def test_the_first_bad_value_is_located(value, said):
    require_finite(NamedColumns(("a", "b", "c"), np.zeros((3, 5))))
    columns = NamedColumns(("a", "b", "c"), np.zeros((3, 5)))
    columns.values[1, 3:] = columns.values[2, 0] = value
    with pytest.raises(InputError, match=f'Column "b" has .*{said}.* in row 3 '):
        require_finite(columns)


@pytest.fixture
def passes(monkeypatch):
    """The shapes of the tables that were converted to arrays, and of those that were checked for bad values."""
    converted, checked = [], []
    check_array, summarise = frames.check_array, ColumnSummary.of.__func__

    def counted_check(data, **options):
        converted.append(data.shape)
        return check_array(data, **options)

    def counted_summary(kind, values):
        checked.append(values.shape)
        return summarise(kind, values)

    monkeypatch.setattr(frames, "check_array", counted_check)
    monkeypatch.setattr(ColumnSummary, "of", classmethod(counted_summary))
    return converted, checked


CONTENT = dict(zip("abc", np.random.default_rng(0).normal(size=(3, 40)), strict=True))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, lambda content: np.array([*content.values()]).T])
def test_a_selector_converts_and_checks_values_once(passes, library):
    X = library(CONTENT)
    make_selector(random_state=0).fit(X, CONTENT["a"] + CONTENT["b"] ** 2)
    converted, checked = passes
    assert converted == [(40, 3)] * (not isinstance(X, np.ndarray))  # scikit-learn checks arrays itself
    assert sorted(checked) == [(1, 40), (3, 40)]


def test_a_command_reads_converts_and_checks_values_once(passes, tmp_path, monkeypatch):
    reads, collect = [], pl.LazyFrame.collect

    def counted_collect(frame, *args, **options):
        reads.append(frame.collect_schema().names())
        return collect(frame, *args, **options)

    path = tmp_path / "table.csv"
    pl.DataFrame(CONTENT).with_columns(y=pl.col("a") + pl.col("b") ** 2).write_csv(path)
    monkeypatch.setattr(pl.LazyFrame, "collect", counted_collect)
    result = CliRunner().invoke(app, ["select", str(path), "--target", "y", "--seed", "0"])
    assert result.exit_code == 0, result.output
    converted, checked = passes
    assert reads.count(["a", "b", "c", "y"]) == 1
    assert converted == [(40, 3)]
    assert sorted(checked) == [(1, 40), (3, 40)]
