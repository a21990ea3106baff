"""What holds for every criterion: the protocol, the same bits everywhere, selections, refusals in one sentence."""

import inspect
from io import StringIO

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from sklearn.base import clone

import infosift
from infosift import (
    Calibrated,
    DataWarning,
    InputError,
    MutualInfoSelector,
    Published,
    Selection,
    mutual_information,
    score_candidates,
)
from infosift.criteria.base import Criterion, as_criterion
from infosift.data.types import encode_categories
from infosift.display.terminal import print_selection
from infosift.engines.base import Question, ThreadEngine
from infosift.registry import CRITERIA
from samples import friedman

NAMES = sorted(CRITERIA)
LOWER_IS_BETTER = {"gamma", "delta", "neighbor-error"}
WITHOUT_PARAMETER = {"delta", "gaussian-copula", "series"}
NUMBERS_ONLY = {"ksg2", "gaussian-copula"}


def members_of(protocol):
    """Names that a protocol has, without those of all protocols."""
    return {name for name in [*vars(protocol), *protocol.__annotations__] if not name.startswith("_")}


@pytest.mark.parametrize("name", NAMES)
def test_offers_all_that_the_protocol_has(name):
    criterion = CRITERIA[name]
    assert {member for member in members_of(Criterion) if not hasattr(criterion, member)} == set()
    for member in members_of(Criterion):
        asked = getattr(Criterion, member, None)
        if inspect.isfunction(asked):
            wanted, offered = (
                list(inspect.signature(one).parameters) for one in (asked, getattr(type(criterion), member))
            )
            assert wanted == offered, member


@pytest.mark.parametrize("name", NAMES)
def test_says_what_it_measures(name):
    criterion = CRITERIA[name]
    assert criterion.measure == criterion.measure.strip() != ""
    assert (criterion.unit == "nats") == (criterion.measure == "mutual information")
    assert (criterion.parameter == "") == (name in WITHOUT_PARAMETER) == (criterion.parameter_in_words == "")
    assert (criterion.default_value(100) is None) == (name in WITHOUT_PARAMETER)
    assert (criterion.values_to_compare(100) == (None,)) == (name in WITHOUT_PARAMETER)
    assert criterion.takes_categories == (name not in NUMBERS_ONLY)
    assert criterion.takes_gaps == (name == "ksg")
    np.testing.assert_allclose(
        criterion.reported(np.array([0.25, 0.5])), [0.75, 0.5] if name in LOWER_IS_BETTER else [0.25, 0.5]
    )


@pytest.mark.parametrize("name", NAMES)
def test_is_an_object_of_scikit_learn_and_public(name):
    criterion = CRITERIA[name]
    assert clone(criterion).get_params() == criterion.get_params()
    assert as_criterion(name) is criterion
    assert type(criterion).__name__ in infosift.__all__
    if criterion.parameter:
        value = criterion.default_value(100)
        given = clone(criterion).set_params(**{criterion.parameter: value})
        given.check()
        assert given.fixed_value == value
        assert type(given.fixed_value) is type(value)
        assert given.values_at_once(100) == (value,)


def block(n_rows=250, categories=True):
    rng = np.random.default_rng(0)
    candidates, given, target = (rng.normal(size=(n, n_rows)) for n in (7, 2, 1))
    candidates[0] += target[0] + given[0]
    if categories:
        candidates[3], given[1] = (encode_categories(rng.integers(3, size=n_rows).astype(float)) for _ in range(2))
    return candidates, given, target


@pytest.mark.parametrize("n_given", [0, 2])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_bits_for_any_threads_blocks_and_order(name, n_given):
    criterion = CRITERIA[name]
    candidates, given, target = block(categories=criterion.takes_categories)
    values = criterion.values_to_compare(250)[:3]
    question = Question(candidates, given[:n_given], target)
    expected = criterion.score([question], values, ThreadEngine(1))[0]
    assert expected.shape == (7, len(values))
    for engine in (ThreadEngine(3), ThreadEngine(1, block_size=1), ThreadEngine(2, block_size=3)):
        np.testing.assert_array_equal(criterion.score([question], values, engine)[0], expected)
    order = [4, 2, 6, 0, 3, 1, 5]
    moved = criterion.score([Question(candidates[order], given[:n_given], target)], values, ThreadEngine(1))[0]
    np.testing.assert_array_equal(moved, expected[order])
    for i, value in enumerate(values):
        alone = criterion.score([question], (value,), ThreadEngine(1))[0]
        np.testing.assert_array_equal(alone[:, 0], expected[:, i])


@pytest.mark.parametrize("name", NAMES)
def test_higher_scores_are_of_more_informative_features(name):
    criterion = CRITERIA[name]
    candidates, given, target = block(categories=False)
    scores = criterion.score(
        [Question(candidates, given[:0], target)], criterion.values_at_once(250), ThreadEngine(1)
    )
    assert scores[0].mean(axis=1).argmax() == 0


