"""What is noted about columns before a search begins."""

from __future__ import annotations

import warnings

from infosift.data.frames import NamedColumns
from infosift.data.table import Table
from infosift.errors import listing
from infosift.results.settings import Settings

_UP_TO_THE_CALLER = 4


def warn_of_unusable(table: Table) -> None:
    """Warn of features that cannot be tested; in a feature group, others may carry them."""
    in_groups = {i for unit in table.units for i in unit.columns}
    constant = [f'"{table.names[i]}"' for i in table.constant if i not in in_groups]
    near_unique = [f'"{table.names[i]}"' for i in table.near_unique if i not in in_groups]
    duplicates = [f'"{table.names[i]}" (of "{table.names[j]}")' for i, j in table.duplicates.items()]
    said = {
        "Constant features carry no information and are not tested": constant,
        "Near-unique features, whose categories hardly repeat, are not tested": near_unique,
        "Duplicates of an earlier feature are not tested": duplicates,
    }
    for sentence, names in said.items():
        if names:
            warnings.warn(f"{sentence}: {listing(names)}.", UserWarning, stacklevel=_UP_TO_THE_CALLER)


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
