"""The recipes of docs/extending.md: their code, as it stands there, does what they say."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from typer.testing import CliRunner

from infosift import (
    Calibrated,
    DataWarning,
    InputError,
    MutualInfoSelector,
    Published,
    Selection,
    permutation_test,
    score_candidates,
)
from infosift.cli import app
from infosift.criteria.base import Criterion
from infosift.display import plots
from infosift.display.report import render
from infosift.errors import Hint
from infosift.inference.statistics import STATISTICS, Stage
from infosift.registry import CRITERIA, NULLS, SEARCHES, TARGET_KINDS
from infosift.search import data_warnings
from infosift.search.base import Search
from studies import simulated

ROOT = Path(__file__).parents[1]


def section(title):
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)[1]


def made_by(title, name):
    """Return a class that the code of a recipe defines."""
    (code,) = re.findall(r"```python\n(.*?)```", section(title), flags=re.S)
    namespace = {"__name__": "recipe"}
    exec(compile(code, title, "exec"), namespace)
    return namespace[name]


@pytest.fixture
def wide_check(monkeypatch):
    check = made_by("Add a data warning", "more_features_than_rows")
    monkeypatch.setattr(data_warnings, "BEFORE_SEARCH", (*data_warnings.BEFORE_SEARCH, check))


def test_a_data_warning_is_in_results_command_line_notebook_and_report(wide_check, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, 40))).rename(columns=str).assign(y=rng.normal(size=30))
    table.to_csv(tmp_path / "wide.csv", index=False)
    sentence = "There are more features (40) than rows (30): read only the surest with "
    with pytest.warns(DataWarning, match="more features") as caught:
        selection = MutualInfoSelector(random_state=0).fit(table.drop(columns="y"), table["y"]).selection_
    assert [str(one.message) for one in caught if "more features" in str(one.message)] == [
        f"{sentence}max_features=1."
    ]
    (stored,) = [
        warning for warning in Selection.from_json(selection.to_json()).warnings if warning.kind == "wide"
    ]
    assert stored.hints == (Hint("max_features", 1),)
    assert f"{sentence}max_features=1." in unescape(selection._repr_html_())
    page = unescape(render(selection))
    assert "A wide table" in page
    assert f"{sentence}max_features=1 (--max-features 1)." in page
    result = CliRunner().invoke(app, ["select", str(tmp_path / "wide.csv"), "-t", "y", "--seed", "0"])
    assert " ".join(result.output.split()).count(f"{sentence}--max-features 1.") == 1


@pytest.mark.parametrize(
    "title", ["Add a criterion", "Add a search", "Add a plot", "Add a null", "Add a test statistic"]
)
def test_what_a_recipe_names_is_there(title):
    new = re.search(r"^# (src/\S+)$", section(title), flags=re.M)[1]
    assert not (ROOT / new).exists()
    assert (ROOT / new).parent.is_dir()
    named = set(re.findall(r"`((?:src|docs|tests)/[\w/]+\.\w+)`", section(title)))
    assert len(named) >= 5
    assert [path for path in named if not (ROOT / path).exists()] == []


def table():
    """Four features: the third matters most, the first a little, and the last is a noisy copy of the third."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = 2 * X[:, 2] + X[:, 0] + 0.5 * rng.normal(size=120)
    X[:, 3] = X[:, 2] + 0.5 * X[:, 3]
    return X, y


@pytest.fixture
def linear_fit(monkeypatch):
    kind = made_by("Add a criterion", "LinearFit")
    monkeypatch.setitem(CRITERIA, "linear-fit", kind())
    return kind


def test_the_criterion_is_the_share_that_a_linear_model_explains(linear_fit):
    X, y = table()
    expected = [np.corrcoef(column, y)[0, 1] ** 2 for column in X.T]
    np.testing.assert_allclose(score_candidates(X, y, criterion=linear_fit()), expected)
    beside = score_candidates(X, y, X[:, [2]], criterion=linear_fit())
    both = [LinearRegression().fit(pair, y).score(pair, y) for pair in (X[:, [2, i]] for i in range(4))]
    np.testing.assert_allclose(beside, both)


