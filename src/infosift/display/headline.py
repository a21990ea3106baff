"""The answer that a selection gives, in a sentence, for the terminal and the report alike."""

from __future__ import annotations

from infosift.display.phrases import count, in_a_sentence, series, the_target
from infosift.results.selection import Selection


def headline(selection: Selection) -> str:
    """Return how much was selected, or why nothing was; ``selected`` are the names that follow it."""
    target, n_selected = the_target(selection.target_name), len(_selected_features(selection))
    kept = selection.settings.keep
    total = sum(name not in kept for name in selection.feature_names)
    if not selection.steps:
        return _nothing_tested(selection, total, target)
    given = f"conditional on {series([in_a_sentence(name) for name in kept])}, " if kept else ""
    so_far = "so far, " if selection.is_partial else ""
    said = (
        f"{n_selected:,} of {count(total, 'feature')} selected for {target}"
        if n_selected
        else f"none of the {count(total, 'feature')} is significantly informative about {target}."
    )
    sentence = so_far + given + said
    return sentence[0].upper() + sentence[1:]


def _nothing_tested(selection: Selection, total: int, target: str) -> str:
    if selection.is_partial:
        return f"The run ended before any feature was tested for {target}."
    if total == 0:
        return f"All features are kept from the start, so there is none to select for {target}."
    return f"None of the {count(total, 'feature')} could be tested, so nothing can be said about {target}."


def selected(selection: Selection) -> list[str]:
    """Return what was selected, features kept from the start aside; of a group, its name and features."""
    groups = {name: (group, names) for group, names in selection.settings.feature_groups for name in names}
    said: dict[str, None] = {}
    for feature in _selected_features(selection):
        name, names = groups.get(feature, (feature, ()))
        members = f" ({', '.join(map(in_a_sentence, names))})" if names else ""
        said[in_a_sentence(name) + members] = None
    return list(said)


def _selected_features(selection: Selection) -> list[str]:
    return [name for name in selection.names if name not in selection.settings.keep]
