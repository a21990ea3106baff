"""What is noted about columns before a search begins."""

from __future__ import annotations

import warnings

from infosift.data.columns import Features
from infosift.results.settings import Settings

_UP_TO_THE_CALLER = 4
_MOST_NAMES = 3


def warn_of_disguised(features: Features, settings: Settings) -> None:
    """Warn of text that looks like numbers or dates, unless it is ignored or said to be categories."""
    known = {*settings.ignore, *(settings.discrete_features or ())}
    said = [
        f'"{features.names[place]}" is text that looks like {looks_like}'
        for place, looks_like in features.disguised.items()
        if features.names[place] not in known
    ]
    if not said:
        return
    more = f"; and {len(said) - _MOST_NAMES:,} more columns" if len(said) > _MOST_NAMES else ""
    it = "it" if len(said) == 1 else "them"
    warnings.warn(
        f"{'; '.join(said[:_MOST_NAMES])}{more}: make numbers or dates of {it}, in Python with parse_numbers "
        f"where every cell is one, or name {it} as categories.",
        UserWarning,
        stacklevel=_UP_TO_THE_CALLER,
    )
