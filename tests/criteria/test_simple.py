"""Counting: the plug-in estimate on labels, and bins of numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score

from infosift import Histogram, InputError, mutual_information, score_candidates
from oracle import plug_in


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 80), levels=st.tuples(*[st.integers(2, 6)] * 3))
@settings(max_examples=60)
def test_labels_have_the_sum_over_their_table(seed, n, levels):
    rng = np.random.default_rng(seed)
    x, z, y = (np.append(rng.integers(most, size=n - 2), [0, 1]) for most in levels)
    options = {"discrete_features": True, "discrete_target": True, "criterion": "histogram"}
    ours = mutual_information(x, y, **options)
    assert ours == pytest.approx(plug_in(x, y), abs=1e-12)
    assert ours == pytest.approx(mutual_info_score(x, y), abs=1e-12)
    both = mutual_information(np.column_stack([x, z]), y, **options)
    assert both == pytest.approx(plug_in(list(zip(x, z, strict=True)), y), abs=1e-12)
    beside = score_candidates(x, y, given=np.array(list("uvwxyz"))[z], **options)
    assert beside == pytest.approx(both, abs=1e-12)


def test_is_what_scikit_learn_says_of_discrete_features():
    rng = np.random.default_rng(0)
    X, y = rng.integers(4, size=(200, 5)), rng.integers(3, size=200)
    theirs = mutual_info_classif(X, y, discrete_features=True)
    ours = score_candidates(X, y, discrete_features=True, criterion="histogram")
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    # Numbers with no more values than bins are labels too, said to be or not.
    np.testing.assert_allclose(score_candidates(X, y, criterion=Histogram(4)), theirs, atol=1e-12)


@pytest.mark.parametrize("spacing", ["frequency", "width"])
def test_values_are_bins_of_their_own_where_they_are_few(spacing):
    # Bins of equal frequency would not part the rare values, nor bins of equal width those near each other.
    rng = np.random.default_rng(0)
    x = rng.choice([0.0, 1.0, 2.0, 100.0], p=[0.9, 0.05, 0.03, 0.02], size=400)
    y = np.array(list("abc"))[np.where(rng.uniform(size=400) < 0.7, x % 3, rng.integers(3, size=400)).astype(int)]
    for n_bins in (4, 9):
        ours = mutual_information(x, y, criterion=Histogram(n_bins, spacing=spacing))
        assert ours == pytest.approx(plug_in(x, y), abs=1e-12)
    assert mutual_information(x, y, criterion=Histogram(3, spacing=spacing)) < plug_in(x, y) - 1e-3


@pytest.mark.parametrize("spacing", ["frequency", "width"])
def test_bins_of_numbers(spacing):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 101))
    bins = []
    for values in (x, y):
        if spacing == "width":
            edges = np.linspace(values.min(), values.max(), 6)
        else:
            edges = [np.sort(values)[int(np.ceil(101 * share + 0.5)) - 1] for share in (0, 0.2, 0.4, 0.6, 0.8)]
            edges = np.append(edges, np.inf)
        bins.append(np.digitize(values, edges[1:-1]))
    assert len(set(bins[0])) == 5
    ours = mutual_information(x, y, criterion=Histogram(5, spacing=spacing))
    assert ours == pytest.approx(plug_in(*bins), abs=1e-12)


@pytest.mark.parametrize("spacing", ["frequency", "width"])
def test_equal_values_share_a_bin(spacing):
    # A third of the rows on one value, which the edge of a bin of equal frequency cannot part.
    rng = np.random.default_rng(0)
    x = np.round(np.maximum(rng.normal(size=300), -0.5), 1)
    y = rng.normal(size=300)
    estimates = {
        mutual_information(x, y, criterion=Histogram(7, spacing=spacing), random_state=s) for s in range(5)
    }
    assert len(estimates) == 1


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.9])
def test_two_gaussians(correlation):
    # 5,000 rows make 17 bins: their bias, 16^2 / 10,000 = 0.026, and what they lose of the truth both show.
    rng = np.random.default_rng(2)
    x, y = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=5000).T
    truth = -np.log(1 - correlation**2) / 2
    assert mutual_information(x, y, criterion="histogram") == pytest.approx(truth, abs=0.06)


def test_numbers_of_bins():
    assert [Histogram().default_value(n) for n in (2, 8, 27, 1000, 5000)] == [2, 2, 3, 10, 17]
    assert Histogram().values_to_compare(1000) == tuple(range(2, 21))
    assert Histogram().values_to_compare(9) == (2, 3, 4)
    assert Histogram(5).fixed_value == 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"bins": 1}, r'bins must be "auto" or an integer of at least 2, not 1\.'),
        ({"bins": 2.5}, r'bins must be "auto" or an integer of at least 2, not 2\.5\.'),
        ({"spacing": "even"}, r"spacing must be one of frequency, width, not 'even'\."),
    ],
)
def test_refuses_parameters_that_cannot_be_used(parameters, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        Histogram(**parameters).check()
