"""Models and scores that are asked for, and the scores of a model on subsets, fold by fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import get_scorer
from sklearn.utils.parallel import Parallel, delayed

from infosift.arrays import FloatArray
from infosift.engines.blas import on_one_thread
from infosift.errors import InputError, require_choice
from infosift.model_check.data import Columns, Data, Fold
from infosift.model_check.models import MODELS, dummy_model, on_numbers, words_for
from infosift.progress import ProgressBar, Reporter

_R2 = "r2"
_NAMES = {_R2: "R²", "roc_auc": "ROC AUC", "roc_auc_ovr": "ROC AUC"}

Scorer = Callable[[Any, Any, Any], float]


def model_asked_for(model: Any, data: Data, seed: int) -> tuple[Callable[[np.ndarray], Any], str]:
    """Return what makes a model for the target of some training rows, and its name."""
    if isinstance(model, str):
        require_choice("model", model, tuple(MODELS))
        return lambda y: MODELS[model](y, data.has_classes, seed % 2**32), words_for(model, data.has_classes)
    if not hasattr(model, "fit") or isinstance(model, type):
        raise InputError(f"model must be one of {', '.join(MODELS)} or a scikit-learn estimator, not {model!r}.")
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    name = type(last).__name__
    if data.has_classes and is_regressor(model):
        raise InputError(
            f'The target "{data.target_name}" has classes, and {name} predicts numbers: give a classifier, or a '
            "selector with discrete_target=False."
        )
    if not data.has_classes and is_classifier(model):
        raise InputError(
            f'The target "{data.target_name}" has numbers, and {name} predicts classes: give a regressor, or a '
            "selector with discrete_target=True."
        )
    seeded = clone(model)
    undecided = [
        parameter
        for parameter, value in seeded.get_params().items()
        if value is None and parameter.rpartition("__")[2] == "random_state"
    ]
    seeded.set_params(**dict.fromkeys(undecided, seed % 2**32))
    return lambda y: clone(seeded), name


def scorer_asked_for(scoring: Any, data: Data, folds: Sequence[Fold], model: Any) -> tuple[Scorer, str]:
    """Return what scores a model, and the name of the score."""
    if callable(scoring):
        return scoring, getattr(scoring, "__name__", type(scoring).__name__)
    name = _usual_score(data, folds, model) if scoring is None else scoring
    if name == _R2 and min(len(test) for _, test in folds) < 2:
        raise InputError("cv leaves a single row in a fold, of which R² says nothing: take fewer folds.")
    try:
        return get_scorer(name), _NAMES.get(name, name)
    except (ValueError, TypeError):
        raise InputError(f"scoring must be the name of a score of scikit-learn, not {scoring!r}.") from None


def _usual_score(data: Data, folds: Sequence[Fold], model: Any) -> str:
    """Return the score of numbers or of classes.

    Accuracy hardly moves where one class is frequent: always guessing that class is hard to beat. The area under
    the ROC curve asks how well rows are ordered, whatever the shares of the classes, and is one half for a
    constant guess. It needs a model that orders rows, and folds with all classes.
    """
    if not data.has_classes:
        return _R2
    classes = np.unique(data.target)
    has_all = all(len(np.unique(data.target[rows])) == len(classes) for fold in folds for rows in fold)
    orders = hasattr(model, "predict_proba") or (len(classes) == 2 and hasattr(model, "decision_function"))
    if not (has_all and orders):
        return "accuracy"
    return "roc_auc" if len(classes) == 2 else "roc_auc_ovr"


@dataclass(frozen=True)
class Trial:
    """What a model is fitted to and scored on."""

    data: Data
    folds: list[Fold]
    make_model: Callable[[np.ndarray], Any]
    scorer: Scorer

    def scores(
        self, found: Sequence[dict[str, Columns]], n_jobs: int | None, verbose: int
    ) -> dict[str, FloatArray]:
        """Return the score of each subset in each fold; equal subsets of a fold are scored once."""
        tasks = sorted({(fold, columns) for fold, subsets in enumerate(found) for columns in subsets.values()})
        run = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        scores = {}
        with ProgressBar() if verbose else nullcontext() as bar, on_one_thread():
            reporter = Reporter(bar)
            reporter.begin("fitting models", len(tasks))
            for task, score in zip(tasks, run(delayed(self._score)(*task) for task in tasks), strict=True):
                scores[task] = score
                reporter.advance(1)
        return {
            name: np.array([scores[fold, subsets[name]] for fold, subsets in enumerate(found)])
            for name in found[0]
        }

    def _score(self, fold: int, columns: Columns) -> float:
        data, (train, test) = self.data, self.folds[fold]
        y = data.target[train]
        if columns:
            model = on_numbers(self.make_model(y), columns, data.categories)
            X_train, X_test = data.values(columns, train), data.values(columns, test)
        else:
            model = dummy_model(data.has_classes)
            X_train, X_test = np.zeros((len(train), 1)), np.zeros((len(test), 1))
        score = float(self.scorer(model.fit(X_train, y), X_test, data.target[test]))
        if not np.isfinite(score):
            raise InputError(f"scoring gave {score} for fold {fold + 1}: take fewer folds or another score.")
        return score
