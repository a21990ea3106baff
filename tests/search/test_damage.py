"""Checkpoints damaged at random: refused in one sentence and left alone, or gone on from to the same result."""

import json
import os
import random
import warnings
from copy import deepcopy

import pytest
from sklearn.base import clone

from infosift import InputError, MutualInfoSelector, selection_stability
from samples import friedman

DAMAGES = int(os.environ.get("INFOSIFT_DAMAGES", "300"))  # of each kind of checkpoint


def flip(text, rng):
    damaged = bytearray(text)
    for _ in range(rng.choice([1, 1, 4, 50])):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def cut(text, rng):
    return text[: rng.randrange(len(text))]


def delete(text, rng):
    start = rng.randrange(len(text))
    return text[:start] + text[start + rng.choice([1, 2, 20, 1000]) :]


def repeat(text, rng):
    start, stop = sorted(rng.sample(range(len(text) + 1), 2))
    return text[:stop] + text[start:stop] + text[stop:]


def places(content, path=()):
    for key, value in content.items() if isinstance(content, dict) else enumerate(content):
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


def parent_of(content, place):
    for key in place[:-1]:
        content = content[key]
    return content


def swap(text, rng):
    """Let two values trade places, or give a value to a place of its kind."""
    content = json.loads(text)
    all_places = list(places(content))
    one, other = rng.sample(all_places, 2)
    first, second = (deepcopy(parent_of(content, place)[place[-1]]) for place in (one, other))
    parent_of(content, one)[one[-1]] = second
    if one != other[: len(one)] and other != one[: len(other)]:
        parent_of(content, other)[other[-1]] = first
    return json.dumps(content).encode()


def nudge(text, rng):
    """Change a number by a little, or put another thing in the place of a value."""
    content = json.loads(text)
    place = rng.choice(list(places(content)))
    inside = parent_of(content, place)
    value = inside[place[-1]]
    others = [None, True, 0, -1, 9, 1e300, "q", [], {}, [0]]
    if isinstance(value, float):
        others += [value + 1, -value, value * (1 + 1e-12)] * 3
    inside[place[-1]] = rng.choice(others)
    return json.dumps(content).encode()


def rearrange(text, rng):
    """Lay the same content out in another way, which is no damage."""
    return json.dumps(json.loads(text), indent=rng.choice([None, 1, 4]), sort_keys=rng.random() < 0.5).encode()


KINDS = (flip, cut, delete, repeat, swap, nudge, rearrange)


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
