"""Selections on half-samples: the slow and obvious loop, the same bits for any number of jobs, resumed runs."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config

from infosift import Calibrated, InputError, MutualInfoSelector, selection_stability
from infosift.random_streams import stream
from infosift.results import Stability
from infosift.stability import HalfSample, draw_pair, find_substitutes, read, select
from samples import friedman

QUICK = MutualInfoSelector(method=Calibrated(n_permutations=39), max_features=2)


@pytest.fixture(scope="module")
def table():
    X, y = friedman(0, n=80)
    return X[:, :5], y


@pytest.fixture(scope="module")
def stability(table):
    return selection_stability(QUICK, *table, n_resamples=6, random_state=3)


def data_of(X, y, groups=None, **parameters):
    given = MutualInfoSelector(random_state=0, **parameters).get_params(deep=False)
    return read(X, y, groups, given)[0]


def test_it_is_a_loop_of_selections_on_halves(table, stability):
    X, y = table
    counts, selected = np.zeros(5), []
    for pair in range(3):
        halves = draw_pair(data_of(X, y), 3, pair)
        assert not np.any(halves[0] & halves[1])
        for half, rows in enumerate(halves):
            seed = int(stream(3, "selections on half-samples", 2 * pair + half).integers(2**32))
            own = MutualInfoSelector(method=Calibrated(n_permutations=39), max_features=2, random_state=seed)
            own.fit(X[rows], y[rows])
            counts[own.selected_] += 1
            selected.append(own.selection_.names)
    assert np.array_equal(stability.frequencies, counts / 6)
    assert stability.selected == tuple(selected)
    assert stability.mean_selected == counts.sum() / 6
    assert (stability.n_candidates, stability.n_rows, stability.n_pairs) == (5, 80, 3)
    assert len({names for names in selected if names}) > 1  # so that there is something to average


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # of Python, where joblib forks
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_the_same_bits_for_any_number_of_jobs(table, stability, backend):
    with parallel_config(backend=backend):
        assert selection_stability(QUICK, *table, n_resamples=6, random_state=3, n_jobs=2) == stability


def test_the_seed_of_the_selector_is_not_used(table, stability):
    seeded = MutualInfoSelector(method=Calibrated(n_permutations=39), max_features=2, random_state=17, n_jobs=1)
    again = selection_stability(seeded, *table, n_resamples=6, random_state=3)
    assert again == stability
    assert seeded.random_state == 17
    other = selection_stability(QUICK, *table, n_resamples=6, random_state=4)
    assert other.selected != stability.selected


@pytest.mark.parametrize("n", [80, 81])
def test_halves_share_no_row_and_leave_out_at_most_one(n):
    X, y = friedman(0, n=n)
    data = data_of(X, y)
    left_out = set()
    for pair in range(20):
        one, other = draw_pair(data, 0, pair)
        assert one.sum() == other.sum() == 40
        assert not np.any(one & other)
        left_out |= set(np.flatnonzero(~(one | other)).tolist())
    assert len(left_out) == 0 if n == 80 else len(left_out) > 10


def test_each_row_is_as_often_in_either_half():
    X, y = friedman(0, n=41)
    data = data_of(X, (y > np.median(y)).astype(int))
    in_first = np.mean([draw_pair(data, 0, pair)[0] for pair in range(600)], axis=0)
    # Shares of 20 / 41 with a standard error of 0.02: five of them for the largest of 41 deviations.
    assert np.all(np.abs(in_first - 20 / 41) < 5 * 0.0204)


def test_classes_are_divided_evenly():
    X, _ = friedman(0, n=61)
    y = np.array(["a"] * 31 + ["b"] * 21 + ["c"] * 9)
    data = data_of(X, y)
    for pair in range(20):
        one, other = draw_pair(data, 0, pair)
        assert one.sum() == other.sum() == 30
        for name in "abc":
            assert abs(int(np.sum(y[one] == name)) - int(np.sum(y[other] == name))) <= 1


def test_groups_of_rows_stay_together():
    X, y = friedman(0, n=84)
    groups = np.repeat(np.arange(21), 4)
    data = data_of(X, y, groups)
    for pair in range(10):
        one, other = draw_pair(data, 0, pair)
        in_one, in_other = set(groups[one]), set(groups[other])
        assert len(in_one) == len(in_other) == 10
        assert not in_one & in_other
        assert one.sum() == other.sum() == 40
    found = selection_stability(QUICK, X[:, 2:7], y, groups=groups, n_resamples=2)
    assert found.n_row_groups == 21


def test_groups_are_divided_by_the_class_of_most_of_their_rows():
    X, _ = friedman(0, n=80)
    groups, y = np.repeat(np.arange(20), 4), np.repeat([0, 1], [48, 32])
    y[::8] = 1 - y[::8]
    for pair in range(10):
        one, other = draw_pair(data_of(X, y, groups), 0, pair)
        assert len(set(groups[one]) & set(range(12))) == len(set(groups[other]) & set(range(12))) == 6


def test_what_is_discrete_is_decided_by_all_rows():
    X, _ = friedman(0, n=64)
    y = np.arange(64) % 12  # twelve whole numbers are classes in 64 rows, not in 32
    data = data_of(X, y)
    assert data.target.discrete == {0}
    found = selection_stability(QUICK, X[:, :3], y, n_resamples=2)
    assert found.settings.discrete_target is None


def test_frames_gaps_text_and_kept_features():
    X, y = friedman(0, n=90)
    frame = pl.DataFrame(X[:, 2:6], schema=list("abcd")).with_columns(
        kind=pl.Series(np.where(X[:, 0] > 0.5, "high", "low")),
        one=pl.lit(1.0),
        b=pl.when(pl.int_range(90) % 10 == 0).then(None).otherwise(pl.col("b")),
    )
    selector = MutualInfoSelector(
        method=Calibrated(n_permutations=39),
        max_features=3,
        keep="a",
        ignore="d",
        missing="drop",
        feature_groups={"both": ["c", "kind"]},
    )
    found = selection_stability(selector, frame, pl.Series("yield", y), n_resamples=4)
    assert (found.n_rows, found.n_rows_dropped) == (81, 9)
    assert (found.target_name, found.n_candidates) == ("yield", 2)
    assert found.frequency("a") == 1
    assert found.frequency("d") == found.frequency("one") == 0
    assert found.frequency("c") == found.frequency("kind")
    assert found.mean_selected == pytest.approx(found.frequency("b") + found.frequency("c"))


def test_several_targets_and_the_published_method(table):
    X, y = table
    selector = MutualInfoSelector(method="published", max_features=1)
    found = selection_stability(selector, X, np.column_stack([y, X[:, 0]]), n_resamples=2)
    assert found.groups == ()
    assert found.frequencies.sum() == 1


def test_a_killed_run_goes_on_to_the_same_bits(table, stability, tmp_path, monkeypatch):
    path = tmp_path / "halves.json"
    done = []

    def killed(data, seed, number):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(number)
        return select(data, seed, number)

    monkeypatch.setattr("infosift.stability.select", killed)
    run = {"n_resamples": 6, "random_state": 3, "checkpoint": path}
    with pytest.raises(KeyboardInterrupt):
        selection_stability(QUICK, *table, **run)
    assert len(json.loads(path.read_text())["half_samples"]) == 3
    done.clear()
    assert selection_stability(QUICK, *table, **run) == stability
    assert done == [3, 4, 5]
    done.extend([0] * 3)  # nothing more is to be done
    assert selection_stability(QUICK, *table, **run) == stability
    assert selection_stability(QUICK, *table, **{**run, "random_state": None}) == stability
    fewer = selection_stability(QUICK, *table, **{**run, "n_resamples": 4})
    assert fewer.selected == stability.selected[:4]


def test_the_file_of_another_run_is_refused(table, tmp_path):
    path = tmp_path / "halves.json"
    X, y = table
    selection_stability(QUICK, X, y, n_resamples=2, checkpoint=path)
    with pytest.raises(InputError, match="is of a run on other data"):
        selection_stability(QUICK, X, y + np.arange(80), n_resamples=2, checkpoint=path)
    with pytest.raises(InputError, match="is of a run with seed=0, not 1"):
        selection_stability(QUICK, X, y, n_resamples=2, checkpoint=path, random_state=1)
    with pytest.raises(InputError, match="is of a run with max_features=2, not None"):
        selection_stability(MutualInfoSelector(method=QUICK.method), X, y, n_resamples=2, checkpoint=path)
    path.write_text("{}")
    with pytest.raises(InputError, match="is not a whole checkpoint of infosift"):
        selection_stability(QUICK, X, y, n_resamples=2, checkpoint=path)


SCRIPT = """
import sys
from infosift import Calibrated, MutualInfoSelector, selection_stability
from samples import friedman

