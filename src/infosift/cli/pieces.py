"""Commands for the pieces of the procedure: the choice of k, one test, the information of a set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from infosift.cli import options
from infosift.cli.running import (
    PICTURE_DPI,
    failing_in_one_sentence,
    require_drawable,
    require_writable,
    warnings_as_notes,
    writing,
)

if TYPE_CHECKING:
    import polars as pl

Names = Annotated[
    list[str], typer.Argument(help="Columns, apart or with commas between them.", show_default=False)
]
Given = Annotated[
    list[str] | None,
    typer.Option(help="Columns that are known, with commas between them; may be repeated.", show_default=False),
]


def neighbors(
    file: options.File,
    target: options.Target,
    ignore: options.Ignore = None,
    categorical: options.Categorical = None,
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
        from infosift.terminal import print_choice

        for path in (json, plot):
            require_writable(path, besides=Path(file))
        require_drawable(plot)
        frame, values = _read(file, target, ignore or (), categorical or ())
        kinds = _kinds(categorical or (), frame.columns, target)
        with warnings_as_notes():
            choice = choose_n_neighbors(frame, values, random_state=seed, n_jobs=jobs, **kinds)
        print_choice(choice, Console())
        if json is not None:
            with writing(json, "Evidence"):
                json.write_text(choice.to_json(indent=1), encoding="utf-8")
        if plot is not None:
            from infosift.plots import NeighborsDisplay

            with writing(plot, "Picture"):
                drawn: Any = NeighborsDisplay.from_choice(choice).plot()
                drawn.figure_.savefig(plot, dpi=PICTURE_DPI)


def try_column(
    file: options.File,
    column: Annotated[str, typer.Argument(help="The column to test.", show_default=False)],
    target: options.Target,
    given: Given = None,
    alpha: options.Alpha = 0.05,
    null: Annotated[
        options.Null, typer.Option(help="How its copies are drawn: residual keeps their tie to the given columns.")
    ] = options.Null.residual,
    n_neighbors: options.Neighbors = None,
    categorical: options.Categorical = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    json: options.Json = None,
) -> None:
    """Test whether a column tells anything about the target, beside others if any are given.

    Example: [bold]infosift test houses.csv garden --given area,rooms --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import permutation_test
        from infosift.terminal import print_test

        require_writable(json, besides=Path(file))
        frame, values = _read(file, target, (), categorical or ())
        known = _named(given or [], frame, file)
        (tested,) = _named([column], frame, file)
        kinds = _kinds(categorical or (), [tested], target)
        more: dict[str, Any] = {} if n_neighbors is None else {"n_neighbors": n_neighbors}
        result = permutation_test(
            frame.select(tested),
            values,
            frame.select(known) if known else None,
            alpha=alpha,
            null=null.value,
            random_state=seed,
            n_jobs=jobs,
            **kinds,
            **more,
        )
        print_test(result, tested, known, target, Console())
        if json is not None:
            with writing(json, "Evidence"):
                json.write_text(result.to_json(indent=1), encoding="utf-8")


def score(
    file: options.File,
    columns: Names,
    target: options.Target,
    n_neighbors: options.Neighbors = None,
    categorical: options.Categorical = None,
) -> None:
    """Print the mutual information of a set of columns with the target, in nats.

    Example: [bold]infosift score houses.csv area,rooms --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import mutual_information

        frame, values = _read(file, target, (), categorical or ())
        asked = _named(columns, frame, file)
        kinds = _kinds(categorical or (), asked, target)
        more: dict[str, Any] = {} if n_neighbors is None else {"n_neighbors": n_neighbors}
        information = mutual_information(frame.select(asked), values, **kinds, **more)
        typer.echo(f"{information:.4f}")


def _read(file: str, target: str, ignore: Any, named: Any) -> tuple[pl.DataFrame, pl.Series]:
    from infosift.files import read_file

    return read_file(file, target, ignore, named)


def _named(asked: list[str], frame: pl.DataFrame, file: str) -> list[str]:
    """Return columns that are asked for; commas divide names, unless a column is called so."""
    from infosift.files import require_column

    names = [
        name for part in asked for name in ([part] if part in frame.columns else part.split(",")) if name.strip()
    ]
    names = [name if name in frame.columns else name.strip() for name in names]
    for name in names:
        require_column(name, frame.columns, file)
    return list(dict.fromkeys(names))


def _kinds(categorical: Any, columns: list[str], target: str) -> dict[str, Any]:
    among = [name for name in categorical if name in columns]
    return {
        "discrete_features": among or "auto",
        "discrete_target": True if target in categorical else "auto",
    }
