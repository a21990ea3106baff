"""How to repeat a run: the line of Python and the command that a report has give the same selection."""

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import polars as pl
import pytest

from infosift import Filter, GaussianCopula, MutualInfoSelector, Published
from infosift.display.report import render, summarise
from infosift.display.report.reproduce import python_line
from infosift.results.selection import TIME_LIMIT, Component
from pages import page_of
from samples import friedman, make_selector, selection, small_selection

ROW_GROUPS = np.repeat(np.arange(20), 3)


def repeated(selection, X, y, groups, **own):
    """Run the line of Python that a report has, and return its selection."""
    namespace = {"X": X, "y": y, "groups": groups, **own}
    exec(summarise(selection)["python"].replace("\n\n", "\n\nresult = ", 1), namespace)
    return namespace["result"].selection_


# Every option with and without row groups would be the same twice: they alternate.
@pytest.mark.parametrize(
    ("options", "groups"),
    [
        ({}, None),
        ({"method": "published", "alpha": 0.01}, ROW_GROUPS),
        (
            {"method": "published", "n_neighbors": 4, "n_permutations": 19, "scale": "rank", "criterion": "ksg2"},
            None,
        ),
        ({"method": "published", "n_folds": 5, "t_threshold": 1.0, "max_neighbors": 6}, ROW_GROUPS),
        ({"keep": ["b", "it's"], "ignore": ["-c"], "max_features": 3, "missing": "drop", "n_neighbors": 5}, None),
        ({"feature_groups": {"both": ["b", "-c"]}, "null": "shuffle", "n_permutations": 99}, ROW_GROUPS),
        ({"discrete_features": False, "discrete_target": False, "criterion": "ksg2"}, None),
        ({"discrete_features": ["b"], "discrete_target": True}, ROW_GROUPS),
    ],
)
def test_the_line_of_python_repeats_the_run(options, groups):
    X, y = friedman(0, n=60)
    X = pl.DataFrame(X[:, :4], schema=["a", "b", "-c", "it's"])
    if "discrete_features" in options:
        X, y = X.with_columns(pl.all().mul(3).floor()), np.floor(y / 10)
    y = pl.Series("yield", y)
    given = {"random_state": 0, "max_features": 2, **options}
    selection = make_selector(**given).fit(X, y, groups=groups).selection_
    assert repeated(selection, X, y, groups) == selection
    assert python_line(replace(selection, ended_by=TIME_LIMIT, steps=())) == python_line(selection)
    facts = dict(summarise(selection)["facts"])
    assert facts.get("row groups") == (None if groups is None else "20")
    assert ("in 20 groups, each as a whole" in summarise(selection)["methods"]) == (groups is not None)


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_the_line_of_python_repeats_a_run_in_which_nothing_is_tested(method):
    X, y, groups = np.ones((40, 2)), np.arange(40.0), np.repeat(np.arange(8), 5)
    with pytest.warns(UserWarning, match="Constant"):
        selection = make_selector(method=method, n_neighbors=3, random_state=0).fit(X, y, groups=groups).selection_
    with pytest.warns(UserWarning, match="Constant"):
        assert repeated(selection, X, y, groups) == selection
    assert "<svg" not in render(selection)


class ByCorrelation(GaussianCopula):
    """A criterion that is not ours."""


def test_the_line_of_python_imports_what_is_ours_only():
    X, y = friedman(0, n=60)
    selector = MutualInfoSelector(method=Published(n_permutations=29), criterion=ByCorrelation(), random_state=0)
    selection = selector.fit(X, y).selection_
    line = summarise(selection)["python"]
    assert line.startswith(
        "from infosift import MutualInfoSelector, Published\n# ByCorrelation is a class of your own.\n"
    )
    assert repeated(selection, X, y, None, ByCorrelation=ByCorrelation) == selection


@pytest.mark.parametrize("case", ["calibrated", "published", "filter", "floating"])
def test_every_setting_has_a_meaning(case):
    settings = selection(case).settings
    row = r'<tr><th scope="row"><code>(\w+)</code></th><td><code>(.*)</code></td><td>(.*)</td></tr>'
    shown = {
        name: unescape(value) for name, value, meaning in re.findall(row, settings_of(selection(case))) if meaning
    }
    assert {"alpha", "method", "criterion", "feature_groups", "random_state"} <= set(shown)
    for part in ("method", "search", "criterion"):
        for name, value in getattr(settings, part).parameters.items():
            assert shown[f"{part}__{name}"] == repr(value)


def settings_of(selection):
    """The page without its figures, which are drawn of steps."""
    return page_of(replace(selection, steps=()))


def test_a_method_of_ones_own_is_shown():
    calibrated = selection("three")
    own = Component(name="Bayesian", parameters={"prior": 0.5})
    criterion = Component(name="Kernel", parameters={})
    settings = replace(calibrated.settings, method=own, criterion=criterion)
    changed = replace(calibrated, settings=settings, criterion_parameter="bandwidth", criterion_values=(2,))
    said = summarise(changed)
    assert "method=Bayesian(prior=0.5)" in said["python"]
    assert said["command"] is None
    assert said["neighbors"]["sentence"] == "bandwidth 2, as given."
    assert "The criterion was Kernel (mutual information), with features scaled" in said["methods"]
    assert "Kraskov" not in said["methods"]


