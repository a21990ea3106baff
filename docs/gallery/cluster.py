"""What if the table does not fit into memory?

A Parquet file is read by the workers of a Dask cluster, each its own columns. The process that
asks never holds the table.

A table of sensors, genes or words has so many columns that one machine cannot hold it. A
selection needs little of it at a time: given the selected features, what does each of these
columns add? So the columns can lie elsewhere. Here the cluster is two workers in this process
and the table is small, so that the example runs anywhere in seconds. On a real cluster only
the client changes, to `Client("tcp://host:8786")`.

The table is simulated, so that we know the answer: of 2,000 columns, three matter.
"""

import tempfile
from pathlib import Path

import joblib
import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from dask.distributed import Client

from infosift import MutualInfoSelector

rng = np.random.default_rng(1)
n_rows, n_columns = 300, 2000
values = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
target = (
    values[:, 400]
    + 0.7 * values[:, 1100] ** 2
    + 0.8 * values[:, 1700]
    + 0.7 * rng.normal(size=n_rows)
)
table = pl.DataFrame(
    values, schema=[f"sensor {number}" for number in range(n_columns)]
).with_columns(target=target)
file = Path(tempfile.mkdtemp()) / "sensors.parquet"
table.write_parquet(file)
del values, table
print(f"{file.stat().st_size / 1e6:.1f} MB in {file.name}")

# %%
# `scan_parquet` reads nothing yet. Inside `parallel_config(backend="dask")` the workers read
# what they need.
sensors = pl.scan_parquet(file)
here = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
with Client(**here, dashboard_address=":0"), joblib.parallel_config(backend="dask"):
    selector = MutualInfoSelector(random_state=0)
    selector.fit(sensors.drop("target"), sensors.select("target"))
selection = selector.selection_
print("selected:", ", ".join(selection.names))
for step in selection.steps:
    sent = f"{step.bytes_sent / 1e6:.1f} MB sent"
    print(f"{step.feature:>12}: p = {step.p_value:.3f}, {sent}")

# %%
# Every step keeps what it found about all candidates, of which the picture shows the first and
# the second: how far each column lies above its surrogates. The largest statistic of all is
# tested, so the threshold allows for 2,000 columns.
figure, axes = plt.subplots(
    2, 1, figsize=(8, 5), sharex=True, sharey=True, layout="constrained"
)
for number, (ax, step) in enumerate(zip(axes, selection.steps, strict=False), start=1):
    ax.plot(step.candidates, step.candidate_statistics, ".", color="#0b559f", ms=3)
    ax.axhline(step.threshold, color="#e08214", ls="--", label="threshold")
    ax.plot(step.index, step.statistic, "o", ms=10, mfc="none", mec="#e08214")
    ax.annotate(
        step.feature, (step.index, step.statistic), xytext=(10, -4), textcoords="offset points"
    )
    given = ", given " + " and ".join(selection.names[: number - 1]) if number > 1 else ""
    ax.set(title=f"Step {number}{given}", ylabel="statistic")
axes[0].legend(frameon=False, loc="upper center")
axes[1].set_xlabel("number of the sensor")
plt.show()

# %%
# The result has the same bits as on threads, whatever the number of workers. `transform` takes
# the selected columns of the file, again without reading the others:
smaller = selector.transform(sensors.drop("target")).collect()
print(smaller.shape, smaller.columns)
