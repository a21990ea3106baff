"""The steps of a fit as tasks of scikit-learn's callbacks, where the installed version has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from infosift.results.selection import Selection

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands for callbacks that cannot be set."""

    def with_callbacks(method: Any) -> Any:
        """Return a method that does the same, as deep in the stack as one with callbacks: warnings count on it."""

        @wraps(method)
        def without_callbacks(*arguments: Any, **options: Any) -> Any:
            return method(*arguments, **options)

        return without_callbacks


__all__ = ["CallbackSupportMixin", "StepTasks", "with_callbacks"]


class StepTasks:
    """Tells the callbacks of a selector when its fit and each of its steps begin and end.

    A callback that asks for a ``fitted_estimator`` gets one with what is selected so far; ``fitted`` gives its
    attributes for a selection.
    """

    def __init__(self, selector: Any, X: Any, y: Any, fitted: Callable[[Selection], dict[str, Any]]) -> None:
        self._told = {"estimator": selector, "X": X, "y": y}
        self._fitted = fitted
        self._has_callbacks = hasattr(selector, "_init_callback_context")
        if self._has_callbacks:
            self._fit = selector._init_callback_context(max_subtasks=None)
            self._fit.call_on_fit_task_begin(**self._told)
            self._step = self._begin_step(number=1)

    def _begin_step(self, number: int) -> Any:
        return self._fit.subcontext(task_name=f"step {number}").call_on_fit_task_begin(**self._told)

    def end_step(self, selection: Selection) -> bool:
        """Tell that a step is decided; return whether a callback asks to stop."""
        if not self._has_callbacks:
            return False
        if self._step is None:  # a search that goes on after a rejected step
            self._step = self._begin_step(len(selection.steps))
        stops = bool(self._tell_end(self._step, selection))
        goes_on = selection.steps[-1].accepted and not stops
        self._step = self._begin_step(len(selection.steps) + 1) if goes_on else None
        return stops

    def end(self, selection: Selection) -> None:
        """Tell that the fit is done."""
        if self._has_callbacks:
            if self._step is not None:  # it went on, and no candidate was left
                self._tell_end(self._step, selection)
            self._tell_end(self._fit, selection)

    def _tell_end(self, task: Any, selection: Selection) -> Any:
        # Worked out only where a callback asks for it, since a ranking goes through all steps so far.
        return task.call_on_fit_task_end(**self._told, reconstruction_attributes=partial(self._fitted, selection))
