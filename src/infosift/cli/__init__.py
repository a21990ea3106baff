"""The command line: arguments to a table, to the selector, to files and the terminal."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from infosift.cli import demo, half_sampling, pieces, ranking, selecting, viewing
from infosift.cli.running import WithNumbersLeftOut
from infosift.progress import INTERRUPTED

app = typer.Typer(
    name="infosift",
    help="Select the features of a table that together are most informative about a target.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
_COMMANDS: dict[str, Callable[..., None]] = {
    "select": selecting.select,
    "view": viewing.view,
    "rank": ranking.rank,
    "stability": half_sampling.stability,
    "neighbors": pieces.neighbors,
    "test": pieces.try_feature,
    "score": pieces.score,
    "demo": demo.demo,
}
for _name, _command in _COMMANDS.items():
    app.command(_name, cls=WithNumbersLeftOut if _name == "select" else None)(_command)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as version_of

        typer.echo(f"infosift {version_of('infosift')}")
        raise typer.Exit


def run() -> None:
    """Run the command line."""
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")  # a name the terminal cannot show is no reason to fail
    try:
        app()
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        # Where the key is pressed during an import, Python takes the interrupt for unhandled and ends by a signal.
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()  # which that end would leave out
        os._exit(INTERRUPTED)
