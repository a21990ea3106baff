"""Commands for the pieces of the procedure: the choice of k, one test, the information of a subset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from infosift.cli import options
from infosift.cli.running import (
    failing_in_one_sentence,
    require_drawable,
    require_writable,
    save_picture,
    warnings_as_notes,
    writing,
)
from infosift.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Names = Annotated[
    list[str], typer.Argument(help="Features, apart or with commas between them.", show_default=False)
]
Given = Annotated[
    list[str] | None,
    typer.Option(help="Features to condition on, with commas between them; may be repeated.", show_default=False),
]


def neighbors(
    file: options.File,
    target: options.Target,
    ignore: options.Ignore = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    json: options.Json = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the choice to this file: .png, .svg or .pdf.", show_default=False)
    ] = None,
) -> None:
    """Show which number of neighbours the published method would choose, and why.

    Example: [bold]infosift neighbors houses.csv --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import choose_n_neighbors
        from infosift.display.terminal import print_choice

        for path in (json, plot):
            require_writable(path, besides=Path(file))
        require_drawable(plot)
        frame, values = _read(file, target, ignore or (), categorical or ())
        _require_whole(frame, values)
        discrete: dict[str, Any] = options.discrete(categorical, frame.columns, target, target_kind)
        with warnings_as_notes():
            choice = choose_n_neighbors(frame, values, random_state=seed, n_jobs=jobs, **discrete)
        print_choice(choice, Console())
        if json is not None:
            with writing(json, "Evidence"):
                json.write_text(choice.to_json(indent=1), encoding="utf-8")
        if plot is not None:
            from infosift.display.plots import NeighborsDisplay

            with writing(plot, "Picture"):
                save_picture(NeighborsDisplay.from_choice(choice).plot(), plot)


def try_feature(
    file: options.File,
    feature: Annotated[str, typer.Argument(help="The feature to test.", show_default=False)],
    target: options.Target,
    given: Given = None,
    alpha: options.Alpha = 0.05,
    null: Annotated[
        options.Null,
        typer.Option(help="How surrogates are drawn; residual keeps their dependence on the given features."),
    ] = options.Null.residual,
    n_neighbors: options.Neighbors = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    json: options.Json = None,
) -> None:
    """Test whether a feature is informative about the target, conditional on others where these are given.

    The p-value is that of a single test by nearest neighbours. It is not
    adjusted for the number of features, as those of infosift select are.

    Example: [bold]infosift test houses.csv garden --given area,rooms --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import permutation_test
        from infosift.display.terminal import print_test

        require_writable(json, besides=Path(file))
        frame, values = _read(file, target, (), categorical or ())
        known = _named(given or [], frame, target, file)
        (tested,) = _named([feature], frame, target, file)
        _require_whole(frame.select({tested, *known}), values)
        discrete: dict[str, Any] = options.discrete(categorical, [tested], target, target_kind)
        more: dict[str, Any] = {} if n_neighbors is None else {"n_neighbors": n_neighbors}
        result = permutation_test(
            frame.select(tested),
            values,
            frame.select(known) if known else None,
            alpha=alpha,
            null=null.value,
            random_state=seed,
            n_jobs=jobs,
            **discrete,
            **more,
        )
        print_test(result, tested, known, target, Console())
        if json is not None:
            with writing(json, "Evidence"):
                json.write_text(result.to_json(indent=1), encoding="utf-8")


def score(
    file: options.File,
    features: Names,
    target: options.Target,
    n_neighbors: options.Neighbors = None,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
) -> None:
    """Print the mutual information of a subset of features with the target, in nats.

    Example: [bold]infosift score houses.csv area,rooms --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import mutual_information

        frame, values = _read(file, target, (), categorical or ())
        asked = _named(features, frame, target, file)
        _require_whole(frame.select(asked), values)
        discrete: dict[str, Any] = options.discrete(categorical, asked, target, target_kind)
        more: dict[str, Any] = {} if n_neighbors is None else {"n_neighbors": n_neighbors}
        information = mutual_information(frame.select(asked), values, **discrete, **more)
        typer.echo(f"{information:.4f}")


def _read(file: str, target: str, ignore: Any, named: Any) -> tuple[pl.DataFrame, pl.Series]:
    from infosift.data.readers import read_file

    return read_file(file, target, ignore, named)


def _require_whole(columns: pl.DataFrame, values: pl.Series) -> None:
    """Refuse gaps in what is asked about; the rows of a file are counted from 1."""
    from infosift.data.frames import read_columns, require_finite

    require_finite(read_columns(values), "The target", first_row=1)
    require_finite(read_columns(columns), first_row=1)


def _named(asked: list[str], frame: pl.DataFrame, target: str, file: str) -> list[str]:
    """Return features that are asked for; commas divide names, unless a feature is called so."""
    from infosift.data.readers import require_column

    names = [
        name for part in asked for name in ([part] if part in frame.columns else part.split(",")) if name.strip()
    ]
    names = [name if name in frame.columns else name.strip() for name in names]
    for name in names:
        if name == target:
            raise InputError(f'"{target}" is the target, so it cannot be one of the features too.')
        require_column(name, frame.columns, file)
    return list(dict.fromkeys(names))
