"""Steps of a fit are tasks of scikit-learn's callbacks, where the installed version has them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infosift import Selection
from samples import friedman, make_selector

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")


class Recorder:
    """Takes down what a fit reports, and asks to stop after some steps."""

    def __init__(self, stop_after=None):
        self.events, self.stop_after = [], stop_after

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        selected = fitted_estimator.selection_.names
        assert fitted_estimator.transform(np.zeros((1, 10))).shape == (1, len(selected))
        self.events.append((context.task_name, selected))
        return self.stop_after is not None and len(fitted_estimator.selection_.steps) >= self.stop_after

    def teardown(self, estimator, context):
        self.events.append("teardown")


@pytest.fixture
def selector():
    return make_selector(method="published", n_neighbors=6, n_permutations=19, random_state=0)


@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
def test_each_step_is_a_task_with_what_is_selected_so_far(selector):
    recorder = Recorder()
    selection = selector.set_callbacks(recorder).fit(*friedman(0)).selection_
    assert recorder.events[:3] == ["setup", "begin fit", "begin step 1"]
    assert recorder.events[-2:] == [("fit", selection.names), "teardown"]
    ended = [event for event in recorder.events if isinstance(event, tuple) and event[0].startswith("step")]
    n_accepted = len(selection.accepted)
    assert [task for task, _ in ended] == [f"step {number + 1}" for number in range(len(selection.steps))]
    assert [names for _, names in ended[:n_accepted]] == [selection.names[:i] for i in range(1, n_accepted + 1)]
    assert selection == clone(selector).set_callbacks().fit(*friedman(0)).selection_


def test_a_callback_may_end_the_search(selector):
    recorder = Recorder(stop_after=1)
    selection = selector.set_callbacks(recorder).fit(*friedman(0)).selection_
    assert len(selection.steps) == 1
    assert "begin step 2" not in recorder.events
    assert selection.ended_by == "a callback"
    assert selection.is_partial


def test_a_ranking_is_worked_out_once_where_nobody_asks_for_one_after_each_step(selector, monkeypatch):
    rankings = []
    monkeypatch.setattr(Selection, "ranking", property(lambda self: rankings.append(self) or self.names))
    selection = selector.fit(*friedman(0)).selection_
    assert len(selection.steps) > 2
    assert rankings == [selection]


def test_scikit_learns_progress_bars_in_a_pipeline(selector, capfd):
    pipeline = make_pipeline(StandardScaler(), selector)
    pipeline.set_callbacks(callback.ProgressBar()).fit(*friedman(0))
    assert "MutualInfoSelector" in capfd.readouterr().out
