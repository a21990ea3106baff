"""The Gamma and Delta tests and the error of nearest neighbours, against their definitions and known noise."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infosift import DeltaTest, GammaTest, InputError, NeighborError, mutual_information, score_candidates
from infosift.criteria.nearest_rows import NearestRows, _intercept
from infosift.data.prepare import to_unit_spread
from oracle import gamma_test, neighbor_error


def columns_of(rng, n, d):
    return [to_unit_spread(rng.normal(size=n)) for _ in range(d)]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(12, 60), d=st.integers(1, 4), k=st.integers(1, 9))
@settings(max_examples=40)
def test_is_what_the_definitions_say(seed, n, d, k):
    rng = np.random.default_rng(seed)
    X, y = columns_of(rng, n, d), to_unit_spread(rng.normal(size=n))
    classes = np.array(["a", "b", "c"])[np.append(rng.integers(3, size=n - 2), [0, 1])]
    table = np.array(X).T
    assert mutual_information(table, y, criterion=GammaTest(k)) == pytest.approx(gamma_test(X, y, k), abs=1e-8)
    assert mutual_information(table, y, criterion="delta") == pytest.approx(gamma_test(X, y, 1), abs=1e-9)
    for target in (y, classes):
        ours = mutual_information(table, target, criterion=NeighborError(k))
        assert ours == pytest.approx(neighbor_error(X, target, k), abs=1e-9)


def test_the_order_of_the_rows_counts_only_where_rows_are_equal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    kind, y = X[:, 0] > 0, X[:, 0] + rng.normal(size=60)
    orders = [rng.permutation(60) for _ in range(200)]
    for criterion in ("delta", "gamma", "neighbor-error"):
        scores = [score_candidates(X[order], y[order], criterion=criterion) for order in orders[:5]]
        np.testing.assert_allclose(scores[1:], [scores[0]] * 4, atol=1e-12)
    # The nearest of equal rows is one of them by chance. On average, half the squared difference of two rows of a
    # kind is the variance within it.
    shares = [mutual_information(kind[order], y[order], criterion="delta") for order in orders]
    within = sum(own.sum() * y[own].var(ddof=1) for own in (kind, ~kind)) / 60
    assert np.std(shares) > 0.01
    assert np.mean(shares) == pytest.approx(within / y.var(), abs=4 * np.std(shares) / np.sqrt(200))


def test_a_category_is_one_apart_from_all_others():
    rng = np.random.default_rng(0)
    x, y = columns_of(rng, 60, 2)
    kind = np.array(["u", "v", "w"])[rng.integers(3, size=60)]
    table = pl.DataFrame({"x": x, "kind": kind})
    for k in (1, 4):
        ours = [mutual_information(table, y, criterion=criterion(k)) for criterion in (GammaTest, NeighborError)]
        expected = [oracle([x, kind], y, k) for oracle in (gamma_test, neighbor_error)]
        assert ours == pytest.approx(expected, abs=1e-7)


def test_the_gamma_test_finds_the_variance_of_noise():
    # y = sin(2 pi x) + noise of variance 0.09, n = 1,000. A single estimate has a standard deviation of about 5 %,
    # so the mean of twenty is within 10 % by a wide margin, and nearly all of them are too.
    noise, estimates = 0.09, {"gamma": [], "delta": []}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=1000)
        y = np.sin(2 * np.pi * x) + np.sqrt(noise) * rng.normal(size=1000)
        for name, found in estimates.items():
            found.append(mutual_information(x, y, criterion=name) * np.var(y))
    for found in estimates.values():
        assert np.mean(found) == pytest.approx(noise, rel=0.03)
    off = np.abs(np.array(estimates["gamma"]) / noise - 1)
    assert np.mean(off < 0.1) >= 0.8
    assert off.max() < 0.2


def test_an_error_of_classes_is_near_that_of_bayes():
    # Two classes of equal share, one standard deviation apart on either side: Phi(-1) = 0.159 are wrong at best.
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=2000)
    x = rng.normal(size=2000) + 2 * y
    assert mutual_information(x, y, criterion=NeighborError(25)) == pytest.approx(0.159, abs=0.03)
    assert mutual_information(rng.normal(size=2000), y, criterion=NeighborError(25)) == pytest.approx(
        0.5, abs=0.04
    )


@pytest.mark.parametrize("criterion", [GammaTest(), GammaTest(1), DeltaTest(), NeighborError()])
def test_the_order_of_the_rows_says_nothing(criterion):
    # All rows of a category are equally near. In a table that is sorted by the target, rows beside each other are
    # alike; taking those for neighbours would see a dependence that is not there.
    rng = np.random.default_rng(0)
    y = np.sort(rng.normal(size=400))
    kind = np.array(["a", "b", "c"])[rng.integers(3, size=400)]
    order = rng.permutation(400)
    in_order = mutual_information(kind, y, criterion=criterion)
    shuffled = mutual_information(kind[order], y[order], criterion=criterion)
    assert min(in_order, shuffled) > 0.85
    assert score_candidates(np.ones((400, 1)), y, criterion=criterion)[0] > 0.85


def test_a_line_needs_distances_that_differ():
    # What breaks ties parts rows by 1e-9 and less: no distance to go back along.
    assert _intercept(np.array([1e-19, 2e-19, 4e-19]), np.array([1.0, 3.0, 2.0])) == 2
    assert _intercept(np.array([0.1, 0.2, 0.3]), np.array([1.2, 1.4, 1.6])) == pytest.approx(1)


def test_no_row_is_its_own_neighbour():
    values = np.repeat([1.0, 2.0], [30, 5])
    rows, distances = NearestRows(np.empty((0, 35)), 35, 3).with_candidate(values)
    assert rows.shape == distances.shape == (35, 3)
    assert not (rows == np.arange(35)[:, None]).any()
    assert all(len(set(own)) == 3 for own in rows)
    np.testing.assert_array_equal(values[rows], values[:, None] * np.ones((1, 3)))


def test_several_targets():
    rng = np.random.default_rng(0)
    x, y, z = columns_of(rng, 80, 3)
    errors = [mutual_information(x, target, criterion=NeighborError(3)) for target in (y, z)]
    together = mutual_information(x, np.column_stack([y, z]), criterion=NeighborError(3))
    assert together == pytest.approx(np.mean(errors))
    noise = [mutual_information(x, target, criterion="delta") for target in (y, z)]
    assert mutual_information(x, np.column_stack([y, z]), criterion="delta") == pytest.approx(np.mean(noise))


@pytest.mark.parametrize("criterion", [GammaTest, NeighborError])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, r'n_neighbors must be "auto" or an integer of at least 1, not 0\.'),
        ({"max_neighbors": 2.5}, r"max_neighbors must be an integer of at least 1, not 2\.5\."),
        ({"n_neighbors": 6, "max_neighbors": 12}, r"max_neighbors=12 is for .* leave one of them out\."),
    ],
)
def test_refuses_parameters_that_cannot_be_used_or_would_not_be(criterion, parameters, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        criterion(**parameters).check()


def test_numbers_of_neighbours_to_compare():
    assert NeighborError().values_to_compare(100) == tuple(range(1, 21))
    assert GammaTest().values_to_compare(100) == tuple(range(5, 21))
    assert GammaTest().values_to_compare(9) == (4,)
    assert GammaTest(max_neighbors=3).values_to_compare(100) == (3,)
    assert GammaTest().values_to_compare(2) == NeighborError().values_to_compare(2) == ()
    assert (GammaTest().default_value(1000), NeighborError().default_value(1000)) == (10, 5)
    assert GammaTest().default_value(5) == 3
