"""The default selection on a large table, alone in its process: ``python -m benchmarks.large N D``."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from time import perf_counter
from typing import Any

from sklearn.datasets import make_friedman1

from benchmarks.memory import megabytes
from infosift import MutualInfoSelector

_THREADS = 2


def measure(n_rows: int, n_features: int) -> dict[str, Any]:
    """Return the seconds, the peak memory of the process, its input included, and how many were selected."""
    command = [sys.executable, "-m", "benchmarks.large", str(n_rows), str(n_features)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # type: ignore[no-any-return]


def main() -> None:
    """Select from the paper's problem with further features of noise."""
    n_rows, n_features = map(int, sys.argv[1:])
    X, y = make_friedman1(n_rows, n_features, noise=1.0, random_state=0)
    started = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a table of a smoke run is too small to find much in
        selection = MutualInfoSelector(random_state=0, n_jobs=_THREADS).fit(X, y).selection_
    measured = {"seconds": perf_counter() - started, "peak megabytes": megabytes("VmHWM")}
    print(
        json.dumps(
            {
                "rows": n_rows,
                "features": n_features,
                "threads": _THREADS,
                **measured,
                "selected": len(selection.names),
            }
        )
    )


if __name__ == "__main__":
    main()
