"""Choose the columns of a table that together tell most about a target, and say how sure that is."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infosift.api import (
        choose_n_neighbors,
        mutual_information,
        permutation_test,
        resample_mutual_information,
        score_candidates,
    )
    from infosift.bsplines import BSplineBasis
    from infosift.checks import InputError
    from infosift.evidence import FoldEstimates, NeighborChoice, PermutationTest, Step
    from infosift.plots import (
        NeighborsDisplay,
        PathDisplay,
        RankingDisplay,
        SpectrumDisplay,
        VerdictsDisplay,
    )
    from infosift.rbfn import RBFNRegressor
    from infosift.result import Selection, Settings, Subset
    from infosift.selector import MutualInfoSelector

__all__ = [
    "BSplineBasis",
    "FoldEstimates",
    "InputError",
    "MutualInfoSelector",
    "NeighborChoice",
    "NeighborsDisplay",
    "PathDisplay",
    "PermutationTest",
    "RBFNRegressor",
    "RankingDisplay",
    "Selection",
    "Settings",
    "SpectrumDisplay",
    "Step",
    "Subset",
    "VerdictsDisplay",
    "choose_n_neighbors",
    "mutual_information",
    "permutation_test",
    "resample_mutual_information",
    "score_candidates",
]

_HOMES = ("api", "bsplines", "checks", "evidence", "plots", "rbfn", "result", "selector")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line starts without scikit-learn."""
    if name == "__version__":
        return import_module("importlib.metadata").version("infosift")
    if name in __all__:
        modules = (import_module(f"infosift.{home}") for home in _HOMES)
        found = next(vars(module)[name] for module in modules if name in vars(module))
        globals()[name] = found
        return found
    raise AttributeError(f"module 'infosift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
