"""Peak memory of a published selection alone: ``python -m benchmarks.memory N D`` prints megabytes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np


def measure(n: int, d: int) -> dict[str, float]:
    """Return the megabytes of the input, of the process before the run (input included), and at its peak."""
    command = [sys.executable, "-m", "benchmarks.memory", str(n), str(d)]
    before, peak = map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    return {"input": n * (d + 1) * 8 / 1e6, "before": before, "peak": peak}


def main() -> None:
    """Choose k with few folds and take two steps: every phase of a run, if not its length."""
    from infosift import MutualInfoSelector, Published

    n, d = map(int, sys.argv[1:])
    X = np.random.default_rng(0).normal(size=(n, d))
    y = X[:, 0] + X[:, 1] + X[:, 2]
    selector = MutualInfoSelector(method=Published(n_folds=2), random_state=0, max_features=2)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = megabytes("VmRSS")
    selector.fit(X, y)
    print(before, megabytes("VmHWM"))


def megabytes(name: str) -> float:
    """Return an amount of memory of this process, such as "VmHWM", its peak."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) * 1024 / 1e6  # type: ignore[index]


if __name__ == "__main__":
    main()
