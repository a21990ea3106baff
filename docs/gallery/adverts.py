"""What explains the rent of a flat, in a messy file?

A CSV file with text, dates, units and gaps: read, selected from without losing a row, and the
same from the command line.

Tables from the field are not matrices. This one has adverts of flats: sizes written as "54
m²", districts in words, dates, a column that is mostly empty. We ask which columns matter for
the rent, and want neither to throw away each row with a gap nor to invent what is missing.

The adverts are simulated, so that we know the answer: the rent follows the size, the district,
whether there is a balcony, and rises with time. The number of rooms only stands for the size,
and the energy class for nothing.
"""

import subprocess
import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from infosift import DataWarning, MutualInfoSelector, parse_numbers

rng = np.random.default_rng(0)
n = 400
size = rng.gamma(9, 7, n) + 15
district = rng.choice(["Altstadt", "Hafen", "Nordstadt", "Weststadt"], n)
day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
balcony = rng.choice(["yes", "no"], n)
years = (day - day.min()).days / 365
premium = {"Altstadt": 4, "Hafen": 1.5, "Nordstadt": -1, "Weststadt": 0}
price = 11 + 1.5 * years + 1.2 * (balcony == "yes") + rng.normal(0, 1, n)
price += [premium[name] for name in district]
adverts = pd.DataFrame(
    {
        "size": [f"{value:.0f} m²" for value in size],
        "rooms": np.maximum(1, np.round(size / 24 + rng.normal(0, 0.6, n))),
        "district": district,
        "listed": day.strftime("%d.%m.%Y"),
        "balcony": balcony,
        "energy class": rng.choice(list("ABCDEF"), n),
        "year built": rng.integers(1900, 2020, n).astype(float),
        "rent": np.round(price * size),
    }
)
gaps = {"size": 0.1, "rooms": 0.15, "balcony": 0.1, "energy class": 0.2, "year built": 0.6}
for column, share in gaps.items():
    adverts.loc[rng.random(n) < share, column] = np.nan
adverts.to_csv("adverts.csv", index=False)
print(adverts.head(4).to_string())

# %%
# pandas reads the file, but sizes and dates remain text. `parse_numbers` reads such columns as
# numbers and dates, where every cell can be. Only few rows have no gap:
table = parse_numbers(pd.read_csv("adverts.csv"))
X, rent = table.drop(columns="rent"), table["rent"]
print(table.dtypes.to_string())
print(f"{len(X.dropna())} of {len(X)} rows are whole")

# %%
# No row is dropped and nothing is filled in: a feature is tested on the rows that have it and
# those selected before it. A warning counts what is missing.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", DataWarning)
    selector = MutualInfoSelector(random_state=0).fit(X, rent)
print(*(warning.message for warning in caught), sep="\n")
verdicts = selector.selection_.to_frame("verdicts", "pandas").set_index("feature")
print(verdicts[["verdict", "p_value", "redundant_with"]].to_string())

# %%
# Each point is the evidence for a column: for the selected ones beside those selected before,
# for the others alone.
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
selector.selection_.plot("verdicts", ax)
ax.set_title("Evidence for each column of the adverts")
plt.show()

# %%
# The same without Python. The command reads sizes and dates by itself, and says so:
options = "select adverts.csv --target rent"
command = [sys.executable, "-m", "infosift", *options.split()]
both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
print(subprocess.run(command, **both, encoding="utf-8", check=True).stdout)
