"""A comparison of subsets says what its numbers say, and goes to JSON and to frames."""

from dataclasses import replace

import numpy as np
import pytest

from infosift import InputError, SubsetComparison, SubsetScores


def scores(subset, values, n_features, all_values, chosen=()):
    values = np.array(values)
    gaps = values - np.array(all_values)
    return SubsetScores(
        subset=subset,
        scores=values,
        mean=float(values.mean()),
        spread=float(values.std(ddof=1)),
        n_features=n_features,
        chosen=chosen,
        difference=float(gaps.mean()),
        standard_error=float(gaps.std(ddof=1)),
    )


ALL = [0.7, 0.8, 0.75]


def comparison(selected=(0.6, 0.8, 0.85), n_features=(2, 1, 0), **changes):
    chosen = (("a", 2), ("c", 1))
    return SubsetComparison(
        **{
            "feature_names": ("a", "b", "c"),
            "target_name": "price",
            "model": "ridge regression",
            "measure": "R²",
            "subsets": (
                scores("selected", selected, n_features, ALL, chosen),
                scores("peak", (0.1, -0.2, -0.5), (1, 1, 1), ALL, (("a", 3),)),
                scores("all", ALL, (3, 3, 3), ALL, (("a", 3), ("b", 3), ("c", 3))),
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
    with pytest.raises(InputError, match="subset must be one of selected, peak, all, not 'best'"):
        comparison()["best"]


@pytest.mark.parametrize("library", [None, "pandas", "polars", "pyarrow"])
def test_frames(library):
    one = comparison()
    subsets = one.to_frame(library=library)
    assert list(subsets["subset"])[:1] == ["selected"] or subsets["subset"][0].as_py() == "selected"
    folds, features = (one.to_frame(table, "polars") for table in ("folds", "features"))
    assert folds.height == 9
    assert folds.filter(subset="peak")["score"].to_list() == [0.1, -0.2, -0.5]
    assert folds["fold"].to_list() == [1, 2, 3] * 3
    assert features.rows() == [("a", 2, 3), ("b", 0, 0), ("c", 1, 0)]
    with pytest.raises(InputError, match="table must be one of subsets, folds, features"):
        one.to_frame(table="steps")


def test_words():
    one = comparison()
    assert repr(one) == (
        "SubsetComparison(R² of ridge regression, 3 folds: selected 0.750 ± 0.132, peak -0.200 ± 0.300, "
        "all 0.750 ± 0.050)"
    )
    assert one.summary == (
        "With ridge regression, the R² is 0.750 from the selected features (1 on average) and 0.750 from all 3. "
        "The difference, +0.000 (standard error 0.100), is not clear. "
        "In 1 of 3 folds nothing was selected, and the mean was predicted."
    )


@pytest.mark.parametrize(("gap", "word"), [(-0.1, "worse"), (0.1, "better")])
def test_a_clear_difference_is_said(gap, word):
    near = np.array(ALL) + gap + np.array([0.001, 0, -0.001])
    one = comparison(near, (2, 2, 2))
    assert one["selected"].difference_is_clear
    assert (
        f"from the selected features (2) and 0.750 from all 3. The selected features are clearly {word}, by 0.100"
        in (one.summary)
    )


def test_equal_subsets_do_not_differ():
    assert not comparison(ALL, (3, 3, 3))["selected"].difference_is_clear


def test_negative_scores_have_a_true_minus():
    assert "the R² is −0.500 from" in comparison((-0.4, -0.5, -0.6)).summary