def test_the_command_repeats_the_run_where_it_can():
    names = ("a", "b", "-c", "it's")
    options = {"keep": ["it's"], "ignore": ["-c"], "alpha": 0.01, "max_features": 3}
    named = small_selection(names, target="the yield", **options)
    assert summarise(named)["command"] == (
        "infosift select DATA.csv --target 'the yield' --alpha 0.01 --max-features 3 "
        """--keep 'it'"'"'s' --ignore -c --seed 0"""
    )
    published = selection("published")
    settings = published.settings
    criterion = Component(name="KSG", parameters={**settings.criterion.parameters, "n_neighbors": 5})
    given = replace(published, settings=replace(settings, criterion=criterion))
    assert summarise(given)["command"] is None
    assert summarise(given)["without_option"] == "criterion__n_neighbors"
    method = Component(name="Published", parameters={**settings.method.parameters, "n_folds": 20})
    given = replace(given, settings=replace(given.settings, method=method))
    missing = "The command has no option for method__n_folds and criterion__n_neighbors; use Python."
    assert missing in settings_of(given)


def test_the_command_names_files_and_columns_to_fill_in():
    X, y = friedman(0, n=60)
    groups = {"sides": ["x0", "x1"]}
    selector = MutualInfoSelector(feature_groups=groups, max_features=1, random_state=0)
    selection = selector.fit(X, y, groups=np.repeat(np.arange(20), 3)).selection_
    said = summarise(selection)
    assert said["command"] == (
        "infosift select DATA.csv --target target --alpha 0.05 --max-features 1 --feature-groups GROUPS.json "
        "--seed 0 --groups COLUMN"
    )
    page = unescape(settings_of(selection))
    assert f"GROUPS.json is a file with this text: {json.dumps(groups)}</p>" in page
    assert "COLUMN for the column of the file" in page
    method = Component(name="Calibrated", parameters={"null": "circular", "n_permutations": "auto"})
    shifted = replace(selection, settings=replace(selection.settings, method=method))
    assert "--alpha 0.05 --null circular --max-features 1" in summarise(shifted)["command"]
    method = Component(name="Calibrated", parameters={"null": "circular", "n_permutations": 99})
    python_only = replace(selection, settings=replace(selection.settings, method=method))
    assert "COLUMN" not in settings_of(python_only)


def test_the_command_says_what_is_discrete():
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(60, 3)), rng.integers(4, size=60)

    def command(**options):
        return summarise(MutualInfoSelector(random_state=0, **options).fit(X, y).selection_)["command"]

    plain = "infosift select DATA.csv --target target --alpha 0.05"
    assert command() == f"{plain} --seed 0"
    assert command(discrete_features=["x2"]) == f"{plain} --categorical x2 --seed 0"
    assert command(discrete_target=True) == f"{plain} --target-kind classes --seed 0"
    assert command(discrete_target=False) == f"{plain} --target-kind numbers --seed 0"
    assert (
        command(discrete_features=True) == f"{plain} --categorical x0 --categorical x1 --categorical x2 --seed 0"
    )
    assert command(discrete_features=False) is None


def test_options_of_the_command_exist():
    from typer.main import get_command

    from infosift.cli import app
    from infosift.display import OPTIONS

    known = {option for parameter in get_command(app).commands["select"].params for option in parameter.opts}
    assert known.issuperset(OPTIONS.values())


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ("fwer", "--search filter"),
        ("fdr", "--search filter --control fdr"),
        (None, "--search filter --control none"),
    ],
)
def test_the_command_says_what_a_filter_controls(control, words):
    selection = (
        MutualInfoSelector(search=Filter(control=control), random_state=0).fit(*friedman(0, n=60)).selection_
    )
    said = summarise(selection)
    assert said["command"] == f"infosift select DATA.csv --target target --alpha 0.05 {words} --seed 0"
    has_neighbors = control != "fdr"
    assert ("ranks and by mutual information with " in said["methods"]) == has_neighbors
    assert re.search(r"; [\d,]+( to [\d,]+)? permutations were drawn per feature\. Adjustment", said["methods"])


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("standard", "with features scaled to unit variance."),
        ("rank", "with features scaled to normal quantiles of their ranks."),
        ("none", "with features and target in their own units."),
    ],
)
def test_the_scale_is_said_and_repeated(scale, said):
    published = selection("published")
    scaled = summarise(replace(published, settings=replace(published.settings, scale=scale)))
    assert said in scaled["methods"]
    assert (f"--scale {scale}" in scaled["command"]) == (scale != "standard")
    assert (f"scale='{scale}'" in scaled["python"]) == (scale != "standard")
