import typing

from .resampled import CriterionChoice as CriterionChoice
from .resampled import Stability as Stability
from .resampled import SubsetComparison as SubsetComparison
from .resampled import SubsetScores as SubsetScores
from .resampled import Substitutes as Substitutes
from .selection import Component as Component
from .selection import Explained as Explained
from .selection import Selection as Selection
from .selection import Settings as Settings
from .selection import Subset as Subset
from .steps import DataWarningRecord as DataWarningRecord
from .steps import EffectCurve as EffectCurve
from .steps import Effects as Effects
from .steps import FoldEstimates as FoldEstimates
from .steps import Importance as Importance
from .steps import NeighborChoice as NeighborChoice
from .steps import PermutationTest as PermutationTest
from .steps import PredictionSet as PredictionSet
from .steps import ProcedureDescription as ProcedureDescription
from .steps import Removal as Removal
from .steps import Replacement as Replacement
from .steps import Step as Step
from .steps import Survival as Survival
from .steps import SurvivalCurve as SurvivalCurve
from .steps import Verdict as Verdict

def register_views(views: dict[str, str]) -> None: ...
def view_named(name: str) -> typing.Any: ...
