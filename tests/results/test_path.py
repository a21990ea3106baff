"""What follows from the steps of a selection: the rank of each candidate at each of them."""

from dataclasses import replace

import numpy as np

from infosift import MutualInfoSelector
from infosift.results.path import candidate_ranks
from samples import selection


def with_scores(*scores_of_steps):
    """A selection whose steps have the candidates and statistics of dictionaries."""
    found = selection("three")
    steps = []
    for scores in scores_of_steps:
        columns = tuple("abcdef".index(name) for name in scores)
        steps.append(
            replace(
                found.steps[0],
                candidates=columns,
                candidate_statistics=np.array(list(scores.values())),
                candidate_p_values=np.full(len(columns), 0.02),
                candidate_unadjusted_p_values=np.full(len(columns), 0.01),
            )
        )
    return replace(found, steps=tuple(steps))


def test_candidates_are_ranked_at_each_step():
    found = candidate_ranks(
        with_scores(
            {"a": 10.0, "b": 6.0, "c": 8.0, "d": 4.0, "e": -1.0, "f": 8.0},
            {"b": 6.0, "c": 4.0, "d": 5.0, "e": 1.0, "f": 4.5},
            {"c": 0.0, "d": 1.0, "e": 3.0, "f": 4.5},
        )
    )
    assert [(one.step, one.rank, one.n_candidates, one.score) for one in found["c"]] == [
        (1, 2, 6, 8.0),
        (2, 4, 5, 4.0),
        (3, 4, 4, 0.0),
    ]
    assert [one.rank for one in found["f"]] == [2, 3, 1]  # equal scores share a rank
    assert [one.rank for one in found["a"]] == [1]
    assert (found["c"][0].p_value, found["c"][0].unadjusted_p_value) == (0.02, 0.01)


def test_features_of_a_group_share_a_rank_and_the_published_method_has_no_p_values():
    X = np.random.default_rng(0).normal(size=(60, 4))
    selector = MutualInfoSelector(method="published", feature_groups={"both": ["x1", "x3"]}, random_state=0)
    found = candidate_ranks(selector.fit(X, X[:, 0] + 0.1 * X[:, 2]).selection_)
    assert found["x1"] == found["x3"]
    assert all(one.n_candidates <= 3 for listed in found.values() for one in listed)
    assert found["x0"][0].p_value is None
    assert found["x0"][0].rank == 1