X, y = friedman(0, n=80)
selector = MutualInfoSelector(method=Calibrated(n_permutations=39), max_features=2)
found = selection_stability(
    selector, X[:, :5], y, n_resamples=60, random_state=3, n_jobs=int(sys.argv[2]), checkpoint=sys.argv[1]
)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize(
    ("sent", "n_jobs"),
    [
        (signal.SIGKILL, 1),
        pytest.param(signal.SIGINT, 1, marks=pytest.mark.endurance),
        pytest.param(signal.SIGINT, 2, marks=pytest.mark.endurance),
    ],
)
def test_a_process_may_be_ended_at_any_moment(table, stability, tmp_path, sent, n_jobs):
    path = tmp_path / "halves.json"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    command = [sys.executable, "-c", SCRIPT, str(path), str(n_jobs)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not path.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(sent)
        _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert sent is signal.SIGKILL or "KeyboardInterrupt" in said
    known = json.loads(path.read_text())["half_samples"]
    assert 1 <= len(known) < 60
    found = selection_stability(QUICK, *table, n_resamples=6, random_state=3, checkpoint=path)
    assert found == stability


def test_progress_is_shown(table, monkeypatch, capsys):
    monkeypatch.setattr("infosift.progress.ProgressBar.patience", 0.0)
    selection_stability(QUICK, *table, n_resamples=2, verbose=1)
    assert "selecting on half-samples" in capsys.readouterr().err


def test_searches_that_end_early_are_counted_and_not_kept(table, tmp_path):
    path = tmp_path / "halves.json"
    hurried = MutualInfoSelector(time_limit=1e-9)
    found = selection_stability(hurried, *table, n_resamples=2, checkpoint=path)
    assert found.n_partial == 2
    assert "On 2 of 2 half-samples the search was ended early." in found.summary
    assert not path.exists()


def test_what_is_refused(table):
    X, y = table
    with pytest.raises(InputError, match="selector must be a MutualInfoSelector, not 'ksg'"):
        selection_stability("ksg", X, y)
    with pytest.raises(InputError, match="n_resamples must be even, since half-samples come in pairs, not 5"):
        selection_stability(QUICK, X, y, n_resamples=5)
    with pytest.raises(InputError, match="n_resamples must be an integer of at least 2"):
        selection_stability(QUICK, X, y, n_resamples=0)
    with pytest.raises(InputError, match="n_jobs must be a number of threads"):
        selection_stability(QUICK, X, y, n_jobs=0)
    with pytest.raises(InputError, match="the target y is None"):
        selection_stability(QUICK, X, None)
    with pytest.raises(InputError, match=r'Column "x1" has no value in any row: leave it out with ignore="x1"\.'):
        selection_stability(MutualInfoSelector(missing="error"), np.where(np.arange(5) == 1, np.nan, X), y)
    with pytest.raises(InputError, match="On half-sample 1: groups has 3 groups of rows"):
        selection_stability(QUICK, X, y, groups=np.arange(80) % 6)


def test_the_result_goes_to_json_and_back(stability):
    assert Stability.from_json(stability.to_json()) == stability


def halves(*found):
    return [
        HalfSample(number=number, selected=selected, redundant=redundant, is_partial=False)
        for number, (selected, redundant) in enumerate(found)
    ]


def groups(*found):
    return [(group.features, group.frequency) for group in find_substitutes(halves(*found), "abcd")]


def test_each_must_be_replaced_by_the_other():
    a, b, neither = ((0,), ((1, 0),)), ((1,), ((0, 1),)), ((), ())
    assert groups(a, b, a, neither) == [(("a", "b"), 0.75)]
    assert groups(b, b, a, a) == [(("a", "b"), 1.0)]  # of equals, the first
    assert groups(a, a, a, a) == []
    assert groups(neither, neither) == []


def test_features_that_are_selected_together_do_not_replace_each_other():
    a, b, both = ((0,), ((1, 0),)), ((1,), ((0, 1),)), ((0, 1), ())
    assert groups(a, b, both) == [(("a", "b"), 1.0)]
    assert groups(a, b, both, both) == []


def test_a_rare_exchange_does_not_count():
    a, b = ((0,), ((1, 0),)), ((1,), ((0, 1),))
    assert groups(*[a] * 19, b) == [(("a", "b"), 1.0)]
    assert groups(*[a] * 20, b) == []


def test_a_group_is_what_replaces_its_most_frequent_feature():
    # a and c replace b, but not each other: with b, the most frequent, they are one group.
    b_of_both, a, c = ((1,), ((0, 1), (2, 1))), ((0,), ((1, 0),)), ((2,), ((1, 2),))
    assert groups(b_of_both, b_of_both, a, c) == [(("b", "a", "c"), 1.0)]
    # With a the most frequent, c is on its own.
    assert groups(b_of_both, a, a, c) == [(("a", "b"), 0.75)]


def test_two_noisy_copies_are_found():
    rng = np.random.default_rng(1)
    X, hidden = rng.normal(size=(160, 4)), rng.normal(size=160)
    X[:, :2] = hidden[:, None] + 0.1 * X[:, :2]
    y = hidden + X[:, 2] + rng.normal(size=160)
    found = selection_stability(MutualInfoSelector(), X, y, n_resamples=12)
    (group,) = found.groups
    assert set(group.features) == {"x0", "x1"}
    assert group.frequency == 1
    assert max(found.frequency("x0"), found.frequency("x1")) < 1
    assert found.stable_groups(0.9) == found.groups
    assert "replace each other: one of them is selected in 100 %" in found.summary
