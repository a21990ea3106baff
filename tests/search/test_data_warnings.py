"""Data warnings: each kind is issued once, is stored in the selection, and names a remedy."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from infosift import Calibrated, DataWarning, InputError, MutualInfoSelector, Selection
from infosift.display import on_command_line
from infosift.errors import Hint, in_words
from leaky_tables import leak
from samples import friedman
from studies.simulated import walks


def fit(X, y, **options):
    """Return the selection and the warnings of its fit."""
    with pytest.warns(DataWarning) as caught:
        selection = MutualInfoSelector(random_state=0, **options).fit(X, y).selection_
    assert [str(one.message) for one in caught] == [warning.message for warning in selection.warnings]
    assert all(one.filename == __file__ for one in caught)
    assert Selection.from_json(selection.to_json()) == selection
    return selection


def kinds(selection):
    return [warning.kind for warning in selection.warnings]


def test_a_copy_in_another_unit_is_named():
    X, spend = friedman(0)
    frame = pd.DataFrame(X, columns=list("abcdefghij")).assign(spend_eur=0.92 * spend)
    (warning,) = fit(frame, pd.Series(spend, name="spend")).warnings
    assert (warning.kind, warning.features) == ("leak", ("spend_eur",))
    assert warning.message == (
        '"spend_eur" determines the target nearly alone: rows are in the same order by both. If it is computed '
        'from the target, or known only after it, leave it out: ignore="spend_eur".'
    )


def test_several_leaks_are_in_one_sentence():
    sample = leak("a copy", 0)
    selection = fit(np.column_stack([sample.X, sample.y**3]), sample.y)
    assert selection.warnings[0].features == ("x6", "x7")
    assert selection.warnings[0].message.endswith('leave them out: ignore=["x6", "x7"].')
    assert MutualInfoSelector(ignore="x6", random_state=0).fit(sample.X, sample.y).selection_.warnings == ()


def test_rows_that_depend_on_their_neighbours():
    sample = walks(0, 200, 5)
    selection = fit(sample.X, sample.y)
    assert kinds(selection) == ["order"]
    assert selection.warnings[0].hints == (Hint("groups"), Hint("method.null", "circular"))
    groups = np.repeat(np.arange(20), 10)
    assert MutualInfoSelector(random_state=0).fit(sample.X, sample.y, groups=groups).selection_.warnings == ()


def test_too_few_rows():
    rng = np.random.default_rng(0)
    selection = fit(rng.normal(size=(20, 30)), rng.normal(size=20))
    assert kinds(selection) == ["power"]
    assert selection.warnings[0].message.startswith(
        "There are too few rows for so many features: with 20 rows and 30 features"
    )


def test_a_class_too_small_to_be_seen():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] > 0, "high", "low").astype(object)
    X[:, 0] += 0.5 * rng.normal(size=300)
    y[:3] = "other"
    assert "A class of the target has only 3 of 300 rows" in fit(X, y).warnings[0].message
    assert kinds(fit(X, y, method="published")) == ["imbalance"]


def test_many_rows_dropped():
    X, y = friedman(0)
    X[:25, 3], X[:10, 7] = np.nan, np.nan
    selection = fit(X, y, missing="drop")
    assert kinds(selection) == ["gaps"]
    assert '25 of 100 rows had missing values and were dropped (25 of "x3", 10 of "x7")' in (
        selection.warnings[0].message
    )


def test_missing_values_are_counted_by_feature():
    X, y = friedman(0)
    X[2, 1] = np.nan
    with pytest.raises(InputError, match=r'"x1" has a missing value \(NaN\) in row 2 \(.*\): remove'):
        MutualInfoSelector(missing="error").fit(X, y)
    X[5:9, 4] = np.nan
    with pytest.raises(InputError, match=r'; missing are 4 of "x4", 1 of "x1": remove .*, use .*"partial"'):
        MutualInfoSelector(missing="error").fit(X, y)
    X[:, 6] = np.nan
    with pytest.raises(
        InputError, match=r'^Column "x6" has no value in any row: leave it out with ignore="x6"\.$'
    ):
        MutualInfoSelector(missing="error").fit(X, y)
    with pytest.raises(InputError, match=r'^2 columns have no value .* with ignore=\["x6", "x10"\]\.$'):
        MutualInfoSelector(missing="error").fit(np.column_stack([X, X[:, 6]]), y)
    with pytest.raises(InputError, match=r'\(all values of "x6", 4 of "x4", 1 of "x1"\): ignore the features'):
        MutualInfoSelector(missing="drop").fit(X, y)
    y[:3] = np.nan
    selection = fit(X, y)
    assert [(warning.kind, warning.features) for warning in selection.warnings] == [
        ("empty", ("x6",)),
        ("gaps", ("x6", "x4", "x1")),
    ]
    assert selection.warnings[1].message == (
        'Rows without a target are left out: 3 of 100. Values are missing (all values of "x6", 4 of "x4", 1 of '
        '"x1"; 100 rows): each feature is used in the rows that have it. Only rows without gaps are used with '
        'missing="drop".'
    )


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_a_pipeline_without_a_feature_is_told_why(output):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    selector = MutualInfoSelector(random_state=0).set_output(transform=output)
    with pytest.warns(DataWarning, match="MutualInfoSelector found none .* min_features=1") as caught:
        assert selector.fit_transform(X, y).shape == (60, 0)
    assert len(caught) == 1
    with (
        pytest.warns(DataWarning, match="No features were selected"),
        pytest.raises(ValueError, match=r"0 feature|at least one array"),
    ):
        make_pipeline(selector, LinearRegression()).fit(X, y)
    pipeline = make_pipeline(MutualInfoSelector(min_features=1, random_state=0), LinearRegression())
    assert pipeline.fit(X, y).predict(X).shape == (60,)


@pytest.mark.parametrize(("method", "fewest"), [("calibrated", "142,857"), ("published", "99,999")])
def test_a_tiny_level_is_named_before_the_search_begins(method, fewest):
    X, y = friedman(0, n=60)
    said = rf"^alpha=1e-05 needs at least {fewest} permutations per test, which takes long: raise alpha, or"
    with pytest.warns(DataWarning, match=said) as caught:
        selector = MutualInfoSelector(1e-5, method=method, time_limit=1e-9).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert not selector.selection_.steps
    MutualInfoSelector(1e-4, method=method, time_limit=1e-9).fit(X, y)
    MutualInfoSelector(1e-5, method=Calibrated(n_permutations=10**6), time_limit=1e-9).fit(X, y)


def warned_of_groups(X, y, **options):
    """Return the features that are said to be identifiers before a search, which ends at once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        selection = (
            MutualInfoSelector(random_state=0, missing="partial", time_limit=1e-9).fit(X, y, **options).selection_
        )
    return [warning.features[0] for warning in selection.warnings if warning.kind == "groups"]


