"""What is measured: how much a set of columns tells about the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from infosift.arrays import FloatArray, IntArray
from infosift.checks import require_choice
from infosift.criteria.folds import Scores
from infosift.criteria.ksg import KSG
from infosift.engine import Question, ThreadEngine

__all__ = ["KSG", "Criterion", "Scorer", "criterion_named"]


class Criterion(Scores, Protocol):
    """Scores candidates beside a subset, for several numbers of neighbours at once; higher is more."""

    @property
    def takes_categories(self) -> bool:
        """Whether columns and target may be discrete."""
        ...

    def score_without_folds(
        self, question: Question, folds: IntArray, neighbors: Sequence[int], engine: ThreadEngine
    ) -> FloatArray:
        """Return an array (candidates x folds x neighbors) of scores on the rows without each fold."""
        ...


_CRITERIA: dict[str, Criterion] = {"ksg": KSG(variant=1), "ksg2": KSG(variant=2)}


def criterion_named(name: str) -> Criterion:
    """Return the criterion of that name."""
    require_choice("criterion", name, tuple(_CRITERIA))
    return _CRITERIA[name]


@dataclass(frozen=True)
class Scorer:
    """A criterion with its number of neighbours and the engine it runs on."""

    criterion: Criterion
    n_neighbors: int
    engine: ThreadEngine

    def __call__(
        self, candidates: FloatArray, given: FloatArray, target: FloatArray, picked: Sequence[int] | None = None
    ) -> FloatArray:
        """Return the score of the given columns plus each candidate, or each of those picked."""
        question = Question(candidates, given, target, picked)
        return self.criterion.score([question], (self.n_neighbors,), self.engine)[0][:, 0]
