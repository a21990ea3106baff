"""What is reported while a run goes on."""

import numpy as np
import pytest

from infosift import MutualInfoSelector
from infosift.progress import ProgressBar, Reporter, Stage, TimeIsUp
from samples import friedman


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_stages_say_what_is_done_and_add_up(method, monkeypatch):
    stages = []
    monkeypatch.setattr(ProgressBar, "__call__", lambda self, stage: stages.append(stage))
    X, y = friedman(0, n=60)
    selection = MutualInfoSelector(method=method, random_state=0, verbose=1).fit(X, y).selection_
    tasks = list(dict.fromkeys(stage.task for stage in stages))
    first = (
        "choosing the number of neighbours" if method == "published" else "step 1: testing 10 features, 59 surr"
    )
    assert tasks[0].startswith(first)
    for number in range(1, len(selection.steps) + 1):
        assert any(task.startswith(f"step {number}: testing") for task in tasks)
    for task in tasks:
        of_task = [stage for stage in stages if stage.task == task]
        done = [stage.done for stage in of_task]
        assert done == sorted(done)
        assert done[-1] == of_task[-1].total > 0
    assert stages[-1].selected == tuple(step.feature for step in selection.accepted)


def test_a_reporter_counts_and_ends():
    told = []
    reporter = Reporter(told.append)
    reporter.begin("work", 10)
    reporter.advance(4)
    reporter.add("a")
    reporter.advance(9)
    assert told[-1] == Stage("work", 10, 10, ("a",))
    reporter = Reporter(time_limit=1e-9)
    reporter.begin("before the run", 1)
    reporter.start_clock()
    with pytest.raises(TimeIsUp):
        reporter.begin("work", 1)


def test_short_runs_are_silent(capfd):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    MutualInfoSelector(random_state=0, verbose=1, max_features=1).fit(X, X[:, 0] ** 2)
    assert capfd.readouterr() == ("", "")


def test_where_there_is_no_terminal_a_task_is_a_line(capfd, monkeypatch):
    monkeypatch.setattr("infosift.progress._SECONDS_OF_PATIENCE", -1)
    with ProgressBar() as bar:
        for done in range(3):
            bar(Stage("step 1: testing 9 [b]features[/b]", done, 3, ()))
        bar(Stage("step 2: testing 8 features", 0, 3, ("[red]",)))
    out, told = capfd.readouterr()
    assert out == ""
    assert told.splitlines() == [
        "step 1: testing 9 [b]features[/b]",
        "step 2: testing 8 features (selected: [red])",
    ]