@pytest.mark.parametrize("name", NAMES)
def test_folds_are_the_rows_without_them(name):
    criterion = CRITERIA[name]
    candidates, given, target = block(n_rows=60, categories=False)
    folds = np.arange(60) % 4
    values = criterion.values_at_once(60)
    scores = criterion.score_without_folds(Question(candidates, given[:0], target), folds, values, ThreadEngine(1))
    assert scores.shape == (7, 4, len(values))
    left = folds != 2
    alone = criterion.score(
        [Question(candidates[:, left], given[:0, left], target[:, left])], values, ThreadEngine(1)
    )
    np.testing.assert_allclose(scores[:, 2], alone[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_published_method_chooses_its_parameter(name):
    X, y = friedman(0, n=80)
    method = (
        Published(n_folds=5, n_permutations=19) if name not in WITHOUT_PARAMETER else Published(n_permutations=19)
    )
    selector = MutualInfoSelector(method=method, criterion=name, max_features=2, random_state=0)
    selection = selector.fit(X[:, 2:6], y).selection_
    assert selection.criterion_parameter == CRITERIA[name].parameter
    if name in WITHOUT_PARAMETER:
        assert selection.neighbors is None
        assert selection.criterion_values == ()
    else:
        compared = CRITERIA[name].values_to_compare(64)
        assert selection.neighbors.candidates == compared
        assert selection.criterion_values == (selection.neighbors.n_neighbors,)
        assert type(selection.criterion_values[0]) is type(compared[0])
    assert (selection.n_neighbors is None) == (CRITERIA[name].parameter != "n_neighbors")
    assert selection.names[0] == "x1"  # the strongest of the informative ones
    again = Selection.from_json(selection.to_json())
    assert again == selection
    assert [type(value) for value in again.criterion_values] == [
        type(value) for value in selection.criterion_values
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_calibrated_method_asks_it_where_series_see_nothing(name, monkeypatch):
    # A curve that turns eight times: no polynomial of one coordinate goes with one of the other.
    kind, asked = type(CRITERIA[name]), []
    score = kind.score

    def spy(self, questions, values, engine):
        asked.extend(question.n_candidates for question in questions)
        return score(self, questions, values, engine)

    monkeypatch.setattr(kind, "score", spy)
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 2 * np.pi, size=60)
    X = np.column_stack([np.cos(8 * angle), rng.normal(size=60)])
    selection = MutualInfoSelector(criterion=name, max_features=1, random_state=0).fit(X, np.sin(angle)).selection_
    assert selection.criterion_values == tuple(v for v in CRITERIA[name].values_at_once(60) if v is not None)
    assert np.isfinite([step.information for step in selection.steps]).all()
    assert max(asked) >= 2 * (1 + 9)  # the data and the first surrogates of both features


@pytest.mark.parametrize("name", sorted(set(NAMES) - NUMBERS_ONLY))
def test_categories_and_classes(name):
    rng = np.random.default_rng(0)
    kind = np.array(list("abcd"))[rng.integers(4, size=300)]
    y = np.where((kind == "b") ^ (rng.uniform(size=300) < 0.1), "yes", "no")
    table = pl.DataFrame({"noise": np.array(list("uvw"))[rng.integers(3, size=300)], "kind": kind})
    scores = score_candidates(table, y, criterion=name)
    assert (scores.argmin() if name in LOWER_IS_BETTER else scores.argmax()) == 1
    names = np.array(list("zyxw"))[(kind[:, None] == np.array(list("abcd"))).argmax(axis=1)]
    assert score_candidates(names, y, criterion=name) == scores[1]
    selector = MutualInfoSelector(
        method=Published(n_permutations=19), criterion=name, max_features=1, random_state=0
    )
    assert selector.fit(table, y).selection_.names == ("kind",)


@pytest.mark.parametrize("name", sorted(NUMBERS_ONLY))
def test_criteria_for_numbers_say_which_column_is_discrete(name):
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"width": rng.normal(size=40), "kind": np.array(list("ab"))[rng.integers(2, size=40)]})
    message = (
        '^"kind" is discrete, and the criterion is for numbers only: use one that takes categories, .*column out'
    )
    with pytest.raises(InputError, match=message + r"\.$"):
        score_candidates(table, rng.normal(size=40), criterion=name)
    with pytest.raises(InputError, match=message + r' with ignore="kind"\.$'):
        MutualInfoSelector(criterion=name).fit(table, rng.normal(size=40))
    more = table.with_columns(town=pl.col("kind").reverse())
    with pytest.raises(InputError, match=r'leave such columns out with ignore=\["kind", "town"\]\.$'):
        MutualInfoSelector(criterion=name).fit(more, rng.normal(size=40))
    with pytest.raises(InputError, match=r'^The target "kind" is discrete, .* such as criterion="ksg"\.$'):
        MutualInfoSelector(criterion=name).fit(table.select("width"), table["kind"])


