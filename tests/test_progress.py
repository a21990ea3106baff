"""Progress that is shown while a run goes on, its time limit, and what Ctrl-C does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from infosift import MutualInfoSelector
from infosift.progress import ProgressBar, Reporter, RunStage, TimeIsUp
from samples import friedman

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
# Python itself takes some moments before any of our code runs.
FIRST, LAST = 0.08, 2.5
MOMENTS = int(os.environ.get("INFOSIFT_INTERRUPTS", "6"))


@pytest.mark.parametrize("method", ["calibrated", "published"])
def test_stages_say_what_is_done_and_add_up(method, monkeypatch):
    stages = []
    monkeypatch.setattr(ProgressBar, "__call__", lambda self, stage: stages.append(stage))
    X, y = friedman(0, n=60)
    selection = MutualInfoSelector(method=method, random_state=0, verbose=1).fit(X, y).selection_
    tasks = list(dict.fromkeys(stage.task for stage in stages))
    first = (
        "choosing the number of neighbours" if method == "published" else "step 1: testing 10 features, 999 surr"
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
    assert told[-1] == RunStage("work", 10, 10, ("a",))
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
    monkeypatch.setattr("infosift.progress.ProgressBar.patience", -1)
    with ProgressBar() as bar:
        for done in range(3):
            bar(RunStage("step 1: testing 9 [b]features[/b]", done, 3, ()))
        bar(RunStage("step 2: testing 8 features", 0, 3, ("[red]",)))
    out, told = capfd.readouterr()
    assert out == ""
    assert told.splitlines() == [
        "step 1: testing 9 [b]features[/b]",
        "step 2: testing 8 features (selected: [red])",
    ]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    X = np.random.default_rng(0).normal(size=(400, 30))
    pl.DataFrame(X).with_columns(y=pl.Series(X[:, 0] ** 2)).write_csv(path)
    return path


def interrupted_after(seconds, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-m", "infosift", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    return process.returncode, stderr.decode()


def moments(number):
    return np.random.default_rng(3).uniform(FIRST, LAST, number).round(3).tolist()


@needs_signals
@pytest.mark.parametrize("seconds", moments(MOMENTS))
def test_an_interrupt_while_it_starts(table, seconds):
    code, said = interrupted_after(seconds, "select", table, "--target", "y")
    assert code in (130, 0)  # or it was done before
    assert "Traceback" not in said
    if code:
        assert said.splitlines()[-1].startswith("Interrupted")


@needs_signals
def test_it_is_said_while_standard_error_is_silenced():
    code = (
        "import os, signal\n"
        "from infosift.progress import end_at_once\n"
        "end_at_once()\n"
        "os.dup2(os.open(os.devnull, os.O_WRONLY), 2)\n"
        "os.kill(os.getpid(), signal.SIGINT)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (130, "Interrupted.\n")


@needs_signals
def test_who_has_interrupts_ignored_is_left_alone(tmp_path):
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from infosift.progress import end_at_once, raise_from_here\n"
        "end_at_once(); raise_from_here()\n"
        "import os; os.kill(os.getpid(), signal.SIGINT); print('still here')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "still here"


@needs_signals
def test_the_exit_code_is_kept_where_an_interrupt_left_an_exec(tmp_path):
    # As imports have it; python -m would end by a signal after a plain KeyboardInterrupt.
    (tmp_path / "work.py").write_text(
        "import sys\n"
        "from infosift.progress import end_at_once, raise_from_here\n"
        "end_at_once(); raise_from_here()\n"
        "try: exec('import os, signal; os.kill(os.getpid(), signal.SIGINT); sum(range(10**6))')\n"
        "except KeyboardInterrupt: sys.exit(130)"
    )
    found = subprocess.run([sys.executable, "-m", "work"], cwd=tmp_path, check=False)
    assert found.returncode == 130


@needs_signals
def test_once_there_is_work_it_is_an_exception():
    code = (
        "import os, signal\n"
        "from infosift.progress import end_at_once, raise_from_here\n"
        "end_at_once(); raise_from_here()\n"
        "try: os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt: print('caught')"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "caught"
