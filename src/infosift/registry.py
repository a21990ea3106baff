"""What can be chosen by a short name: criteria, methods, searches, nulls, kinds of targets, models.

Nothing here is imported before it is used, so the command line can list the choices without NumPy. A new choice
is a line here: its name, where it is defined, and a phrase for the help of the command line. Test
statistics, which users do not choose, are listed in inference/statistics.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

from infosift.errors import Hint, InputError

if TYPE_CHECKING:
    from infosift.criteria.base import Criterion
    from infosift.data.targets import TargetKind
    from infosift.inference.nulls import Null
    from infosift.search.base import Method, Search

T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """Where something is defined, as ``module:name`` within the package, and what the help says of it.

    A class is instantiated with ``parameters``, unless these are None.
    """

    home: str
    summary: str = ""
    parameters: Mapping[str, Any] | None = None

    @cached_property
    def loaded(self) -> Any:
        """What is defined there, imported when it is first used."""
        found = resolve_name(f"infosift.{self.home}")
        return found if self.parameters is None else found(**self.parameters)


class Registry(UserDict[str, T]):
    """Objects by short name, each imported when it is first used; others can be added as they are."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        super().__init__(entries)

    def __getitem__(self, name: str) -> T:
        entry = self.data[name]
        return entry.loaded if isinstance(entry, Entry) else entry

    def summaries(self) -> dict[str, str]:
        """Return a phrase for each name, which may be empty, without an import."""
        return {name: getattr(entry, "summary", "") for name, entry in self.data.items()}


def resolve(parameter: str, given: Any, registry: Mapping[str, T], needed: str) -> T:
    """Return the registered object of a name, or an object of the caller's that has the attribute needed."""
    if isinstance(given, str) and given in registry:
        return registry[given]
    if isinstance(given, (str, type)) or not hasattr(given, needed):
        example = repr(next(iter(registry.values())))
        raise InputError(
            Hint(parameter), f" must be one of {', '.join(registry)}, or an object ({example}), not {given!r}."
        )
    return given  # type: ignore[no-any-return]


def _made(home: str, summary: str = "", **parameters: Any) -> Entry:
    return Entry(home, summary, parameters)


CRITERIA: Registry[Criterion] = Registry(
    {
        "ksg": _made("criteria.ksg:KSG", variant=1),
        "ksg2": _made("criteria.ksg:KSG", variant=2),
        "quadratic": _made("criteria.parzen:QuadraticMI"),
        "gamma": _made("criteria.nearest_rows:GammaTest"),
        "delta": _made("criteria.nearest_rows:DeltaTest"),
        "neighbor-error": _made("criteria.nearest_rows:NeighborError"),
        "histogram": _made("criteria.simple:Histogram"),
        "kernel-density": _made("criteria.parzen:KernelDensity"),
        "gaussian-copula": _made("criteria.simple:GaussianCopula"),
        "series": _made("criteria.simple:Series"),
    }
)
METHODS: Registry[Method] = Registry(
    {
        "calibrated": _made("search.calibrated:Calibrated", "with family-wise error control"),
        "published": _made("search.published:Published", "as in the paper"),
    }
)
SEARCHES: Registry[Search] = Registry(
    {
        "forward": _made("search.stepwise:Forward", "add the best"),
        "backward": _made("search.stepwise:Backward", "remove the least needed"),
        "floating": _made("search.stepwise:Floating", "both"),
        "filter": _made("search.filter:Filter", "each on its own, redundant ones included"),
    }
)
NULLS: Registry[Null] = Registry(
    {
        "residual": _made("inference.nulls.residual:ResidualNull", "keep the dependence on the features given"),
        "local": _made("inference.nulls.local:LocalNull", "from near rows"),
        "shuffle": _made("inference.nulls:ShuffleNull", "lose the dependence on the features given"),
        "circular": _made(
            "inference.nulls.circular:CircularNull", "shifted, for rows in the order of time; not for single tests"
        ),
    }
)
# In the order in which kinds are recognised; numbers, which all columns can be, come last.
TARGET_KINDS: Registry[type[TargetKind]] = Registry(
    {
        "classes": Entry("data.targets:Classes"),
        "both": Entry("data.targets:WholeNumbers"),
        "numbers": Entry("data.targets:TargetKind"),
    }
)
# Models of compare_subsets; their phrases are what a comparison calls them.
MODELS: Registry[Callable[..., Any]] = Registry(
    {
        "ridge": Entry("comparison:ridge_model", "ridge regression"),
        "forest": Entry("comparison:forest_model", "a random forest"),
        "neighbors": Entry("comparison:neighbors_model", "nearest neighbours"),
        "cox": Entry("comparison:cox_model", "a Cox model"),
    }
)
# Choices that are no objects, with phrases for the help.
SCALES = {"standard": "", "rank": "normal quantiles of ranks", "none": "as they are, all in one unit"}
GOALS = {
    "explain": "what can be shown to matter",
    "predict": "also what lowers the error of predictions, untested",
}
MISSING = {"partial": "use the values that a row has", "drop": "drop the rows", "error": "refuse them"}
CONTROLS = {
    "fwer": "the probability of any false positive",
    "fdr": "the expected share of false positives",
    None: "the error of each test",
}
