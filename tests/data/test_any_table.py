"""Whatever table a person has, and whatever is asked of it: a result that can be shown, or one sentence why not.

A seed that fails is repeated alone, with INFOSIFT_TABLES above it:
``pytest "tests/data/test_any_table.py::test_fits_or_says_why_not[123]"``.
"""

import io
import os
import warnings

import numpy as np
import pytest
from rich.console import Console

from infosift import InputError, Selection
from infosift.display.terminal import print_selection
from random_tables import random_fit

TABLES = int(os.environ.get("INFOSIFT_TABLES", "300"))
ALWAYS = 75
WITH_A_REPORT = 25  # of as many, one, since its figures take long


@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=() if seed < ALWAYS else pytest.mark.endurance) for seed in range(TABLES)],
)
def test_fits_or_says_why_not(seed, tmp_path):
    outcome(seed, tmp_path)


def outcome(seed, folder):
    """Fit the table of a seed and show the result; return what is said where that is refused."""
    fit = random_fit(seed, folder)
    selector = fit.selector()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        refusal = refusal_of(selector, fit)
    if refusal is not None:
        require_sentence(refusal)
        assert not fit.is_plain, refusal
        assert not hasattr(selector, "selection_")
        return refusal
    require_sound(selector, selector.selection_)
    require_shown(selector.selection_)
    if seed % WITH_A_REPORT == 0:
        selector.selection_.report(folder / "report.html")
    return None


def refusal_of(selector, fit):
    """Fit, and return what is said where that is refused; other errors are no refusals."""
    try:
        selector.fit(fit.X, fit.y, groups=fit.groups)
    except InputError as error:
        return str(error)
    return None


def require_sentence(refusal):
    assert 10 < len(refusal) < 1500, refusal
    assert len(refusal.splitlines()) == 1, refusal
    assert "Traceback" not in refusal
    assert refusal.endswith("."), refusal


def require_sound(selector, selection):
    assert Selection.from_json(selection.to_json()) == selection
    assert selector.n_features_in_ == len(selection.feature_names)
    assert selector.get_support().sum() == len(selector.selected_) == len(set(selector.selected_))
    assert sorted(selector.ranking_)[0] >= 1
    for step in selection.steps:
        assert np.isfinite([step.information, step.information_threshold or 0.0]).all()
        assert np.isfinite([step.statistic, step.threshold, *step.null]).all()
        assert 0 < step.p_value <= 1


def require_shown(selection):
    assert repr(selection).startswith("Selection(")
    assert "<table" in selection._repr_html_()
    for width in (20, 80, 200):
        printed = io.StringIO()
        print_selection(selection, Console(file=printed, width=width))
        assert printed.getvalue().strip()
    for library in ("pandas", "polars"):
        assert len(selection.to_frame(library=library)) == len(selection.steps)
        assert len(selection.to_frame("verdicts", library=library)) == len(selection.feature_names)
