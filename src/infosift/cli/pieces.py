"""Commands for the pieces of the procedure: the choice of k, one test, the information of a subset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from infosift.cli import options
from infosift.cli.running import (
    console_beside,
    failing_in_one_sentence,
    require_drawable,
    require_possible,
    warnings_as_notes,
    write_picture,
    write_text,
)
from infosift.cli.sources import Source, reads_a_file
from infosift.cli.tables import Columns, read_table
from infosift.errors import InputError

Names = Annotated[
    list[str],
    typer.Argument(help="Features, apart or with commas between them.", show_default=False),
]
Given = Annotated[
    list[str] | None,
    options.option(metavar="NAMES", help="Features to condition on, with commas or repeated."),
]


@reads_a_file
def neighbors(
    source: Source,
    target: options.Target,
    ignore: options.Ignore = None,
    missing: options.RowsMissing = options.MissingRows.error,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    json: options.Json = None,
    plot: options.ChoicePlot = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
) -> None:
    """Show which number of neighbours the published method would choose, and why.

    Example: [bold]infosift neighbors houses.csv --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import choose_n_neighbors
        from infosift.display.terminal import print_choice

        require_possible({"--json": json}, {"--plot": plot}, {"the data": Path(source.file)})
        require_drawable(plot)
        named = Columns(ignore=ignore or [], categorical=categorical or [])
        table = read_table(source, target, named)
        names = table.names
        table = table.without_gaps(names, missing, may_ignore=True)
        discrete: dict[str, Any] = options.discrete(table.named.categorical, names, target, target_kind)
        with warnings_as_notes():
            choice = choose_n_neighbors(table.features, table.target, random_state=seed, n_jobs=jobs, **discrete)
        print_choice(choice, console_beside(json))
        if json is not None:
            write_text(json, choice.to_json(indent=1), "Evidence")
        if plot is not None:
            from infosift.display.plots import NeighborsDisplay

            write_picture(NeighborsDisplay.from_choice(choice).plot(), plot)


@reads_a_file
def try_feature(
    source: Source,
    feature: Annotated[str, typer.Argument(help="The feature to test.", show_default=False)],
    target: options.Target,
    given: Given = None,
    alpha: options.Alpha = 0.05,
    missing: options.RowsMissing = options.MissingRows.error,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    null: options.NullOfTest = options.Null.residual,
    n_neighbors: options.Neighbors = None,
    json: options.Json = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
) -> None:
    """Test whether a feature is informative about the target, conditional on others where these are given.

    The p-value is that of a single test by nearest neighbours. It is not
    adjusted for the number of features, as those of infosift select are.

    Example: [bold]infosift test houses.csv garden --given area,rooms --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import permutation_test
        from infosift.display.terminal import print_test

        require_possible({"--json": json}, {}, {"the data": Path(source.file)})
        named = Columns(asked=[feature], given=given or [], categorical=categorical or [])
        table = read_table(source, target, named)
        known, tested = table.named.given, _one(table.named.asked)
        table = table.without_gaps(list(dict.fromkeys([tested, *known])), missing)
        discrete: dict[str, Any] = options.discrete(table.named.categorical, [tested], target, target_kind)
        more: dict[str, Any] = {} if n_neighbors is None else {"n_neighbors": n_neighbors}
        with warnings_as_notes():
            result = permutation_test(
                table.features.select(tested),
                table.target,
                table.features.select(known) if known else None,
                alpha=alpha,
                null=null.value,
                random_state=seed,
                n_jobs=jobs,
                **discrete,
                **more,
            )
        print_test(result, tested, known, target, console_beside(json))
        if json is not None:
            write_text(json, result.to_json(indent=1), "Evidence")


@reads_a_file
def score(
    source: Source,
    features: Names,
    target: options.Target,
    missing: options.RowsMissing = options.MissingRows.error,
    categorical: options.Categorical = None,
    target_kind: options.KindOfTarget = options.TargetKind.auto,
    n_neighbors: options.Neighbors = None,
) -> None:
    """Print the mutual information of a subset of features with the target, in nats.

    The estimate depends on the number of neighbours. It differs from that of
    infosift select, which takes the mean over several numbers of them.

    Example: [bold]infosift score houses.csv area,rooms --target price[/bold]
    """
    with failing_in_one_sentence():
        from infosift import KSG, mutual_information

        named = Columns(asked=features, categorical=categorical or [])
        table = read_table(source, target, named)
        asked = table.named.asked
        table = table.without_gaps(asked, missing)
        discrete: dict[str, Any] = options.discrete(table.named.categorical, asked, target, target_kind)
        count = KSG().default_value(len(table.target)) if n_neighbors is None else n_neighbors
        information = mutual_information(table.features, table.target, n_neighbors=count, **discrete)
        typer.echo(f"{information:.4f} nats ({count} neighbour{'s' * (count != 1)})")


def _one(asked: list[str]) -> str:
    if len(asked) != 1:
        raise InputError(
            f"Features are tested one by one, and there are {len(asked)}: name one, and others by --given."
        )
    return asked[0]
