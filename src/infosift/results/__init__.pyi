import typing

from .comparison import CriterionChoice as CriterionChoice
from .comparison import SubsetComparison as SubsetComparison
from .comparison import SubsetScores as SubsetScores
from .data_warning import DataWarningRecord as DataWarningRecord
from .selection import Explained as Explained
from .selection import Selection as Selection
from .selection import Subset as Subset
from .settings import Component as Component
from .settings import Settings as Settings
from .stability import Stability as Stability
from .stability import Substitutes as Substitutes
from .steps import FoldEstimates as FoldEstimates
from .steps import NeighborChoice as NeighborChoice
from .steps import PermutationTest as PermutationTest
from .steps import ProcedureDescription as ProcedureDescription
from .steps import Removal as Removal
from .steps import Replacement as Replacement
from .steps import Step as Step
from .steps import Verdict as Verdict

def register_views(views: dict[str, str]) -> None: ...
def view_named(name: str) -> typing.Any: ...
