"""How do I use a measure of dependence of my own?

A criterion is a class with one function. Here it is the distance correlation, in place of
mutual information.

infosift measures how informative features are by mutual information. Somebody may want another
measure, because it is known in a field, or because it suits the data. That needs no change of
the package: write a class, and pass an object of it as `criterion=`. Nothing has to be
registered.

The table has ten measurements of 442 people with diabetes, which come with scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_diabetes

from infosift import MutualInfoSelector, score_candidates
from infosift.criteria.base import Criterion

X, y = load_diabetes(return_X_y=True, as_frame=True)

# %%
# A criterion returns, for the selected columns and the target, a function that scores one more
# column; higher is more. What depends on the selected columns alone is worked out once. Each
# row of the arrays is a column of the table.
#
# `measure` and `unit` are what tables and figures call the score. `values` is for criteria
# with a structural parameter, such as a number of neighbours, which are asked for several at
# once. This one has none, so its score is returned for each of them, of which there is one.


class DistanceCorrelation(Criterion):
    """How distances between rows go with those in the target: Székely et al. (2007)."""

    measure, unit, takes_categories = "distance correlation", "", False

    def scorer_given(self, given, target, values):
        of_given = sum(map(squares, given), 0.0)
        of_target = centred(np.sqrt(sum(map(squares, target))))

        def score(candidate):
            of_features = centred(np.sqrt(of_given + squares(candidate)))
            covariance = (of_features * of_target).mean()
            variances = (of_features**2).mean() * (of_target**2).mean()
            return np.full(len(values), np.sqrt(covariance / np.sqrt(variances)))

        return score


def squares(column):
    return squareform(pdist(column[:, None], "sqeuclidean"))


def centred(distances):
    means = distances.mean(axis=0)
    return distances - means - means[:, None] + means.mean()


# %%
# It works in all functions that take a criterion, and in the selector. The published method
# asks nothing but the criterion. The calibrated one, the default, asks it where its own series
# of polynomials find nothing.
criterion = DistanceCorrelation()
correlation, information = score_candidates(X, y, criterion=criterion), score_candidates(X, y)
selector = MutualInfoSelector(method="published", criterion=criterion, random_state=0).fit(
    X, y
)
print("selected by distance correlation:", ", ".join(selector.selection_.names))

# %%
# On the left, the two measures put the columns in nearly the same order. On the right, the
# path of the search by the distance correlation: each step against shuffled copies of the
# feature that it added.
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
left.scatter(correlation, information, color="#0b559f")
for name, *place in zip(X.columns, correlation, information, strict=True):
    left.annotate(name, place, xytext=(-7, 0), textcoords="offset points", ha="right")
left.margins(0.15)
left.set(
    title="Each column alone", xlabel=criterion.measure, ylabel="mutual information (nats)"
)
selector.selection_.plot("path", right)
right.set_title("The path of the search")
plt.show()