def test_the_criterion_is_one_of_ours(linear_fit):
    members = [name for name in [*vars(Criterion), *Criterion.__annotations__] if not name.startswith("_")]
    assert [name for name in members if not hasattr(linear_fit(), name)] == []


@pytest.mark.parametrize("method", ["calibrated", Published(n_permutations=59)])
def test_a_selection_by_the_criterion_finds_what_matters(linear_fit, method):
    X, y = table()
    asked = MutualInfoSelector(method=method, criterion=linear_fit(), random_state=0).fit(X, y).selection_
    assert asked.names[:2] == ("x2", "x0")
    assert asked.criterion_measure == "explained share of the variance"
    by_name = MutualInfoSelector(method=method, criterion="linear-fit", random_state=0).fit(X, y).selection_
    assert by_name == asked
    assert Selection.from_json(asked.to_json()) == asked


@pytest.fixture
def greedy(monkeypatch):
    kind = made_by("Add a search", "Greedy")
    monkeypatch.setitem(SEARCHES, "greedy", kind())
    return kind


def test_the_search_is_one_of_ours(greedy):
    members = [name for name in [*vars(Search), *Search.__annotations__] if not name.startswith("_")]
    assert [name for name in members if not hasattr(greedy(), name)] == []


def test_the_search_stops_where_nothing_is_significant(greedy):
    X, y = table()
    selection = MutualInfoSelector(search="greedy", random_state=0).fit(X, y).selection_
    assert set(selection.names) == {"x0", "x2"}
    assert [step.accepted for step in selection.steps] == [True, True, False]
    assert all(step.accepted == step.significant for step in selection.steps)
    assert {found.feature: found.verdict for found in selection.verdicts}["x3"] == "redundant"
    assert selection.error_rate == "family-wise error"


def test_the_search_looks_for_no_pairs(greedy):
    sample = simulated.exclusive_or(0, 200)
    assert {"x0", "x1"} <= set(MutualInfoSelector(random_state=0).fit(sample.X, sample.y).selection_.names)
    assert MutualInfoSelector(search=greedy(), random_state=0).fit(sample.X, sample.y).selection_.names == ()


def test_the_search_stops_at_a_number_and_goes_on_where_it_was_killed(greedy, tmp_path):
    X, y = table()

    def select(**options):
        return MutualInfoSelector(search=greedy(), random_state=0, **options).fit(X, y).selection_

    assert len(select(max_features=1).steps) == 1
    assert select(keep=[1], max_features=2).names == ("x1", "x2")
    whole, checkpoint = select(), tmp_path / "state.json"
    assert select(checkpoint=checkpoint) == select(checkpoint=checkpoint) == whole


@pytest.fixture
def seconds_display(monkeypatch):
    kind = made_by("Add a plot", "SecondsDisplay")
    monkeypatch.setitem(plots._KINDS, "seconds", kind)
    return kind


def test_the_plot_draws_what_it_keeps(seconds_display):
    selection = MutualInfoSelector(random_state=0).fit(*table()).selection_
    display = seconds_display.from_selection(selection)
    assert display.seconds == tuple(step.seconds for step in selection.steps)
    drawn = display.plot()
    assert drawn is display
    assert drawn.ax_.figure is drawn.figure_
    assert [bar.get_width() for bar in drawn.ax_.patches] == list(display.seconds)
    assert [label.get_text() for label in drawn.ax_.get_yticklabels()] == list(display.names)
    assert drawn.rows == {place: (name,) for place, name in enumerate(display.names)}


def test_the_plot_has_a_name_and_takes_axes(seconds_display):
    selection = MutualInfoSelector(max_features=1, random_state=0).fit(*table()).selection_
    _, axes = plots.canvas.new_figure(columns=2)
    display = selection.plot("seconds", axes[1])
    assert isinstance(display, seconds_display)
    assert display.ax_ is axes[1]
    assert not axes[0].patches