IDENTIFIERS = {
    "text": lambda who, rng: [f"subject_{i:02}" for i in who],
    "consecutive numbers": lambda who, rng: who + 1000,
    "numbers at random": lambda who, rng: rng.choice(10**6, 40, replace=False)[who],
    "codes of batches": lambda who, rng: [f"B{i % 7}-{i // 7}" for i in who],
    "numbers with gaps": lambda who, rng: np.where(who == 3, np.nan, who),
}


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("kind", IDENTIFIERS)
def test_forgotten_groups_are_pointed_out_whatever_the_order_of_rows(kind, uneven):
    rng = np.random.default_rng(1)
    who = rng.permutation(np.repeat(np.arange(40), rng.integers(2, 21, 40) if uneven else 12))
    effect, age = rng.normal(size=40), rng.integers(20, 70, 40)
    X = pd.DataFrame(rng.normal(size=(len(who), 3)), columns=list("abc")).assign(age=age[who])
    y = effect[who] + X["a"].to_numpy() + 0.5 * rng.normal(size=len(who))
    X["v"] = IDENTIFIERS[kind](who, rng)
    assert warned_of_groups(X, y) == ["v"]
    assert warned_of_groups(X, y > 0) == ["v"]
    assert warned_of_groups(X, y, groups=who) == []
    named = X.rename(columns={"v": "patientNo"})
    assert warned_of_groups(named, rng.normal(size=len(who))) == ["patientNo"]  # by its name


def test_forgotten_groups_name_the_column_and_the_option():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(40), 12)
    X = pd.DataFrame({"a": rng.normal(size=480), "person": [f"p{i}" for i in person]})
    (warning,) = fit(X, rng.normal(size=40)[person] + X["a"], min_features=1, max_features=1).warnings
    assert warning.message == (
        '"person" repeats 12 times for each of 40 values: if rows of one person belong together, p-values are too '
        'small, unless they are kept together with groups=X["person"] and ignore="person".'
    )
    assert in_words(warning.parts, on_command_line).endswith("with --groups person.")


def ordinary_table(seed):
    """Return categories, ages, counts, ratings and rounded measurements, and a target that depends on some."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([80, 150, 300, 600]))
    X = pd.DataFrame(
        {
            "town": rng.choice(list("abcdefghijkl")[: rng.integers(2, 13)], n),
            "grade": rng.integers(1, rng.integers(3, 11), n),
            "age": rng.integers(18, 81, n) if seed % 2 else rng.normal(45, 15, n).round(),
            "visits": rng.poisson(rng.choice([1, 3, 10, 30]), n),
            "income": np.exp(rng.normal(7, 0.6, n)).round(-2),
            "score": rng.binomial(100, 0.6, n),
            "degrees": rng.normal(20, 3, n).round(rng.integers(0, 2)),
            "district": 100 * rng.integers(10, 99, n),
            "hour": rng.integers(0, 24, n),
        }
    )
    shapes = (lambda z: z, lambda z: np.sin(3 * z), np.square, lambda z: 2 * (z > 0.3))
    y = X["town"].map({town: rng.normal() for town in "abcdefghijkl"}) + rng.choice([0.2, 1]) * rng.normal(size=n)
    for name in rng.choice(X.columns[2:], 3, replace=False):
        y = y + shapes[rng.integers(4)]((X[name] - X[name].mean()) / X[name].std())
    return X, {0: y > 0, 1: rng.poisson(np.exp(y / y.std()))}.get(seed % 4, y)


def test_ordinary_columns_are_no_forgotten_groups():
    assert sum(bool(warned_of_groups(*ordinary_table(seed))) for seed in range(100)) <= 2
