"""A picture of a selection in a terminal: a bar for each feature, as long as its information."""

import io

import numpy as np
import pytest
from rich.console import Console

from infosift.display.terminal import print_bars
from samples import make_selector


def drawn(selection, width=100):
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    print_bars(selection, console)
    return console.file.getvalue().splitlines()


@pytest.fixture(scope="module")
def selection():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=200)
    y = 2 * X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=200)
    return make_selector(random_state=0).fit(X, y).selection_


def test_bars_are_as_long_as_the_information_and_say_what_became_of_features(selection):
    title, *lines = drawn(selection)
    assert title == "Information of each feature alone, in nats"
    names = [line.split()[0] for line in lines]
    assert names[: len(selection.names)] == list(selection.names)
    assert sorted(names) == sorted(selection.feature_names)
    alone = dict(zip(selection.feature_names, np.nan_to_num(selection.information_alone), strict=True))
    lengths = {line.split()[0]: line.count("█") for line in lines}
    most = max(alone.values())
    for name, length in lengths.items():
        assert abs(length - 30 * max(0.0, alone[name]) / most) <= 1
    assert any("redundant with x0" in line for line in lines)


def test_a_narrow_terminal_folds_nothing_but_names(selection):
    assert all(len(line) <= 60 for line in drawn(selection, width=60))
