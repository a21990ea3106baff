"""What if patients were measured several times?

Repeated measures look like many rows and are few patients. Row groups tell the test, and false
discoveries go away.

Thirty patients come eight times each. That makes 240 rows, but not 240 independent ones: what
is constant in a patient (age, height, a genotype) is repeated eight times, and so is the
patient's own level of blood pressure. By chance some patients with a high level are older, and
a test that takes rows for independent sees eight times the evidence.

The visits are simulated, so that we know the answer: only the dose, which changes from visit
to visit, matters.
"""

import textwrap
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from infosift import DataWarning, MutualInfoSelector


def draw_visits(seed, n_patients=30, n_visits=8):
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), n_visits)
    names = ["age", "height", "weight", "genotype", "income", "distance"]
    X = pd.DataFrame(rng.normal(size=(n_patients, 6))[patient], columns=names)
    X["dose"] = rng.normal(size=len(patient))
    level = rng.normal(size=n_patients)[patient]  # a patient's own, which no column explains
    return X, level + 0.5 * X["dose"] + 0.5 * rng.normal(size=len(patient)), patient


X, pressure, patient = draw_visits(seed=0)

# %%
# Without groups, columns are selected that have nothing to do with blood pressure. There is a
# warning, because rows depend on those next to them; it is caught and printed here. With
# `groups`, whole patients are shuffled instead of rows.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    careless = MutualInfoSelector(random_state=0).fit(X, pressure)
print("without groups:", ", ".join(careless.selection_.names))
for warning in caught:
    print(textwrap.fill(f"warning: {warning.message}", 95))
careful = MutualInfoSelector(random_state=0).fit(X, pressure, groups=patient)
print("with groups:   ", ", ".join(careful.selection_.names))

# %%
# That is one table. Fifteen others, drawn in the same way, show that it was no bad luck. The
# warning is known by now.
warnings.simplefilter("ignore", DataWarning)
n_tables = 15
counts = pd.DataFrame(0, index=X.columns, columns=["without groups", "with groups"])
with_false = dict.fromkeys(counts, 0)
for seed in range(1, n_tables + 1):
    X, pressure, patient = draw_visits(seed)
    for how, groups in (("without groups", None), ("with groups", patient)):
        selector = MutualInfoSelector(random_state=0).fit(X, pressure, groups=groups)
        counts.loc[list(selector.selection_.names), how] += 1
        with_false[how] += set(selector.selection_.names) != {"dose"}
for how, number in with_false.items():
    print(f"{how}: {number} of {n_tables} tables with a column that does not matter")

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
counts[::-1].plot.barh(ax=ax, color=["#e08214", "#0b559f"], width=0.75)
ax.set(
    title="How often each column is selected",
    xlabel=f"number of {n_tables} tables",
    xlim=(0, n_tables),
)
ax.legend(loc="center right", frameon=False)
plt.show()

# %%
# The dose is always found. Without groups every table has columns of chance beside it, and
# often several. With groups this is rare: of 100 such tables 6 had one, where alpha = 0.05
# leads one to expect 5. In a cross-validation the groups are needed too, so that no patient is
# in training and test rows at once: see [row groups](../data.md#rows-that-belong-together).
