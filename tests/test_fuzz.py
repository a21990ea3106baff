"""Runs that are stopped, killed, damaged and resumed in any order, beside the same run left alone.

Whatever happens, the answer is that of the run left alone, or one sentence, and a file that is refused is kept.
"""

import itertools
import json
import pickle
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import hazards
from infosift import InputError, MutualInfoSelector, Selection
from infosift.search.checkpoint import Checkpoint
from infosift.search.runner import SearchState
from random_tables import KINDS, as_numbers, valid_parameters

NAMES = ["a", "b", "c", "d"]
LEFT_ALONE = ("random_state", "n_jobs", "verbose", "time_limit", "discrete_target")
PARAMETERS = {
    name: st.sampled_from(values) for name, values in valid_parameters(NAMES).items() if name not in LEFT_ALONE
}
WRITES = st.integers(0, 2)
SEEDS = st.integers(0, 2**32 - 1)
# A process of its own takes seconds to begin, so few are killed.
ENDS = st.sampled_from([*["after", "before", "within", "interrupt"] * 10, "killed after", "killed within"])


def stop():
    raise StopIteration


def interrupt():
    raise KeyboardInterrupt


def table_of(kinds, n_rows, has_gaps, seed):
    """Return a data frame with columns of some kinds, and a target that depends on the first two."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: KINDS[kind](rng, n_rows) for name, kind in zip(NAMES, kinds, strict=True)})
    y = as_numbers(X["a"]) + as_numbers(X["b"]) + 0.3 * rng.normal(size=n_rows)
    return X.mask(rng.random(X.shape) < 0.05) if has_gaps else X, y


def without_times(selection):
    """Return what the JSON of a selection says, apart from how long steps took and how long they might."""
    content = json.loads(selection.to_json())
    del content["digest"], content["settings"]["time_limit"]
    for step in content["steps"]:
        del step["seconds"]
    return content


class AnyOrder(RuleBasedStateMachine):
    """A checkpoint, whether it was damaged, and the answer of the run that nothing happened to."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "state.json"
        self.is_damaged = False

    def teardown(self):
        self.folder.cleanup()

    @initialize(
        kinds=st.lists(st.sampled_from(list(KINDS)), min_size=len(NAMES), max_size=len(NAMES)),
        n_rows=st.integers(30, 40),
        has_classes=st.booleans(),
        has_gaps=st.booleans(),
        seed=SEEDS,
        parameters=st.fixed_dictionaries({}, optional=PARAMETERS),
        number=WRITES,
    )
    def leave_alone(self, kinds, n_rows, has_classes, has_gaps, seed, parameters, number):
        X, y = table_of(kinds, n_rows, has_gaps, seed)
        self.data = X, (y > np.median(y)) if has_classes else y
        # Several features, significant or not, so that there are several steps to end at.
        self.parameters = {"missing": "drop", "random_state": seed, "min_features": 3, **parameters}
        self.whole, _ = self.fit(checkpoint=None)
        assume(self.whole is not None)
        self.said = without_times(self.whole)
        self.end_at_a_write(number, "after")

    def content(self):
        return self.path.read_bytes() if self.path.exists() else None

    def fit(self, **changes):
        """Return a selection and None, or None and what is said instead."""
        selector = MutualInfoSelector(**{**self.parameters, "checkpoint": self.path, **changes})
        refusal = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                return selector.fit(*self.data).selection_, None
            except InputError as error:
                refusal = str(error)
        assert len(refusal.splitlines()) == 1
        return None, refusal

    @precondition(lambda self: not self.is_damaged)
    @rule(number=WRITES, how=ENDS)
    def end_at_a_write(self, number, how):
        if how.startswith("killed"):
            self.kill_at_a_write(number, how.removeprefix("killed "))
            return
        before, ended = self.content(), False
        when, end = ("after", interrupt) if how == "interrupt" else (how, stop)
        with hazards.ended_at_write(number, when, end) as done:
            try:
                selection, refusal = self.fit()
            except (StopIteration, KeyboardInterrupt):
                ended = True
        assert self.content() == (done[-1] if done else before)
        assert {path.name for path in self.path.parent.iterdir()} <= {self.path.name}
        if not ended:
            self.require_answer(selection, refusal)

    def kill_at_a_write(self, number, when):
        task = self.path.with_name("task")
        task.write_bytes(pickle.dumps((self.data, {**self.parameters, "checkpoint": self.path}, number, when)))
        command = [sys.executable, hazards.__file__, str(task)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "Traceback" not in ended.stderr, ended.stderr
        for beside in {*self.path.parent.iterdir()} - {self.path}:  # the dead leave what they were writing
            beside.unlink()

    @precondition(lambda self: not self.is_damaged)
    @rule(looks=st.sampled_from([0, 5, 20, 80, 320]))
    def run_out_of_time(self, looks):
        clock = itertools.count()  # by looks at it, so that a run ends at the same place on any machine
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("infosift.progress.monotonic", lambda: next(clock))
            selection, refusal = self.fit(time_limit=looks + 0.5)
        if selection is None or not selection.is_partial:
            self.require_answer(selection, refusal)
        else:
            assert selection.steps == self.whole.steps[: len(selection.steps)]

    @rule()
    def resume(self):
        before = self.content()
        selection, refusal = self.fit()
        if self.is_damaged and refusal is not None:
            assert "it is left as it is" in refusal
            assert self.content() == before
        else:
            self.require_answer(selection, refusal)
            self.is_damaged = False

    def require_answer(self, selection, refusal):
        """Require what the run left alone said."""
        assert refusal is None
        assert without_times(selection) == self.said

    @precondition(lambda self: self.path.exists())
    @rule(damage=st.sampled_from(hazards.KINDS), seed=SEEDS)
    def damage(self, damage, seed):
        if self.is_damaged:
            return  # once is enough: what is no JSON has no values to change
        self.path.write_bytes(damage(self.content(), random.Random(seed)))
        self.is_damaged = damage is not hazards.rearrange

    @precondition(lambda self: self.path.exists())
    @rule()
    def remove(self):
        self.path.unlink()
        self.is_damaged = False

    @precondition(lambda self: self.path.exists())
    @rule(change=st.sampled_from([{"alpha": 0.3}, {"random_state": 2**33}, {"max_features": 99}]))
    def ask_for_another_run(self, change):
        before = self.content()
        selection, _ = self.fit(**change)
        assert selection is None
        assert self.content() == before

    @rule(damage=st.sampled_from(hazards.KINDS), seed=SEEDS)
    def read_a_damaged_result(self, damage, seed):
        refusal = ""
        try:
            assert Selection.from_json(damage(self.whole.to_json().encode(), random.Random(seed))) == self.whole
        except InputError as error:
            refusal = str(error)
        assert len(refusal.splitlines()) <= 1

    @invariant()
    def the_checkpoint_is_whole(self):
        if not self.is_damaged:
            Checkpoint(self.path, SearchState)


@pytest.mark.endurance
class TestAnyOrder(AnyOrder.TestCase):
    """As many runs as the profile of hypothesis says."""


class TestAnyOrderOnce(AnyOrder.TestCase):
    """A few of them, for every run of the tests."""

    settings = hypothesis.settings(max_examples=6, stateful_step_count=8)
