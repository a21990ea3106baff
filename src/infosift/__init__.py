"""Choose the columns of a table that together tell most about a target, and say how sure that is."""

from importlib.metadata import version

from infosift.api import (
    choose_n_neighbors,
    mutual_information,
    permutation_test,
    resample_mutual_information,
    score_candidates,
)
from infosift.result import FoldEstimates, NeighborChoice, PermutationTest, Selection, Settings, Step, Subset
from infosift.selector import MutualInfoSelector

__all__ = [
    "FoldEstimates",
    "MutualInfoSelector",
    "NeighborChoice",
    "PermutationTest",
    "Selection",
    "Settings",
    "Step",
    "Subset",
    "choose_n_neighbors",
    "mutual_information",
    "permutation_test",
    "resample_mutual_information",
    "score_candidates",
]
__version__ = version("infosift")
