"""What is noted about columns before a search begins."""

from __future__ import annotations

import warnings

from infosift.data.frames import NamedColumns
from infosift.results.settings import Settings

_UP_TO_THE_CALLER = 4


def warn_of_disguised(features: NamedColumns, settings: Settings) -> None:
    """Warn of text that looks like numbers or dates, unless it is ignored or said to be categories."""
    known = {*settings.ignore, *(settings.discrete_features or ())}
    for place, looks_like in features.disguised.items():
        if features.names[place] not in known:
            warnings.warn(
                f'"{features.names[place]}" is text that looks like {looks_like}: make numbers or dates of it, or '
                "name it as categories.",
                UserWarning,
                stacklevel=_UP_TO_THE_CALLER,
            )
