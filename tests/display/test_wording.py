"""Words and sentences that all surfaces share."""

import ast
import shlex
from dataclasses import replace

import pytest

from infosift.cli.output import as_sentence
from infosift.display import ALL_OPTIONS, in_both, on_command_line
from infosift.display.wording import (
    at_least,
    at_most,
    by_chance,
    count,
    estimate,
    how_compared,
    how_often,
    how_resampled,
    in_a_sentence,
    levels,
    percent,
    probability,
    series,
)
from infosift.errors import Hint, InputError, in_words
from infosift.results.steps import data_warning
from pages import ODD, odd_results


@pytest.mark.parametrize("parameter", ALL_OPTIONS)
@pytest.mark.parametrize("value", [None, "a value", 7, ("one",), ("a", "b c")])
def test_every_hint_is_in_the_words_of_its_surface(parameter, value):
    hint, option = Hint(parameter, value), ALL_OPTIONS[parameter]
    call = ast.parse(f"f({hint})".replace(" and ", ", "), mode="eval").body  # Python reads it
    assert "--" not in str(hint)
    if value is not None:
        assert ("." in parameter) == isinstance(call.keywords[0].value, ast.Call)
    words = shlex.split(on_command_line(hint))
    values = [] if value is None else map(str, value if isinstance(value, tuple) else (value,))
    assert words == ([word for one in values for word in (option, one)] or [option])
    assert in_both(hint) == f"{hint} ({on_command_line(hint)})"
    warning = data_warning("leak", "Use ", hint, ".")
    assert in_words(warning.parts, in_both) == f"Use {in_both(hint)}."
    assert as_sentence(InputError("Use ", hint, ".")) == f"Use {on_command_line(hint)}."


@pytest.fixture(scope="module")
def check():
    return odd_results()[1]


@pytest.fixture(scope="module")
def stability():
    return odd_results()[2]


def test_phrases():
    assert [probability(p) for p in (0.0001, 0.02, 0.0, None)] == ["<0.001", "0.020", "0.000", ""]
    assert (estimate(-0.5), estimate(0.25, "+"), estimate(None)) == ("−0.500", "+0.250", "")
    assert (at_most(0.0211), at_most(0.0001), at_least(0.3)) == (
        "p at most 0.021",
        "p below 0.001",
        "p at least 0.300",
    )
    assert (count(1, "feature"), count(2000, "feature"), count(2, "class")) == (
        "1 feature",
        "2,000 features",
        "2 classes",
    )
    assert levels(0.05, (("single features", 0.7), ("pairs", 0.2))) == (
        "0.035 for single features, 0.01 for pairs of features"
    )
    assert levels(0.05, (("series", 0.6), ("neighbours", 0.2))) == (
        "0.03 for series of polynomials of ranks, 0.01 for nearest neighbours"
    )
    assert levels(0.05, (("the best candidate", 1.0),)) == ""
    assert [series(list(words)) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert (in_a_sentence("a"), in_a_sentence(" "), len(in_a_sentence("שלום"))) == ("a", '" "', 6)


def test_how_often_features_were_selected(check):
    often = replace(check["selected"], chosen=(("a", 3), ("b", 3), ("c", 1)))
    one = replace(check, subsets=(often, *check.subsets[1:]))
    assert how_often(one) == "Selected in 3 of 3 folds: a, b; in 1: c."
    never = replace(check, subsets=(replace(often, chosen=()), *check.subsets[1:]))
    assert how_often(never) == ""


def test_folds_of_row_groups_are_described_as_such(check):
    assert "over 3 folds, each" in how_compared(check)
    assert "over 3 folds of 20 row groups, each" in how_compared(replace(check, n_row_groups=20))


def test_selection_frequencies_in_words(stability):
    assert [percent(share) for share in (1.0, 0.125, 0.22)] == ["100 %", "12.5 %", "22 %"]
    assert by_chance(replace(stability, frequencies=0 * stability.frequencies), ODD[0]) == ""
    kept = replace(stability, settings=replace(stability.settings, keep=("plain",)))
    assert by_chance(kept, "plain") == "kept"
    assert "Share of 4 half-samples on which" in how_resampled(stability)
    assert "Share of 4 half-samples of 20 row groups on which" in how_resampled(
        replace(stability, n_row_groups=20)
    )
