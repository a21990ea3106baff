"""Checkpoints: a run that was killed goes on to the same result; damaged files are refused and left alone."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from hazards import KINDS
from infosift import KSG, Calibrated, Forward, InputError, MutualInfoSelector, Selection, selection_stability
from infosift.results.serialization import read_record
from infosift.search.checkpoint import Checkpoint
from infosift.search.runner import SearchState
from infosift.stability import HalfSample, StabilityState
from samples import friedman, selection, with_new_digest

METHODS = [
    MutualInfoSelector(method="calibrated", random_state=0),
    MutualInfoSelector(method="published", random_state=0),
    MutualInfoSelector(0.1, search=Forward(control="fdr"), random_state=0),
]
DAMAGES = int(os.environ.get("INFOSIFT_DAMAGES", "300"))  # of each kind of checkpoint


def ids(selector):
    return selector.method


@pytest.fixture(scope="module")
def data():
    X, y = friedman(2, n=80)
    return pd.DataFrame(X[:, 2:8], columns=[f"c{i}" for i in range(6)]), y


@pytest.fixture
def on_step(monkeypatch):
    """Say what is to happen with the selection so far as soon as a step is decided."""

    def use(hook):
        monkeypatch.setattr("infosift.selector.StepTasks.end_step", lambda self, selection: hook(selection))

    return use


@pytest.mark.parametrize("selector", METHODS, ids=ids)
def test_a_run_goes_on_from_any_step(selector, data, tmp_path, on_step):
    whole = clone(selector).fit(*data).selection_
    for decided in range(len(whole.steps)):
        path = tmp_path / f"after {decided}.json"

        def stop_after(selection, decided=decided):
            if len(selection.steps) > decided:
                raise KeyboardInterrupt

        first = clone(selector).set_params(checkpoint=path)
        on_step(stop_after)
        with pytest.raises(KeyboardInterrupt):
            first.fit(*data)
        assert first.selection_.is_partial
        assert first.selection_.steps == whole.steps[: decided + 1]
        assert "interrupt" in first.selection_.stopped
        assert Selection.from_json(first.selection_.to_json()) == first.selection_
        taken = []
        on_step(lambda selection, taken=taken: taken.append(selection.steps[-1]))
        resumed = clone(selector).set_params(checkpoint=path).fit(*data).selection_
        assert resumed == whole
        assert tuple(taken) == whole.steps
        assert not resumed.is_partial


def test_decided_steps_are_not_taken_again(data, tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    whole = clone(METHODS[1]).set_params(checkpoint=path).fit(*data).selection_

    def never(*arguments, **options):
        raise AssertionError

    monkeypatch.setattr("infosift.search.published.PublishedTests.add", never)
    monkeypatch.setattr("infosift.search.published.choose_value", never)
    assert clone(METHODS[1]).set_params(checkpoint=path).fit(*data).selection_ == whole


def test_a_drawn_seed_is_that_of_the_checkpoint(data, tmp_path):
    selector = MutualInfoSelector(max_features=1, checkpoint=str(tmp_path / "state.json"))
    first = clone(selector).fit(*data).selection_
    assert clone(selector).fit(*data).selection_ == first


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda X, y: (X, y, {"alpha": 0.1}), "is of a run with alpha=0.05, not 0.1: remove it, or give another"),
        (lambda X, y: (X, y, {"random_state": 1}), "seed=0, not 1"),
        (lambda X, y: (X, y, {"method": "published"}), "method='Calibrated', not 'Published'"),
        (lambda X, y: (X, y, {"method": Calibrated(null="local")}), "null='residual', not 'local'"),
        (lambda X, y: (X, y, {"criterion": KSG(8)}), "n_neighbors='auto', not 8"),
        (lambda X, y: (X, y, {"keep": "c1"}), r"keep=\(\), not \('c1',\)"),
        (lambda X, y: (X + np.eye(80, 6), y, {}), "on other data"),
        (lambda X, y: (X, y + np.eye(80)[0], {}), "on other data"),
        (lambda X, y: (X.rename(columns={"c0": "d"}), y, {}), "on other data"),
        (lambda X, y: (X, y, {"scale": "none"}), "scale='standard', not 'none'"),
    ],
)
def test_the_checkpoint_of_another_run_is_refused(data, tmp_path, change, reason):
    path = tmp_path / "state.json"
    selector = MutualInfoSelector(random_state=0, max_features=1, checkpoint=path).fit(*data)
    before = path.read_bytes()
    X, y, options = change(*data)
    with pytest.raises(InputError, match=reason):
        clone(selector).set_params(**options).fit(X, y)
    assert path.read_bytes() == before


def test_a_checkpoint_of_another_version_is_refused(data, tmp_path):
    path = tmp_path / "state.json"
    selector = MutualInfoSelector(random_state=0, max_features=1, checkpoint=path).fit(*data)
    path.write_text(with_new_digest(json.dumps(json.loads(path.read_text()) | {"version": "0.0.1"})))
    with pytest.raises(InputError, match=r"was written by infosift 0\.0\.1, not "):
        selector.fit(*data)


@pytest.mark.parametrize("content", [b"", b"{", b"a,b\n1,2\n", b"\xff\xfe", b'{"infosift": "State"}', None])
def test_what_is_no_checkpoint_is_refused_and_left_alone(data, tmp_path, content):
    path = tmp_path / "state.json"
    selector = MutualInfoSelector(random_state=0, max_features=1, checkpoint=path)
    if content is None:  # a checkpoint that lost its end
        selector.fit(*data)
        content = path.read_bytes()[:-30]
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"is not a whole checkpoint of infosift \(.*\); it is left as it is"):
        selector.fit(*data)
    assert path.read_bytes() == content


def test_a_checkpoint_needs_a_folder(data, tmp_path):
    with pytest.raises(InputError, match="There is no folder"):
        MutualInfoSelector(checkpoint=tmp_path / "none" / "state.json").fit(*data)
    with pytest.raises(InputError, match="is a folder, a device or a pipe: give a file"):
        MutualInfoSelector(checkpoint=tmp_path).fit(*data)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has this device")
@pytest.mark.parametrize("device", ["/dev/full", "/dev/null", "pipe"])
def test_a_checkpoint_is_no_device(data, tmp_path, device):
    path = Path(device)
    if device == "pipe":
        path = tmp_path / device
        os.mkfifo(path)
    with pytest.raises(InputError, match=f"The checkpoint {path} is a folder, a device or a pipe: give a file."):
        MutualInfoSelector(checkpoint=path).fit(*data)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace('"columns": [0]', '"columns": [4]'), "it was changed after it was written"),
        (lambda text: text.replace('"columns": [0]', '"columns": [99]'), "it was changed after it was written"),
        (lambda text: text.replace('"candidates": [0', '"candidates": ["q"'), "it was changed after it was"),
        (lambda text: text.replace('"seed": 0', '"seed": 1e999'), "it is damaged, or no JSON"),
        (lambda text: text.replace('"seed": 0', '"seed": NaN'), "it is damaged, or no JSON"),
        (lambda text: text.replace('"seed": 0', '"seed": ' + "9" * 5000), "it is damaged, or no JSON"),
        (lambda text: text.replace('"seed": 0', '"seed": 0, "seed": 0'), "it is damaged, or no JSON"),
        (lambda text: "[" * 200_000, "it is damaged, or no JSON"),
        (lambda text: re.sub(r'"digest": "\w+", ', "", text), "it has no digest"),
    ],
)
def test_a_damaged_checkpoint_is_refused_and_left_alone(tmp_path, change, reason):
    X, noise = friedman(1, n=60)
    y = X[:, 0] + 0.02 * noise
    path = tmp_path / "state.json"
    selector = MutualInfoSelector(random_state=0, max_features=1, checkpoint=path).fit(X, y)
    text = path.read_text(encoding="utf-8")
    damaged = change(text)
    assert damaged != text
    path.write_text(damaged, encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        clone(selector).fit(X, y)
    assert path.read_text(encoding="utf-8") == damaged


def test_runs_side_by_side_may_share_a_checkpoint(data, tmp_path):
    path = tmp_path / "state.json"
    selector = MutualInfoSelector(random_state=0, max_features=1, checkpoint=path)
    (tmp_path / "state.json.part").mkdir()  # what another run has under way is not in the way
    first = clone(selector).fit(*data).selection_
    assert clone(selector).fit(*data).selection_ == first


def test_half_a_character_in_a_name_is_no_obstacle(data, tmp_path):
    X, y = data
    selector = MutualInfoSelector(random_state=0, max_features=1, checkpoint=tmp_path / "state.json")
    X = X.set_axis(pd.Index([f"half \ud800 {i}" for i in range(6)], dtype=object), axis=1)
    first = clone(selector).fit(X, y).selection_
    assert clone(selector).fit(X, y).selection_ == first


@pytest.mark.parametrize("selector", METHODS, ids=ids)
def test_a_time_limit_ends_the_search_with_what_is_decided(selector, data):
    whole = clone(selector).fit(*data).selection_
    nothing = clone(selector).set_params(time_limit=1e-9).fit(*data).selection_
    assert nothing.steps == ()
    assert nothing.ended_by == "the time limit"
    assert nothing.names == ()
    ample = clone(selector).set_params(time_limit=600).fit(*data).selection_
    assert ample.steps == whole.steps
    assert not ample.is_partial


def test_a_time_limit_may_change_between_runs(data, tmp_path):
    path = tmp_path / "state.json"
    selector = MutualInfoSelector(random_state=0, checkpoint=path, time_limit=600)
    decided = clone(selector).fit(*data).selection_.steps
    assert clone(selector).set_params(time_limit=None).fit(*data).selection_.steps == decided


@pytest.mark.endurance
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL to send")
def test_a_killed_run_goes_on_to_the_same_result(tmp_path):
    X, y = friedman(3, n=120)
    table = tmp_path / "table.csv"
    pd.DataFrame(X).assign(y=y).to_csv(table, index=False)
    command = [sys.executable, "-m", "infosift", "select", str(table), "--target", "y", "--jobs", "1", "--json"]
    started = time.monotonic()
    subprocess.run([*command, str(tmp_path / "whole.json")], check=True, capture_output=True)
    longest = time.monotonic() - started
    whole = Selection.from_json((tmp_path / "whole.json").read_text())
    state, out = tmp_path / "state.json", tmp_path / "resumed.json"
    moments, n_killed = random.Random(0), 0
    while n_killed < int(os.environ.get("INFOSIFT_KILLS", "2")):
        state.unlink(missing_ok=True)
        process = subprocess.Popen(
            [*command, str(out), "--checkpoint", str(state)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moments.uniform(0.3, 1) * longest)
        if process.poll() is not None:  # it was done: other work on the machine has ended since
            longest *= 0.9
            continue
        process.send_signal(signal.SIGKILL)
        process.wait()
        n_killed += 1
        subprocess.run([*command, str(out), "--checkpoint", str(state)], check=True, capture_output=True)
        assert Selection.from_json(out.read_text()) == whole, n_killed


def test_a_checkpoint_in_other_units_is_of_other_data(data, tmp_path):
    X, y = data
    selector = MutualInfoSelector(scale="none", max_features=1, random_state=0, checkpoint=tmp_path / "state.json")
    first = clone(selector).fit(X, y).selection_
    assert clone(selector).fit(X, y).selection_ == first
    with pytest.raises(InputError, match="on other data"):
        clone(selector).fit(X * np.where(np.arange(X.shape[1]) == 0, 2.0, 1.0), y)


@pytest.mark.parametrize("path", [3, ["state.json"], b"state.json", "\0"])
def test_a_checkpoint_is_a_path(data, path):
    for run in (
        lambda: MutualInfoSelector(checkpoint=path).fit(*data),
        lambda: selection_stability(MutualInfoSelector(), *data, n_resamples=2, checkpoint=path),
    ):
        with pytest.raises(InputError, match=r"^checkpoint must be a path, "):
            run()


STATES = {
    SearchState: lambda: SearchState(
        settings=selection("published").settings,
        data="a digest of the data",
        neighbors=selection("published").neighbors,
        steps=selection("published").steps,
    ),
    StabilityState: lambda: StabilityState(
        settings=selection("calibrated").settings,
        half_samples=tuple(
            HalfSample(number=number, selected=(number, 3), redundant=((1, 3),), is_partial=False)
            for number in range(20)
        ),
    ),
}


@pytest.mark.parametrize("kind", STATES, ids=lambda kind: kind.__name__)
def test_a_checkpoint_damaged_at_random_is_refused_or_read_as_it_was(kind, tmp_path):
    whole, path = STATES[kind](), tmp_path / "state.json"
    text = whole.to_json().encode()
    refused = 0
    for seed in range(DAMAGES):
        damage = KINDS[seed % len(KINDS)]
        damaged, case = damage(text, random.Random(seed)), f"{damage.__name__}, seed {seed}"
        path.write_bytes(damaged)
        reason = None
        try:
            Checkpoint(path, kind)
        except InputError as error:
            reason = str(error)
        if reason is None:
            assert read_record(kind, damaged) == whole, case
        else:
            refused += 1
            assert len(reason.splitlines()) == 1, case
            assert "it is left as it is" in reason, case
        assert path.read_bytes() == damaged, case
    assert DAMAGES // 2 < refused <= DAMAGES - DAMAGES // len(KINDS)  # other layouts are no damage


def test_a_checkpoint_laid_out_anew_is_gone_on_from(data, tmp_path):
    path = tmp_path / "state.json"
    selector = MutualInfoSelector(random_state=0, max_features=1, checkpoint=path)
    whole = clone(selector).fit(*data).selection_
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4, sort_keys=True))
    assert clone(selector).fit(*data).selection_ == whole
