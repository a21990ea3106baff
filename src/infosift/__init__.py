"""Select the features of a table that together are most informative about a target, and say how sure that is."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from infosift.results import register_view

if TYPE_CHECKING:
    from infosift.comparison import compare_subsets
    from infosift.criteria.ksg import KSG
    from infosift.criteria.nearest_rows import DeltaTest, GammaTest, NeighborError
    from infosift.criteria.parzen import KernelDensity, QuadraticMI
    from infosift.criteria.series import Series
    from infosift.criteria.simple import GaussianCopula, Histogram
    from infosift.data.dates import expand_dates
    from infosift.data.written_values import parse_numbers
    from infosift.display.plots import (
        ComparisonDisplay,
        NeighborsDisplay,
        PathDisplay,
        RankingDisplay,
        RedundancyDisplay,
        SpectrumDisplay,
        StabilityDisplay,
        VerdictsDisplay,
    )
    from infosift.errors import DataWarning, InputError
    from infosift.functions import (
        choose_criterion,
        choose_n_neighbors,
        mutual_information,
        permutation_test,
        resample_mutual_information,
        score_candidates,
    )
    from infosift.results.comparison import CriterionChoice, SubsetComparison, SubsetScores
    from infosift.results.data_warning import DataWarningRecord
    from infosift.results.selection import Explained, Selection, Subset
    from infosift.results.settings import Component, Settings
    from infosift.results.stability import Stability, Substitutes
    from infosift.results.steps import (
        FoldEstimates,
        NeighborChoice,
        PermutationTest,
        Removal,
        Replacement,
        Step,
        Verdict,
    )
    from infosift.search.backward import Backward
    from infosift.search.calibrated import Calibrated
    from infosift.search.filter import Filter
    from infosift.search.floating import Floating
    from infosift.search.forward import Forward
    from infosift.search.published import Published
    from infosift.selector import MutualInfoSelector
    from infosift.spectra import BSplineBasis
    from infosift.stability import selection_stability

__all__ = [
    "KSG",
    "BSplineBasis",
    "Backward",
    "Calibrated",
    "ComparisonDisplay",
    "Component",
    "CriterionChoice",
    "DataWarning",
    "DataWarningRecord",
    "DeltaTest",
    "Explained",
    "Filter",
    "Floating",
    "FoldEstimates",
    "Forward",
    "GammaTest",
    "GaussianCopula",
    "Histogram",
    "InputError",
    "KernelDensity",
    "MutualInfoSelector",
    "NeighborChoice",
    "NeighborError",
    "NeighborsDisplay",
    "PathDisplay",
    "PermutationTest",
    "Published",
    "QuadraticMI",
    "RankingDisplay",
    "RedundancyDisplay",
    "Removal",
    "Replacement",
    "Selection",
    "Series",
    "Settings",
    "SpectrumDisplay",
    "Stability",
    "StabilityDisplay",
    "Step",
    "Subset",
    "SubsetComparison",
    "SubsetScores",
    "Substitutes",
    "Verdict",
    "VerdictsDisplay",
    "choose_criterion",
    "choose_n_neighbors",
    "compare_subsets",
    "expand_dates",
    "mutual_information",
    "parse_numbers",
    "permutation_test",
    "resample_mutual_information",
    "score_candidates",
    "selection_stability",
]

_HOMES = {
    "criteria.ksg": ("KSG",),
    "criteria.nearest_rows": ("DeltaTest", "GammaTest", "NeighborError"),
    "criteria.parzen": ("KernelDensity", "QuadraticMI"),
    "criteria.series": ("Series",),
    "criteria.simple": ("GaussianCopula", "Histogram"),
    "data.dates": ("expand_dates",),
    "data.written_values": ("parse_numbers",),
    "display.plots": (
        "ComparisonDisplay",
        "NeighborsDisplay",
        "PathDisplay",
        "RankingDisplay",
        "RedundancyDisplay",
        "SpectrumDisplay",
        "StabilityDisplay",
        "VerdictsDisplay",
    ),
    "errors": ("DataWarning", "InputError"),
    "functions": (
        "choose_criterion",
        "choose_n_neighbors",
        "mutual_information",
        "permutation_test",
        "resample_mutual_information",
        "score_candidates",
    ),
    "comparison": ("compare_subsets",),
    "results.comparison": ("CriterionChoice", "SubsetComparison", "SubsetScores"),
    "results.data_warning": ("DataWarningRecord",),
    "results.selection": ("Explained", "Selection", "Subset"),
    "results.settings": ("Component", "Settings"),
    "results.stability": ("Stability", "Substitutes"),
    "results.steps": (
        "FoldEstimates",
        "NeighborChoice",
        "PermutationTest",
        "Removal",
        "Replacement",
        "Step",
        "Verdict",
    ),
    "search.backward": ("Backward",),
    "search.calibrated": ("Calibrated",),
    "search.filter": ("Filter",),
    "search.floating": ("Floating",),
    "search.forward": ("Forward",),
    "search.published": ("Published",),
    "selector": ("MutualInfoSelector",),
    "spectra": ("BSplineBasis",),
    "stability": ("selection_stability",),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line starts without scikit-learn."""
    if name == "__version__":
        return import_module("importlib.metadata").version("infosift")
    for home, names in _HOMES.items():
        if name in names:
            globals()[name] = vars(import_module(f"infosift.{home}"))[name]
            return globals()[name]
    raise AttributeError(f"module 'infosift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]


def _plot(selection: Any, kind: str, ax: Any) -> Any:
    from infosift.display.plots import draw

    return draw(selection, kind, ax)


def _plot_comparison(comparison: Any, ax: Any) -> Any:
    from infosift.display.plots import ComparisonDisplay

    return ComparisonDisplay.from_comparison(comparison).plot(ax)


def _plot_stability(stability: Any, ax: Any) -> Any:
    from infosift.display.plots import StabilityDisplay

    return StabilityDisplay.from_stability(stability).plot(ax)


def _report(selection: Any, path: Any, check: Any, stability: Any) -> None:
    from infosift.display.report import write_report

    write_report(selection, path, check, stability)


def _html(selection: Any) -> str:
    from infosift.display.notebook import as_html

    return as_html(selection)


# A result is at the bottom of the house, what shows it at the top: they meet here.
register_view("plot", _plot)
register_view("plot_comparison", _plot_comparison)
register_view("plot_stability", _plot_stability)
register_view("report", _report)
register_view("html", _html)