def test_a_kind_of_target_is_in_results_terminal_command_line_and_report(monkeypatch, tmp_path):
    monkeypatch.setitem(TARGET_KINDS, "ordered", made_by("Add a kind of target", "OrderedClasses"))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.digitize(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=150), [-1.0, 0.0, 1.0])
    selection = MutualInfoSelector(discrete_target="ordered", random_state=0).fit(X, y).selection_
    assert set(selection.names) == {"x0", "x1"}
    assert (selection.n_classes, selection.target_kinds) == ((4,), ("4 ordered classes",))
    assert selection.settings.discrete_target == "ordered"
    assert Selection.from_json(selection.to_json()) == selection
    report, path = tmp_path / "report.html", tmp_path / "table.csv"
    selection.report(report)
    assert "4 ordered classes" in report.read_text(encoding="utf-8")
    pl.DataFrame(X, schema=["x0", "x1", "x2"]).with_columns(y=y).write_csv(path)
    options = ["select", str(path), "--target", "y", "--target-kind", "ordered", "--seed", "0"]
    assert "4 ordered classes" in CliRunner(env={"COLUMNS": "100"}).invoke(app, options).output
    assert "ordered" in CliRunner(env={"COLUMNS": "100"}).invoke(app, ["select", "--help"]).output


def shown_by_the_command(X, y, path, *options):
    """What the command line prints about a selection from a table, on one line."""
    pl.DataFrame(X, schema=[f"x{i}" for i in range(X.shape[1])]).with_columns(y=y).write_csv(path)
    run = CliRunner(env={"COLUMNS": "100"})
    return " ".join(
        run.invoke(app, ["select", str(path), "--target", "y", "--seed", "0", *options]).output.split()
    )


def test_the_null_is_in_results_terminal_command_line_and_report(monkeypatch, tmp_path):
    block_null = made_by("Add a null", "BlockNull")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    X[1:] += 0.5 * X[:-1]
    y = X[:, 1] + rng.normal(size=150)
    as_object = MutualInfoSelector(method=Calibrated(null=block_null()), random_state=0).fit(X, y).selection_
    monkeypatch.setitem(NULLS, "blocks", block_null())
    selection = MutualInfoSelector(method=Calibrated(null="blocks"), random_state=0).fit(X, y).selection_
    assert selection == as_object == Selection.from_json(selection.to_json())
    assert selection.names == ("x1",)
    assert selection.settings.method.parameters["null"] == "blocks"
    assert "surrogates in which blocks of ten consecutive rows are permuted" in unescape(render(selection))
    shown = shown_by_the_command(X, y, tmp_path / "table.csv", "--null", "blocks")
    assert "1 of 3 features selected for y: x1" in shown
    assert "blocks" in CliRunner(env={"COLUMNS": "100"}).invoke(app, ["select", "--help"]).output
    with pytest.raises(InputError, match="shuffles blocks of rows and cannot keep other groups together"):
        MutualInfoSelector(method=Calibrated(null="blocks")).fit(X, y, groups=np.arange(150) // 3)
    assert permutation_test(X[:, 1], y, X[:, [0]], null="blocks", random_state=0).significant


def test_the_statistic_is_in_results_terminal_command_line_and_report(monkeypatch, tmp_path):
    monkeypatch.setitem(STATISTICS, "waves", Stage(made_by("Add a test statistic", "WaveStatistic"), of_step=0.05))
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(200, 4))
    y = np.cos(8 * np.pi * X[:, 2]) + 0.8 * rng.normal(size=200)
    selection = MutualInfoSelector(max_features=1, random_state=0).fit(X, y).selection_
    assert selection.names == ("x2",)
    assert selection.alpha_shares[-1] == ("waves", 0.05)
    assert selection.steps[0].alpha == pytest.approx(0.05 * 0.05)
    assert Selection.from_json(selection.to_json()) == selection
    assert "0.0025 for waves" in unescape(render(selection))
    assert "0.0025 for waves" in shown_by_the_command(
        X, y, tmp_path / "table.csv", "--max-features", "1", "--verbose"
    )
    # Where pairs cannot be selected, as here, it still comes last: series and neighbours see nothing.
    assert min(selection.steps[0].candidate_p_values) > 0.05
