"""What tells how long patients stay free of a relapse?

Times until an event are censored: of most patients we know only that nothing has happened so
far. They are selected for as they are, and effects that no straight line sees are found.

The German Breast Cancer Study Group followed 686 women after surgery (Schumacher and others
1994). The data come with scikit-survival: eight features, the days until a relapse or the last
visit, and which of the two it was.
"""

import matplotlib.pyplot as plt
from sksurv.datasets import load_gbsg2
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.preprocessing import OneHotEncoder

from infosift import MutualInfoSelector, compare_subsets

X, y = load_gbsg2()
print(X.head(3))
print(y[:3])
print(f"{y['cens'].sum()} relapses, {(~y['cens']).sum()} censored")

# %%
# The target is a structured array, as scikit-survival makes it. From two columns of your own,
# `infosift.censored_target(event, time)` makes one, and on the command line it is
# `infosift select patients.csv --time days --event relapse`.
selector = MutualInfoSelector(random_state=0).fit(X, y)
selection = selector.selection_
print(selection)
verdicts = selection.to_frame("verdicts", "pandas").set_index("feature")
print(verdicts[["verdict", "p_value", "redundant_with"]])

# %%
# Positive lymph nodes, the progesterone receptor, hormonal therapy and age are selected. The
# size and grade of the tumour are informative too, but say nothing beyond these that so many
# rows could show. Each curve is the share of women without a relapse (Kaplan and Meier).
selection.plot("survival")
plt.show()

# %%
# Why age? A Cox model draws a straight line through it, which is nearly flat: the hazard of
# ten more years is hardly another. But women below 40 relapse twice as often as those of 40 to
# 49, an effect that bends, as is known of these data (Sauerbrei and Royston 1999). The tests
# here are for bends, steps and hazards that cross as well as for lines.
encoded = OneHotEncoder().fit_transform(X)
cox = CoxPHSurvivalAnalysis().fit(encoded, y)
ratio = 10 * cox.coef_[list(encoded.columns).index("age")]
print(f"log hazard of ten more years in a Cox model: {ratio:.2f}")
for low, high in ((20, 40), (40, 50), (50, 60), (60, 81)):
    among = (X["age"] >= low) & (X["age"] < high)
    rate = y["cens"][among].sum() / (y["time"][among].sum() / 365)
    print(f"age {low} to {high - 1}: {rate:.2f} relapses a year, of {among.sum()} women")

# %%
# Is this enough to predict with? A Cox model on rows left out, with a selection of its own in
# each fold, ranks two women by the selected features about as well as by all eight. Its score
# is the concordance: the share of pairs of which the one with the larger predicted hazard has
# its relapse first.
comparison = compare_subsets(X, y, "cox", random_state=0)
print(comparison)
