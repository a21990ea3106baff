"""The record of a data warning, stored with a selection; the checks that warn are in search/data_warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from infosift.errors import Hint, in_words
from infosift.results.serialization import Record

# Titles of the kinds that a report shows at its top; the others concern features that are not tested.
TITLES = {
    "leak": "A feature may give the target away",
    "order": "Rows depend on their neighbours",
    "power": "Few rows",
    "imbalance": "A small class",
    "gaps": "Many rows were dropped",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class DataWarningRecord(Record):
    """Something about the data that whoever uses a selection should know, as a selection stores it.

    Parameters
    ----------
    kind : str
        "leak": a feature determines the target nearly alone. "order": rows depend on those next to them in the
        file. "power": there are too few rows for so many features. "imbalance": a class is too small to be seen.
        "gaps": many rows were dropped for missing values. "constant", "empty", "near-unique" and "duplicate":
        features that are not tested.
    message : str
        What the matter is and what to do about it, parameters as Python writes them.
    title : str
        The matter in a few words, for the top of a report; empty for what is stated elsewhere there.
    features : tuple of str
        The features concerned, if any.
    parts : tuple of str or Hint
        The message with the parameters that it names as parts of their own, for ``infosift.errors.in_words``.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings
    >>> from infosift import DataWarning, MutualInfoSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", DataWarning)
    ...     (leak,) = MutualInfoSelector(random_state=0).fit(X, 0.92 * X[:, 1]).selection_.warnings
    >>> leak.kind, leak.features, leak.hints
    ('leak', ('x1',), (Hint(parameter='ignore', value=('x1',)),))
    """

    kind: str
    message: str
    title: str = ""
    features: tuple[str, ...] = ()
    parts: tuple[str | Hint, ...] = ()

    def __post_init__(self) -> None:
        if not self.parts:
            object.__setattr__(self, "parts", (self.message,))
        if not self.title:
            object.__setattr__(self, "title", TITLES.get(self.kind, ""))

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The parameters, with their values, that remedy the matter."""
        return tuple(part for part in self.parts if isinstance(part, Hint))


def data_warning(
    kind: str, *parts: str | Hint, features: Sequence[str] = (), title: str = ""
) -> DataWarningRecord:
    """Return a data warning whose message is made of text and hints; without a title it has that of its kind."""
    return DataWarningRecord(
        kind=kind, message=in_words(parts), title=title, features=tuple(features), parts=parts
    )
