"""How a run went, as a paragraph for a paper, and what to cite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infosift.calibrated import neighbors_for
from infosift.words import count, in_a_sentence, plural, probability, series, the_target

if TYPE_CHECKING:
    from infosift.result import Selection

PAPER_DOI = "10.1016/j.neucom.2006.11.019"
_PAPER = "François et al. (2007)"
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
    how = _calibrated(selection) if selection.settings.method == "calibrated" else _published(selection)
    parts = [_data(selection), _estimate(selection), *how, _found(selection)]
    return " ".join([*parts, f"The random seed was {selection.settings.seed}."])


def _data(selection: Selection) -> str:
    settings, target = selection.settings, the_target(selection.target_name)
    procedure = (
        f"the calibrated method, which extends that of {_PAPER}"
        if settings.method == "calibrated"
        else f"the procedure of {_PAPER}"
    )
    dropped = f" ({selection.n_dropped:,} more had missing values)" if selection.n_dropped else ""
    kept = f" {series(settings.keep)} {'was' if len(settings.keep) == 1 else 'were'} included from the start."
    return (
        f"Variables that tell about {target} were chosen with infosift {selection.version} by {procedure}, from "
        f"{_candidates(selection)} and "
        f"{count(selection.n_rows, 'observation')}{dropped}.{kept if settings.keep else ''}"
    )


def _candidates(selection: Selection) -> str:
    """Return how many variables there were to choose from, and how many were none to choose."""
    repeats = {name for name, _ in selection.duplicates}
    unusable = {*selection.constant, *repeats, *selection.identifiers} - {*selection.settings.keep}
    others = {*selection.settings.keep, *selection.settings.ignore, *unusable}
    number = sum(name not in others for name in selection.feature_names)
    more = f" ({len(unusable):,} more were constant, repeated another or named the rows)" if unusable else ""
    return f"{count(number, 'candidate variable')}{more}"


def _estimate(selection: Selection) -> str:
    settings = selection.settings
    variant = "first" if settings.criterion == "ksg" else "second"
    scaled = "unit variance" if settings.scale == "standard" else "normal quantiles of their ranks"
    mixed = selection.discrete or any(classes is not None for classes in selection.n_classes)
    categories = ", extended to categories after Ross 2014" if mixed else ""
    return (
        f"Mutual information was estimated from nearest neighbours (Kraskov et al. 2004, {variant} estimator"
        f"{categories}), with variables brought to {scaled}."
    )


def _calibrated(selection: Selection) -> list[str]:
    settings = selection.settings
    tried = neighbors_for(selection.n_rows, settings.n_neighbors)
    among = "" if settings.n_blocks else " among rows alike in these"
    has_classes = any(classes is not None for classes in selection.n_classes)
    residuals = "randomised quantile residuals, Dunn and Smyth 1996, from" if has_classes else "residuals of"
    null = {
        "residual": f"in which its dependence on the variables chosen was kept and the rest permuted{among}",
        "local": "in which each value was replaced by that of a row near in the variables chosen",
        "shuffle": "in which its values were permuted",
    }[settings.null]
    said = [
        f"A forward search scored each candidate by its information about what the variables chosen before left "
        f"unexplained ({residuals} kernel ridge regression) and by the information of all together, with "
        f"{series([str(k) for k in tried])} {plural(tried[-1], 'neighbour')}.",
        f"The best candidate was compared with surrogates {null}, and tested as the best of all that remained "
        f"(Westfall and Young 1993); {_permutations(selection)} "
        f"The significance level was {settings.alpha:g}.",
    ]
    if len(selection.accepted) > 1 and not selection.is_partial:
        left_out = series(selection.pruned) or "none"
        said.append(f"Chosen variables that added nothing to the others were then left out ({left_out}).")
    return said


def _permutations(selection: Selection) -> str:
    drawn = sorted({step.n_permutations for step in selection.steps})
    if not drawn:
        return "no step was taken."
    some = f"{drawn[0]:,}" if len(drawn) == 1 else f"{drawn[0]:,} to {drawn[-1]:,}"
    return f"{some} permutations were drawn per step."


def _published(selection: Selection) -> list[str]:
    settings, choice = selection.settings, selection.neighbors
    said = []
    if choice is not None:
        said.append(
            f"The number of neighbours, {choice.n_neighbors}, was chosen from {choice.candidates[0]} to "
            f"{choice.candidates[-1]} by resampling with {choice.n_folds} folds, as that which best told "
            "variables from permuted copies of them."
        )
    elif settings.n_neighbors is not None:
        said.append(f"The number of neighbours was set to {settings.n_neighbors}.")
    return [
        *said,
        f"In a forward search, the variable with the largest joint mutual information with the target was "
        f"compared at each step with {settings.n_permutations} permuted copies of itself, and the search was "
        f"halted when it did not exceed them at the level {settings.alpha:g}.",
        "The p-values are those of a single test, not adjusted for the choice of the best of many.",
    ]


def _found(selection: Selection) -> str:
    chosen = [
        f"{in_a_sentence(step.feature)} (p = {probability(step.p_value)})".replace("= <", "< ")
        for step in selection.accepted
    ]
    if not selection.steps:
        return "No variable could be tested."
    ended = f"; the search was ended by {selection.ended_by}" if selection.is_partial else ""
    if not chosen:
        return f"No variable was chosen{ended}."
    swapped = "".join(
        f"; {in_a_sentence(exchange.feature)} then took the place of {series(exchange.in_place_of)}"
        for exchange in selection.exchanges
    )
    were = "Chosen was" if len(chosen) == 1 else "Chosen, in this order, were"
    added = {step.feature for step in selection.accepted}
    groups = "".join(
        f"; {in_a_sentence(name)} stands for {series([in_a_sentence(column) for column in columns])}"
        for name, columns in selection.settings.groups
        if name in added
    )
    return f"{were} {series(chosen)}{groups}{swapped}{ended}."
