"""Peak memory of a selection, in a process of its own: ``python -m benchmarks.memory N D`` prints megabytes."""

from __future__ import annotations

import resource
import subprocess
import sys


def measure(n: int, d: int) -> dict[str, float]:
    """Return the megabytes of the input, of the whole process at its peak, and of the process before the run."""
    command = [sys.executable, "-m", "benchmarks.memory", str(n), str(d)]
    before, peak = map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    return {"input": n * (d + 1) * 8 / 1e6, "before": before, "peak": peak}


def _peak_megabytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main() -> None:
    """Choose k with few folds and take two steps: every phase of a run, if not its length."""
    from benchmarks.data import columns
    from infosift import MutualInfoSelector

    n, d = map(int, sys.argv[1:])
    X, _, y = columns(n, d)
    before = _peak_megabytes()
    MutualInfoSelector(random_state=0, n_folds=2, max_features=2).fit(X, y)
    print(before, _peak_megabytes())


if __name__ == "__main__":
    main()
