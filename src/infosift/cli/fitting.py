"""From options to a selection: parameters, the fit, and what becomes of one that was cut short."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from infosift.cli import options
from infosift.cli.running import OUT_OF_TIME, stop, warnings_as_notes
from infosift.cli.tables import FIRST_ROW, OR_DROP, OR_DROP_OR_USE, Table
from infosift.errors import InputError
from infosift.progress import INTERRUPTED, raise_from_here

if TYPE_CHECKING:
    from infosift.results.selection import Selection


def common_parameters(
    table: Table,
    target: str,
    target_kind: options.TargetKind,
    search: options.Search,
    control: options.Control | None,
    feature_groups: Path | None,
) -> dict[str, Any]:
    """Return the parameters of a selector that depend on the table or on several options."""
    return {
        "search": search_asked_for(search, control),
        "keep": table.named.keep or None,
        "feature_groups": read_feature_groups(feature_groups),
        **options.discrete(table.named.categorical, table.names, target, target_kind),
    }


def method_asked_for(method: options.Method, null: options.NullOfSearch | None) -> Any:
    """Return the method that two options name."""
    if null is None:
        return method.value
    if method is not options.Method.calibrated:
        raise InputError("--null is for --method calibrated: leave one of them out.")
    from infosift import Calibrated

    return Calibrated(null=null.value)


def search_asked_for(search: options.Search, control: options.Control | None) -> Any:
    """Return the search that two options name."""
    if control is None:
        return search.value
    if search is not options.Search.filter:
        raise InputError("--control is for --search filter: say that, or leave --control out.")
    from infosift import Filter

    return Filter(control=None if control is options.Control.none else control.value)


def read_feature_groups(file: Path | None) -> dict[str, list[str]] | None:
    """Read the file of features that enter or stay out together, where there is one."""
    from infosift.data.files import read_groups_file

    return None if file is None else read_groups_file(file)


def is_shown(progress: bool | None, quiet: bool) -> bool:
    """Tell whether progress is shown: as asked, or else in a terminal."""
    return Console(stderr=True).is_terminal and not quiet if progress is None else progress


def fit(table: Table, parameters: dict[str, Any], quiet: bool = False) -> Selection:
    """Return the selection; where it is interrupted, what was decided by then."""
    from infosift.selector import MutualInfoSelector

    require_values(table, parameters.get("missing", "error"))
    selector: Any = MutualInfoSelector(**parameters)
    raise_from_here()
    with warnings_as_notes(quiet):
        try:
            selector.fit(table.features, table.target, groups=table.row_groups)
        except KeyboardInterrupt:
            if not hasattr(selector, "selection_") or not selector.selection_.steps:
                raise
    selection: Selection = selector.selection_
    # What is ignored was not read, but whoever repeats the run should know.
    return replace(selection, settings=replace(selection.settings, ignore=tuple(table.named.ignore)))


def require_values(table: Table, missing: str) -> None:
    """Refuse infinite values, and missing ones where they are to be refused; workers look at what they read."""
    from infosift.data.frames import read_columns
    from infosift.data.validation import require_finite

    takes_gaps = missing != "error"
    target = read_columns(table.target)
    require_finite(target, "The target", FIRST_ROW, allow_missing=takes_gaps, or_else=OR_DROP)
    if not table.is_read:
        return
    features = read_columns(table.features)
    require_finite(
        features, first_row=FIRST_ROW, allow_missing=takes_gaps, or_else=OR_DROP_OR_USE, may_ignore=True
    )


def show(selection: Selection, console: Console) -> None:
    """Print a selection."""
    from infosift.display.terminal import print_selection

    print_selection(selection, console)


def stop_if_cut_short(selection: Selection) -> None:
    """End with an exit code of its own where there was an interrupt, or no time to decide anything."""
    code = cut_short(selection)
    if code == INTERRUPTED:
        stop("Interrupted: what is above was decided before.", code)
    if code == OUT_OF_TIME:
        stop("The time limit ended the run before anything was decided: raise --time-limit.", code)


def is_empty_handed(selection: Selection) -> bool:
    """Tell whether there was no time to decide anything, which one sentence says."""
    return cut_short(selection) == OUT_OF_TIME


def cut_short(selection: Selection) -> int | None:
    """Return the exit code of a run that was interrupted, or had no time to decide anything; None of others."""
    from infosift.results.selection import INTERRUPT, TIME_LIMIT

    if selection.ended_by == TIME_LIMIT and not selection.steps:
        return OUT_OF_TIME
    return INTERRUPTED if selection.ended_by == INTERRUPT else None
