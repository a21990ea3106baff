"""What drives a time series, and what only drifts along?

Days depend on the days before them. Shuffled rows then make anything look related; shifts in
time do not.

Air quality, sales, sensor readings: rows are in the order of time, and each is much like the
one before. Two such series wander up and down for weeks, and by chance they often wander
together. A test that shuffles rows compares them with copies that jump about, and finds nearly
any series informative.

The series are simulated, so that we know the answer: ozone follows temperature and wind. The
other six, such as the price of copper, have a persistence of their own and nothing to do with
it.
"""

import textwrap
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from infosift import Calibrated, MutualInfoSelector

rng = np.random.default_rng(4)
n_days = 400


def persistent(persistence=0.95):
    steps = rng.normal(size=n_days + 200)
    for day in range(1, len(steps)):
        steps[day] += persistence * steps[day - 1]
    return steps[200:] / steps[200:].std()


causes, others = (
    ["temperature", "wind"],
    ["copper", "visitors", "water", "traffic", "pollen", "stocks"],
)
X = pd.DataFrame(
    {name: persistent(0.7 if name in causes else 0.95) for name in causes + others}
)
ozone = X["temperature"] - 0.8 * X["wind"] + 1.2 * persistent()

# %%
# The default method assumes that the order of the rows does not matter. It notices that here
# it does, and warns. The gallery treats warnings as errors, so this one is caught and printed.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    shuffled = MutualInfoSelector(random_state=0).fit(X, ozone).selection_
print("rows shuffled: ", ", ".join(shuffled.names))
for warning in caught:
    print(textwrap.fill(f"warning: {warning.message}", 95))

# %%
# With `null="circular"` the target is shifted in time against the features. Each series keeps
# its own persistence in every surrogate; only what happens on the same day is lost.
by_shifts = MutualInfoSelector(method=Calibrated(null="circular"), random_state=0)
shifted = by_shifts.fit(X, ozone).selection_
print("series shifted:", ", ".join(shifted.names))

# %%
# On the left, one of the series that wandered along with ozone, day by day and as a mean over
# 40 days. On the right, the p-value of each series under both kinds of surrogates: that of its
# step where it was selected, else that of the series alone.
figure, (left, right) = plt.subplots(
    1, 2, figsize=(8, 4), width_ratios=(3, 2), layout="constrained"
)
blue, orange = "#0b559f", "#e08214"
for name, values, color in (("ozone", ozone, blue), ("copper", X["copper"], orange)):
    scaled = (values - values.mean()) / values.std()
    slow = scaled.rolling(40, center=True).mean()
    left.plot(scaled, color=color, lw=0.4)
    left.plot(slow, color=color, lw=2.5, label=f"{name}, mean of 40 days")
left.set(title="Wandering together by chance", xlabel="day", ylabel="standard deviations")
by_null = {"rows shuffled": (shuffled, orange, "s"), "series shifted": (shifted, blue, "o")}
for label, (found, color, marker) in by_null.items():
    p_values = found.to_frame("verdicts", "pandas")["p_value"]
    right.plot(p_values, X.columns, marker, color=color, label=label)
right.axvline(0.05, color="#777777", ls="--", lw=1)
right.set(title="p-values", xscale="log", xlabel="p-value (dashed: alpha)")
right.invert_yaxis()
figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize="small")
plt.show()

# %%
# Shifts are honest and cost power: a persistent series has few independent stretches, and 400
# days are worth far fewer rows. That nothing else was found is no proof that nothing else
# matters.
