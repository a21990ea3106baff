"""How a run went, as a paragraph for a paper, and what to cite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infosift.display.wording import (
    count,
    in_a_sentence,
    levels,
    named,
    power,
    probability,
    range_of,
    series,
    the_target,
    values_of,
)
from infosift.inference.shifts import CIRCULAR
from infosift.search.calibrated import MOST_ASKED_ALONE

if TYPE_CHECKING:
    from infosift.results.selection import Selection

PAPER_DOI = "10.1016/j.neucom.2006.11.019"
_PAPER = "François et al. (2007)"
_SERIES = "an orthogonal series in Legendre polynomials of their ranks"
_ENTRIES = r"""@article{francois2007resampling,
  author  = {Fran{\c{c}}ois, Damien and Rossi, Fabrice and Wertz, Vincent and Verleysen, Michel},
  title   = {Resampling methods for parameter-free and robust feature selection with mutual information},
  journal = {Neurocomputing},
  year    = {2007},
  volume  = {70},
  number  = {7--9},
  pages   = {1276--1288},
  doi     = {DOI}
}

@article{kraskov2004estimating,
  author  = {Kraskov, Alexander and St{\"o}gbauer, Harald and Grassberger, Peter},
  title   = {Estimating mutual information},
  journal = {Physical Review E},
  year    = {2004},
  volume  = {69},
  number  = {6},
  pages   = {066138},
  doi     = {10.1103/PhysRevE.69.066138}
}

@software{infosift,
  author  = {{The infosift developers}},
  title   = {infosift},
  version = {VERSION}
}"""


def bibtex(selection: Selection) -> str:
    """Return entries for the paper, the estimate and the software."""
    return _ENTRIES.replace("DOI", PAPER_DOI, 1).replace("VERSION", selection.version)


def paragraph(selection: Selection) -> str:
    """Return what was done, in the words and with the numbers of a methods section."""
    parts = [_data(selection), _estimate(selection)]
    if selection.steps:
        parts += _tests(selection)
        parts += _row_groups(selection)
        parts += _order(selection)
    parts += [_found(selection), *power(selection)]
    return " ".join([*parts, f"The random seed was {selection.settings.seed}."])


def _tests(selection: Selection) -> list[str]:
    if not selection.conditional:
        return _filter(selection)
    return _adjusted_tests(selection) if selection.adjusted else _single_tests(selection)


def _data(selection: Selection) -> str:
    settings, target = selection.settings, the_target(selection.target_name)
    method = f"the {settings.method.name.lower()} method"
    extends = selection.adjusted or "null" in settings.method.parameters
    procedure = f"{method}, which extends that of {_PAPER}" if extends else f"{method} of {_PAPER}"
    dropped = f" ({selection.n_rows_dropped:,} more had missing values)" if selection.n_rows_dropped else ""
    kept = f" {series(settings.keep)} {'was' if len(settings.keep) == 1 else 'were'} included from the start."
    return (
        f"Features informative about {target} were selected with infosift {selection.version} by {procedure}, "
        f"from {_candidates(selection)} and "
        f"{count(selection.n_rows, 'observation')}{dropped}.{kept if settings.keep else ''}"
    )


def _candidates(selection: Selection) -> str:
    """Return how many features there were to select from, and how many could not be tested."""
    duplicates = {name for name, _ in selection.duplicates}
    untested = {*selection.constant, *duplicates, *selection.near_unique} - {*selection.settings.keep}
    others = {*selection.settings.keep, *selection.settings.ignore, *untested}
    number = sum(name not in others for name in selection.feature_names)
    more = f" ({len(untested):,} more were constant, duplicates or near-unique)" if untested else ""
    return f"{count(number, 'candidate feature')}{more}"


def _estimate(selection: Selection) -> str:
    settings = selection.settings
    variant = "second" if settings.criterion.parameters.get("variant") == 2 else "first"
    scaled = {
        "standard": "scaled to unit variance",
        "rank": "scaled to normal quantiles of their ranks",
        "none": "and target in their own units",
    }[settings.scale]
    mixed = selection.discrete or any(classes is not None for classes in selection.n_classes)
    categories = ", extended to categories after Ross 2014" if mixed else ""
    by = f"from nearest neighbours (Kraskov et al. 2004, {variant} estimator{categories})"
    if settings.criterion.name != "KSG":
        measured = f"{settings.criterion.name} ({selection.criterion_measure})"
        return f"The criterion was {measured}, with features {scaled}."
    return f"Mutual information was estimated {by}, with features {scaled}."


def _measure(selection: Selection) -> str:
    """Return what the criterion measures, with its name where that does not say which."""
    name = selection.settings.criterion.name
    return selection.criterion_measure if name == "KSG" else f"{selection.criterion_measure} ({name})"


def _adjusted_tests(selection: Selection) -> list[str]:
    settings = selection.settings
    among = "" if settings.n_row_groups else " among rows alike in these"
    divided = levels(settings.alpha, selection.alpha_shares)
    has_classes = any(classes is not None for classes in selection.n_classes)
    residuals = "randomised quantile residuals, Dunn and Smyth 1996, from" if has_classes else "residuals of"
    surrogates = {
        "residual": f" that keep its dependence on the selected features and permute its residual{among}",
        "local": " in which each value is replaced by that of a row near in the selected features",
        "shuffle": " in which its values are permuted",
        CIRCULAR: " in which candidates and target are shifted against each other in time",
    }.get(_null(selection) or "", "")
    others, pairs = ("other", "") if selection.start else ("selected", "; then by products of pairs")
    said = [
        f"{_search(selection)} tested the residual of each candidate against that of the target, both given the "
        f"{others} features ({residuals} kernel ridge regression): first by {_SERIES}; where that was not "
        f"significant, by {_asked(selection)}{pairs}."
    ]
    if _null(selection) == CIRCULAR:
        said = [
            f"{_search(selection)} tested each candidate by {_SERIES}, with those of candidate and target "
            f"projected off functions of the {others} features; while there were none, also by "
            f"{_asked(selection)}{pairs}."
        ]
    if selection.start:
        return [
            *said,
            f"Each feature was compared with surrogates{surrogates}, and the least needed removed while it was "
            f"not significant at {settings.alpha:g} divided by the number of features left (Bonferroni); "
            f"{_permutations(selection)}",
        ]
    said.append(
        f"The best candidate was compared with surrogates{surrogates}. Its p-value is that of the maximum over "
        "all candidates (Westfall and Young 1993), which controls the family-wise error of each step at "
        f"{settings.alpha:g}{f' ({divided})' if divided else ''}; {_permutations(selection)}"
    )
    if len(selection.accepted) > 1 and not selection.is_partial:
        said.append("At the end, selected features that added nothing to the others were removed.")
    return said


def _null(selection: Selection) -> str | None:
    """Return how surrogates are drawn; None where the method has no choice of it."""
    return selection.settings.method.parameters.get("null")


def _asked(selection: Selection) -> str:
    """Return what the criterion measures, with the values of its parameter."""
    used = values_of(selection.criterion_parameter, selection.criterion_values)
    return f"{_measure(selection)} with {used}" if used else _measure(selection)


def _search(selection: Selection) -> str:
    name = selection.settings.search.name.lower()
    return f"A {name} search" if name in ("forward", "backward", "floating") else "The search"


def _filter(selection: Selection) -> list[str]:
    settings = selection.settings
    control = {
        "family-wise error": "the maximum over all features (Westfall and Young 1993), which controls the "
        "family-wise error",
        "false discovery rate": "the procedure of Benjamini and Hochberg (1995), which controls the false "
        "discovery rate",
    }.get(selection.error_rate)
    level = f"{control}, at {settings.alpha:g}" if control else f"none, each feature at {settings.alpha:g}"
    return [
        f"Each feature was tested on its own, by {_how_alone(selection)}; {_permutations(selection, 'feature')} "
        f"Adjustment for the number of features: {level}."
    ]


def _how_alone(selection: Selection) -> str:
    """Return by what each feature was tested on its own."""
    null = _null(selection)
    if null is None:
        return _measure(selection)
    are_few = (
        len(selection.steps[0].candidates) <= MOST_ASKED_ALONE and selection.error_rate != "false discovery rate"
    )
    has_neighbors = are_few and not (null == CIRCULAR and selection.settings.keep)
    return f"{_SERIES} and by {_asked(selection)}" if has_neighbors else _SERIES


def _permutations(selection: Selection, each: str = "step") -> str:
    drawn = "shifts" if _null(selection) == CIRCULAR else "permutations"
    return f"{range_of(step.n_permutations for step in selection.steps)} {drawn} were drawn per {each}."


def _row_groups(selection: Selection) -> list[str]:
    number = selection.settings.n_row_groups
    return [] if number is None else [f"Rows were permuted in {number:,} groups, each as a whole."]


def _order(selection: Selection) -> list[str]:
    depends = any(warning.kind == "order" for warning in selection.warnings)
    return ["Rows depended on those next to them, so p-values are too small."] if depends else []


def _single_tests(selection: Selection) -> list[str]:
    settings, choice = selection.settings, selection.neighbors
    said = []
    if choice is not None:
        parameter = selection.criterion_parameter
        said.append(
            f"The {named(parameter)}, {choice.n_neighbors}, was chosen from "
            f"{choice.candidates[0]} to {choice.candidates[-1]} by resampling with {choice.n_folds} folds, as "
            "that which best separated features from permuted copies of them."
        )
    elif selection.n_neighbors is not None:
        said.append(f"The number of neighbours was set to {selection.n_neighbors}.")
    return [
        *said,
        f"{_steps_of_single_tests(selection)} at the level {settings.alpha:g}; {_permutations(selection)}",
        "The p-values are those of single tests, not adjusted for multiple testing.",
    ]


def _steps_of_single_tests(selection: Selection) -> str:
    if selection.start:
        return (
            f"A backward search removed, at each step, the feature without which {_measure(selection)} was "
            "largest, and halted when the feature did better than permuted copies of it"
        )
    return (
        f"In {_search(selection).lower()}, the feature with the largest joint {_measure(selection)} with the "
        "target was compared at each step with permuted copies of itself, and the search was halted when it did "
        "not exceed them"
    )


def _found(selection: Selection) -> str:
    if selection.start:
        left = [in_a_sentence(name) for name in selection.names]
        return f"Selected were {series(left)}." if left else "No feature was selected."
    selected = [
        f"{in_a_sentence(step.feature)} (p = {probability(step.p_value)})".replace("= <", "< ")
        for step in selection.accepted
        if step.action == "add"
    ]
    if not selection.steps:
        return "No feature was tested." if selection.is_partial else "No feature could be tested."
    ended = f"; the search was ended by {selection.ended_by}" if selection.is_partial else ""
    if not selected:
        return f"No feature was selected{ended}."
    swapped = "".join(
        f"; {in_a_sentence(found.feature)} then replaced {series(found.replaced)}"
        for found in selection.replacements
    )
    removed = [in_a_sentence(name) for name in selection.removed]
    swapped += f"; {series(removed)} {'was' if len(removed) == 1 else 'were'} then removed" if removed else ""
    were = "Selected was" if len(selected) == 1 else "Selected, in this order, were"
    added = {step.feature for step in selection.accepted}
    groups = "".join(
        f"; {in_a_sentence(name)} stands for {series([in_a_sentence(column) for column in columns])}"
        for name, columns in selection.settings.feature_groups
        if name in added
    )
    return f"{were} {series(selected)}{groups}{swapped}{ended}."
