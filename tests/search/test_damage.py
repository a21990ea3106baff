"""Checkpoints damaged at random: refused in one sentence and left alone, or gone on from to the same result."""

import os
import random
import warnings

import pytest
from sklearn.base import clone

from hazards import KINDS
from infosift import InputError, MutualInfoSelector, selection_stability
from samples import friedman

DAMAGES = int(os.environ.get("INFOSIFT_DAMAGES", "300"))  # of each kind of checkpoint


def run_of_a_selector(method):
    X, y = friedman(1, n=60)
    selector = MutualInfoSelector(method=method, random_state=0, max_features=2)
    return lambda path: clone(selector).set_params(checkpoint=path).fit(X[:, :5], y).selection_


def run_of_half_samples():
    X, y = friedman(1, n=60)
    selector = MutualInfoSelector(method="published", max_features=1)
    return lambda path: selection_stability(selector, X[:, 2:5], y, n_resamples=4, checkpoint=path)


RUNS = {
    "calibrated": lambda: run_of_a_selector("calibrated"),
    "published": lambda: run_of_a_selector("published"),
    "stability": run_of_half_samples,
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_damaged_checkpoint_does_no_harm(kind, tmp_path):
    run, path = RUNS[kind](), tmp_path / "state.json"
    whole = run(path)
    text = path.read_bytes()
    refused = equal = 0
    for seed in range(DAMAGES):
        rng = random.Random(seed)
        damage = KINDS[seed % len(KINDS)]
        damaged = damage(text, rng)
        path.write_bytes(damaged)
        said = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert run(path) == whole, f"{damage.__name__}, seed {seed}"
            equal += 1
        except InputError as error:
            said = str(error)
            refused += 1
        if said is not None:
            assert len(said.splitlines()) == 1, f"{damage.__name__}, seed {seed}"
            assert "it is left as it is" in said, f"{damage.__name__}, seed {seed}"
            assert path.read_bytes() == damaged, f"{damage.__name__}, seed {seed}"
    assert refused + equal == DAMAGES
    assert equal >= DAMAGES // len(KINDS)  # other layouts at least
    assert refused > DAMAGES // 2
