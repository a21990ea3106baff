"""Experiments, one module each: ``python -m studies NAME`` runs one.

Those of the paper (François et al. 2007) print its figures next to ours; the others measure error rates, power,
prediction errors and criteria.
"""

from __future__ import annotations

import warnings
from importlib import import_module

from infosift.errors import DataWarning
from studies.outcome import Outcome, Runs, Setting, Track

PAPER = ("friedman", "sensitivity", "housing", "nitrogen", "census")
NAMES = (*PAPER, "calibration", "power", "prediction", "criteria", "survival")

__all__ = ["NAMES", "PAPER", "Outcome", "Runs", "Setting", "Track", "run"]


def run(name: str, setting: Setting) -> Outcome:
    """Run a study."""
    import_module("infosift.display.plots.canvas").require_matplotlib()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # docs/paper.md and docs/comparison.md discuss these data
        outcome: Outcome = import_module(f"studies.{name}").run(setting)
    return outcome