@pytest.mark.parametrize("name", sorted(NUMBERS_ONLY))
def test_criteria_for_numbers_skip_categories_that_are_not_looked_at(name):
    rng = np.random.default_rng(0)
    width = rng.normal(size=60)
    table = pl.DataFrame({"id": [f"S{i:03}" for i in range(60)], "always": ["a"] * 60, "width": width})
    options = {"criterion": name, "max_features": 1, "random_state": 0}
    with pytest.warns(DataWarning, match="not tested") as caught:
        selection = MutualInfoSelector(**options).fit(table, width + rng.normal(size=60)).selection_
    assert selection.names == ("width",)
    assert selection.near_unique == ("id",)
    assert any(str(one.message).startswith("Near-unique features") for one in caught)
    with_kind = table.select("width", kind=pl.Series(list("abc") * 20))
    ignoring = MutualInfoSelector(ignore="kind", **options).fit(with_kind, width + rng.normal(size=60))
    assert ignoring.selection_.names == ("width",)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"ksg"}))
def test_gaps_are_refused_in_one_sentence(name):
    X, y = friedman(0, n=40)
    X[3, 1] = np.nan
    with pytest.raises(
        InputError, match=r'^.* cannot compare rows with missing values, .* "x1": use missing="drop" or .*\.$'
    ):
        MutualInfoSelector(criterion=name, missing="partial").fit(X, y)
    assert (
        MutualInfoSelector(criterion=name, missing="drop", max_features=1).fit(X, y).selection_.n_rows_dropped == 1
    )


@pytest.mark.parametrize("name", NAMES)
def test_constant_columns_and_few_rows(name):
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    nothing = mutual_information(np.ones((60, 2)), y, criterion=name)
    expected = 1.0 if name in LOWER_IS_BETTER else 0.0
    assert nothing == pytest.approx(expected, abs=0.4 if name in LOWER_IS_BETTER else 1e-9)
    few = CRITERIA[name].fewest_rows(CRITERIA[name].default_value(3))
    x = rng.normal(size=few)
    assert np.isfinite(mutual_information(x, rng.normal(size=few), criterion=name))


@pytest.mark.parametrize("name", sorted(WITHOUT_PARAMETER))
def test_nothing_is_resampled_without_a_parameter(name):
    with pytest.raises(
        InputError, match=r"n_folds and t_threshold are for choosing a parameter, and \w+ has none: "
    ):
        MutualInfoSelector(method=Published(n_folds=20), criterion=name).fit(*friedman(0, n=40))


# Whole numbers, numbers and nothing to choose; shares that are explained, and information with a unit and without.
@pytest.mark.parametrize("name", ["ksg2", "gamma", "quadratic", "series"])
@pytest.mark.parametrize("method", [Calibrated(n_permutations=39), Published(n_permutations=19)])
def test_people_can_look_at_what_was_selected(name, method, tmp_path):
    X, y = friedman(0, n=60)
    selector = MutualInfoSelector(method=method, criterion=name, max_features=1, random_state=0)
    selection = selector.fit(X[:, :4], y).selection_
    selection.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    shown = StringIO()
    print_selection(selection, Console(file=shown, width=200), verbose=True)
    if name in WITHOUT_PARAMETER:
        assert f"{type(CRITERIA[name]).__name__} has no parameter to choose." in page
    elif CRITERIA[name].parameter == "bandwidth":
        assert "bandwidth" in page
        assert "bandwidth" in shown.getvalue()
    if name not in ("ksg", "ksg2"):
        assert f"The criterion was {type(CRITERIA[name]).__name__}" in page


@pytest.mark.parametrize("name", sorted(set(NAMES) - NUMBERS_ONLY))
def test_rows_in_which_the_target_does_not_vary(name):
    # A fold may hold all rows of a class; what is left has nothing to be explained, and no warning comes of it.
    criterion = CRITERIA[name]
    candidates, given, _ = block(n_rows=40, categories=False)
    target = encode_categories(np.where(np.arange(40) < 36, 0.0, 1.0))[None]
    for rows, values in ((np.arange(36), target), (np.arange(40), np.zeros((1, 40)))):
        question = Question(candidates, given[:0], values, rows=rows)
        scores = criterion.score([question], criterion.values_at_once(36), ThreadEngine(1))[0]
        assert np.isfinite(scores).all()
        if name != "ksg":
            np.testing.assert_allclose(scores, scores[0, 0], atol=1e-9)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"ksg", "ksg2"}))
def test_a_number_that_many_rows_share_stays_a_number(name):
    # Rain: half of the days have none. Only nearest neighbours take a column that is partly categories.
    rng = np.random.default_rng(0)
    rain = np.maximum(rng.normal(size=150), 0.0)
    X, y = np.column_stack([rng.normal(size=150), rain]), rain + 0.1 * rng.normal(size=150)
    method = Published(n_permutations=19)
    criterion = clone(CRITERIA[name])
    if criterion.parameter:
        criterion.set_params(**{criterion.parameter: criterion.default_value(150)})
    selection = (
        MutualInfoSelector(method=method, criterion=criterion, max_features=1, random_state=0).fit(X, y).selection_
    )
    assert selection.names == ("x1",)
    by_function = mutual_information(rain, y, criterion=criterion)
    assert criterion.reported(np.array(selection.steps[0].information)) == pytest.approx(by_function, abs=1e-9)
    if name in LOWER_IS_BETTER:
        assert by_function < 0.2
