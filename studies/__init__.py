"""Experiments, one module each: those of the paper beside its printed figures, and those on our own method."""

from __future__ import annotations

import warnings
from importlib import import_module

from infosift.errors import DataWarning
from studies.outcome import Outcome, Setting, Track
from studies.runs import Runs

NAMES = (
    *("friedman", "sensitivity", "housing", "nitrogen", "census"),
    *("calibration", "power", "prediction", "criteria"),
)

__all__ = ["NAMES", "Outcome", "Runs", "Setting", "Track", "run"]


def run(name: str, setting: Setting) -> Outcome:
    """Run a study."""
    import_module("infosift.display.plots.canvas").require_matplotlib()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # what there is to say about these data, the docs say
        outcome: Outcome = import_module(f"studies.{name}").run(setting)
    return outcome
