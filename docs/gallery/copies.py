"""All relevant features, or as few as possible?

Forward search and filter answer two questions. A table with copies shows which is which, and
what is redundant.

A table often has the same thing several times: a sensor and its spare, a price with and
without tax, a sum of other columns. To predict, one of each is enough. To understand, or to
check that nothing was overlooked, all of them are wanted. The search decides: `"forward"`
selects few features that do not repeat each other, `"filter"` all that are informative alone.

The table is simulated, so that we know the answer: three sources matter, and each was measured
several times.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from infosift import MutualInfoSelector

rng = np.random.default_rng(0)
n = 300
heat, load, flow = rng.normal(size=(3, n))
X = pd.DataFrame({"heat": heat, "load": load, "flow": flow})
for name, source in (("heat", heat), ("load", load), ("flow", flow)):
    X[f"{name} spare"] = source + 0.3 * rng.normal(size=n)
    X[f"{name} old"] = source + 0.8 * rng.normal(size=n)
X["heat + load"] = heat + load + 0.2 * rng.normal(size=n)
X["heat index"] = np.exp(heat / 2) + 0.1 * rng.normal(size=n)
for number in range(5):
    X[f"noise {number}"] = rng.normal(size=n)
wear = 1.2 * heat + load**2 + 0.8 * flow + 0.5 * rng.normal(size=n)

# %%
# The columns are sorted by name, so that the originals have no advantage. Both searches use
# the same tests.
X = X[sorted(X.columns)]
few = MutualInfoSelector(search="forward", random_state=0).fit(X, wear).selection_
all_relevant = MutualInfoSelector(search="filter", random_state=0).fit(X, wear).selection_
print("forward:", ", ".join(few.names))
print("filter: ", ", ".join(all_relevant.names))
for found in few.verdicts:
    if found.verdict == "redundant":
        print(f"{found.feature:>12} is redundant with {', '.join(found.redundant_with)}")

# %%
# The heat map shows how each redundant column lost its evidence: the share of its statistic at
# the first step that went as each selected feature, from left to right, was added. A dot marks
# the selected features that carry its information. Below zero, a column gained: once the heat
# is known, what remains of the wear shows the load more clearly.
figure, ax = plt.subplots(figsize=(8, 4.8), layout="constrained")
few.plot("redundancy", ax)
ax.get_legend().remove()
ax.set_title("What makes each column redundant")
plt.show()

# %%
# Redundant is no flaw. Where a sensor fails, or costs too much, the verdicts name what can
# stand in for it:
verdicts = few.to_frame("verdicts", "pandas").set_index("feature")
print(verdicts.loc[list(few.names), ["p_value", "substitutes"]].to_string())
