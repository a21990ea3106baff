"""What may happen to a run and its file: an end at any moment, bytes that change, values of JSON that change."""

import json
import os
import pickle
import signal
import sys
import warnings
from contextlib import contextmanager, nullcontext, suppress
from copy import deepcopy
from pathlib import Path
from unittest.mock import patch

from infosift import InputError, MutualInfoSelector
from infosift.io import write_file


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


@contextmanager
def ended_at_write(number, when, end):
    """Call ``end`` before, within or after a write of a checkpoint, the first being number 0; yield those done."""
    done, begun = [], []

    def write(path, content):
        begun.append(content)
        moment = when if len(begun) == number + 1 else None
        if moment == "before":
            end()
        with patch("os.fsync", lambda _: end()) if moment == "within" else nullcontext():
            write_file(path, content)
        done.append(content)
        if moment == "after":
            end()

    with patch("infosift.search.checkpoint.write_file", write):
        yield done


def die():
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # on Windows the one is as hard as the other


if __name__ == "__main__":  # a run to be killed, in a process of its own
    data, parameters, number, when = pickle.loads(Path(sys.argv[1]).read_bytes())
    warnings.simplefilter("ignore")
    with ended_at_write(number, when, die), suppress(InputError):
        MutualInfoSelector(**parameters).fit(*data)
