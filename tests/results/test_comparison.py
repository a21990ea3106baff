"""A comparison of subsets says what its numbers say, and goes to JSON and to frames."""

from dataclasses import replace

import numpy as np
import pytest

from infosift import InputError
from infosift.results import SubsetComparison, SubsetScores

ALL = [0.7, 0.8, 0.75]
GUESS = [0, -0.01, -0.02]


def scores(subset, values, n_features, chosen=(), all_values=ALL, guess=GUESS):
    values = np.array(values)
    gaps, gains = values - np.array(all_values), values - np.array(guess)
    return SubsetScores(
        subset=subset,
        scores=values,
        mean=float(values.mean()),
        spread=float(values.std(ddof=1)),
        n_features=n_features,
        chosen=chosen,
        difference=float(gaps.mean()),
        standard_error=float(gaps.std(ddof=1)),
        gain=float(gains.mean()),
        gain_error=float(gains.std(ddof=1)),
    )


def comparison(selected=(0.6, 0.8, 0.85), n_features=(2, 1, 0), guess=GUESS, **changes):
    chosen = (("a", 2), ("c", 1))
    return SubsetComparison(
        **{
            "feature_names": ("a", "b", "c"),
            "target_name": "price",
            "model": "ridge regression",
            "measure": "R²",
            "subsets": (
                scores("selected", selected, n_features, chosen, guess=guess),
                scores("peak", (0.1, -0.2, -0.5), (1, 1, 1), (("a", 3),), guess=guess),
                scores("all", ALL, (3, 3, 3), (("a", 3), ("b", 3), ("c", 3)), guess=guess),
                scores("none", guess, (0, 0, 0), guess=guess),
            ),
            "n_classes": None,
            "n_rows": 30,
            "n_rows_dropped": 1,
            "n_gaps": 0,
            "n_row_groups": None,
            "n_partial_folds": 0,
            "seed": 0,
            "version": "1",
            **changes,
        }
    )


def test_json_and_back():
    one = comparison()
    assert SubsetComparison.from_json(one.to_json()) == one
    assert SubsetScores.from_json(one["peak"].to_json()) == one["peak"]
    assert replace(one, seed=1) != one


def test_subsets_go_by_name():
    assert comparison()["peak"].n_features == (1, 1, 1)
    with pytest.raises(InputError, match="subset must be one of selected, peak, all, none, not 'best'"):
        comparison()["best"]


@pytest.mark.parametrize("library", [None, "pandas", "polars", "pyarrow"])
def test_frames(library):
    one = comparison()
    subsets = one.to_frame(library=library)
    assert list(subsets["subset"])[:1] == ["selected"] or subsets["subset"][0].as_py() == "selected"
    folds, features = (one.to_frame(table, "polars") for table in ("folds", "features"))
    assert folds.height == 12
    assert one.to_frame(library="polars").select("subset", "gain").rows()[-2:] == [
        ("all", pytest.approx(0.76)),
        ("none", 0),
    ]
    assert folds.filter(subset="peak")["score"].to_list() == [0.1, -0.2, -0.5]
    assert folds["fold"].to_list() == [1, 2, 3] * 4
    assert features.columns == ["feature", "selected", "for_prediction", "peak"]
    assert features.rows() == [("a", 2, 0, 3), ("b", 0, 0, 0), ("c", 1, 0, 0)]
    with pytest.raises(InputError, match="table must be one of subsets, folds, features"):
        one.to_frame(table="steps")


def test_words():
    one = comparison()
    assert repr(one) == (
        "SubsetComparison(R² of ridge regression, 3 folds: selected 0.750 ± 0.132, peak -0.200 ± 0.300, "
        "all 0.750 ± 0.050, none -0.010 ± 0.010)"
    )
    assert one.summary == (
        "With ridge regression, the R² is 0.750 from the selected features (1 on average), 0.750 from all 3 and "
        "−0.010 from a constant guess. "
        "The difference to all, +0.000 (standard error 0.100), is not clear. "
        "In 1 of 3 folds nothing was selected, which leaves a constant guess."
    )


@pytest.mark.parametrize(("gap", "word"), [(-0.1, "worse"), (0.1, "better")])
def test_a_clear_difference_is_said(gap, word):
    near = np.array(ALL) + gap + np.array([0.001, 0, -0.001])
    one = comparison(near, (2, 2, 2))
    assert one["selected"].difference_is_clear
    assert f"The selected features are clearly {word} than all, by 0.100" in one.summary


def test_where_no_subset_beats_a_constant_guess_none_is_called_worse():
    near = np.array(ALL) - 0.1 + np.array([0.001, 0, -0.001])
    one = comparison(near, (2, 2, 2), guess=(0.71, 0.81, 0.74))
    assert one["selected"].difference_is_clear
    assert not one["all"].beats_a_guess
    assert one.summary == (
        "With ridge regression, the R² is 0.650 from the selected features (2), 0.750 from all 3 and 0.753 from a "
        "constant guess. No subset is clearly better than the guess, so this model cannot tell which subset is "
        "better."
    )
    assert comparison(near, (2, 2, 2), guess=(0.6, 0.7, 0.65))["all"].beats_a_guess


def test_equal_subsets_do_not_differ():
    assert not comparison(ALL, (3, 3, 3))["selected"].difference_is_clear


def test_negative_scores_have_a_true_minus():
    assert "the R² is −0.500 from" in comparison((-0.4, -0.5, -0.6)).summary
