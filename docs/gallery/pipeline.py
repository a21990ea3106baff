"""How strict should the selection be, for a model?

A pipeline selects features and fits a model; a grid search tries several levels of
significance, honestly.

The significance level says how sure a feature must be. For a model there may be a better one
than 0.05: a stricter level keeps noise out, a looser one loses less. A grid search can tell,
if features are selected anew within each fold. A selection made on all rows has seen the test
rows too, and makes every model look better than it is.

The table has ten measurements of 442 people with diabetes, which come with scikit-learn, and
20 columns of noise. Nearest neighbours stand in for models that suffer from useless columns.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infosift import MutualInfoSelector

X, y = load_diabetes(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
X = X.assign(**{f"noise {number}": rng.normal(size=len(X)) for number in range(20)})

# %%
# `min_features=1` keeps a strict level from leaving the model without any column. The pipeline
# is an estimator like any other, and `mutualinfoselector__alpha` a parameter like any other.
model = make_pipeline(StandardScaler(), KNeighborsRegressor(20))
pipeline = make_pipeline(MutualInfoSelector(min_features=1, random_state=0), model)
grid = {"mutualinfoselector__alpha": [0.01, 0.05, 0.1, 0.2]}
folds = KFold(3, shuffle=True, random_state=0)
search = GridSearchCV(
    pipeline.set_output(transform="pandas"), grid, cv=folds, scoring="r2"
).fit(X, y)
all_columns = cross_val_score(model, X, y, cv=folds, scoring="r2").mean()
print("best level:", search.best_params_["mutualinfoselector__alpha"])
print("features:  ", ", ".join(search.best_estimator_[0].selection_.names))

# %%
# The table of the grid search has a score for each fold, and the fitted pipelines their
# selections.
table = search.cv_results_
levels = [str(level) for level in grid["mutualinfoselector__alpha"]]
scores = np.array([table[f"split{fold}_test_score"] for fold in range(folds.n_splits)])
figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
ax.plot(levels, scores.T, "o", color="#d0d0d0", ms=5)
ax.plot(
    levels,
    scores.mean(axis=0),
    "o-",
    color="#0b559f",
    ms=8,
    lw=2,
    label="selected features, mean of the folds",
)
ax.axhline(all_columns, color="#e08214", ls="--", lw=2, label="all 30 columns")
ax.set(
    title="Prediction by nearest neighbours",
    xlabel="significance level of the selection",
    ylabel="R² on test rows",
)
figure.legend(loc="outside lower center", ncols=2, frameon=False)
plt.show()

# %%
# On average any level is better than all columns. Between levels the folds (grey points)
# differ more than the means do: a table of 442 people cannot settle which level is best.
