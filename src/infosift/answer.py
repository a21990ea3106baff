"""The answer that a selection gives, in a sentence, for the terminal and the report alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infosift.words import count, in_a_sentence, series, the_target

if TYPE_CHECKING:
    from infosift.result import Selection


def headline(selection: Selection) -> str:
    """Return how much was chosen, or why nothing was; ``chosen`` are the names that follow it."""
    target, n_chosen = the_target(selection.target_name), len(_chosen_columns(selection))
    kept = selection.settings.keep
    total = sum(name not in kept for name in selection.feature_names)
    columns = count(total, "column")
    if not selection.steps:
        if selection.is_partial:
            return f"The run was ended before anything could be said about {target}."
        if total == 0:
            return f"All columns are kept from the start, so there is none to choose for {target}."
        return f"None of the {columns} could be tested, so nothing can be said about {target}."
    beside = f"beside {series([in_a_sentence(name) for name in kept])}, " if kept else ""
    so_far = "so far, " if selection.is_partial else ""
    said = (
        f"{n_chosen:,} of {columns} chosen for {target}"
        if n_chosen
        else f"none of the {columns} is seen to tell anything{' more' if kept else ''} about {target}."
    )
    sentence = so_far + beside + said
    return sentence[0].upper() + sentence[1:]


def chosen(selection: Selection) -> list[str]:
    """Return what was chosen, columns kept from the start aside; of a group, its name and columns."""
    groups = {column: (name, columns) for name, columns in selection.settings.groups for column in columns}
    said: dict[str, None] = {}
    for column in _chosen_columns(selection):
        name, columns = groups.get(column, (column, ()))
        members = f" ({', '.join(map(in_a_sentence, columns))})" if columns else ""
        said[in_a_sentence(name) + members] = None
    return list(said)


def _chosen_columns(selection: Selection) -> list[str]:
    return [name for name in selection.names if name not in selection.settings.keep]
