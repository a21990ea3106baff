"""Phrases that the terminal and the report share: probabilities, counts, and a caution."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

CAUTION = (
    "P-values are those of single tests. They are adjusted neither for testing the best of many features nor for "
    "choices made on the same rows, such as that of the number of neighbours, so false positives are more likely "
    "than alpha. The calibrated method controls the family-wise error."
)

SINGLE_TEST = (
    "The p-value is that of a single test of this feature, not adjusted for the number of features that are "
    "looked at: of 100 irrelevant ones, about {passing} pass at alpha = {alpha}. Those of infosift select are "
    "adjusted."
)

FALLING = (
    "The estimate tends to fall as features are added, so what a feature adds may look small or even negative; "
    "the test allows for that."
)

# What the tests that share alpha look at.
_TESTS = {
    "series": "series of polynomials of ranks",
    "neighbours": "nearest neighbours",
    "pairs": "pairs of features",
}
# What the structural parameter of a criterion counts.
_NOUNS = {"n_neighbors": "neighbour", "bins": "bin"}
_PARAMETERS = {"n_neighbors": "number of neighbours", "bins": "number of bins"}
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"
_FROM_RIGHT_TO_LEFT = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO"}


def probability(p: float) -> str:
    """Return a probability with three decimals."""
    return "<0.001" if 0 < p < 0.0005 else f"{p:.3f}"


def at_most(p: float) -> str:
    """Return what an upper bound says."""
    return f"p at most {probability(p)}".replace("at most <", "below ")


def at_least(p: float) -> str:
    """Return what a lower bound says."""
    return f"p at least {p:.3f}"


def in_python(sentence: str) -> str:
    """Return a sentence without the options of the command line that it has in brackets."""
    return re.sub(r" \(--[^)]*\)", "", sentence)


def signed(number: str) -> str:
    """Return a number with a true minus sign."""
    return number.replace("-", "−")


def count(number: float, noun: str) -> str:
    """Return a number and its noun, such as "1 feature" and "2,000 features"."""
    return f"{number:,} {plural(number, noun)}"


def plural(number: float, noun: str) -> str:
    """Return a noun as it stands beside a number."""
    return noun if number == 1 else f"{noun}{'e' * noun.endswith('s')}s"


def series(words: Sequence[str]) -> str:
    """Return words as "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def in_a_sentence(name: str) -> str:
    """Return a name such that what stands around it keeps its place, and that an empty one is seen."""
    if not name.strip():
        return f'"{name}"'
    if any(unicodedata.bidirectional(letter) in _FROM_RIGHT_TO_LEFT for letter in name):
        return f"{_ISOLATE}{name}{_END_OF_ISOLATE}"
    return name


def the_target(name: str) -> str:
    """Return what to call the target in a sentence; without a name of its own it is called "target"."""
    return "the target" if name == "target" else in_a_sentence(name)


def range_of(numbers: Iterable[int]) -> str:
    """Return the smallest and the largest of some numbers, such as "57 to 1,023"."""
    listed = sorted(set(numbers))
    return " to ".join(f"{number:,}" for number in dict.fromkeys((listed[0], listed[-1])))


def levels(alpha: float, shares: Sequence[tuple[str, float]]) -> str:
    """Return how alpha was divided, such as "0.0325 for series, 0.01 for neighbours"; empty if it was not."""
    divided = [f"{alpha * share:g} for {_TESTS.get(tests, tests)}" for tests, share in shares]
    return ", ".join(divided) if len(divided) > 1 else ""


def name_of_subset(subset: str) -> str:
    """Return what to call a subset of the features that a model is fitted to."""
    return {"none": "no features"}.get(subset, subset)


def named(parameter: str) -> str:
    """Return what to call the structural parameter of a criterion, such as "number of neighbours"."""
    return _PARAMETERS.get(parameter, parameter)


def values_of(parameter: str, values: Sequence[float]) -> str:
    """Return values of a criterion's parameter, such as "10 and 20 neighbours"; empty where there are none."""
    listed = series([str(value) for value in values])
    if not listed or parameter not in _NOUNS:
        return f"{parameter} {listed}" if listed else ""
    return f"{listed} {plural(values[-1], _NOUNS[parameter])}"
