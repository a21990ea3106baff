"""The command line: options to a table, to the selector, to files and the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from infosift.cli.options import Command
from infosift.cli.output import errors_in_one_sentence, lasting_streams, warnings_as_notes
from infosift.cli.select import RankCommand, SelectCommand, StabilityCommand

# In the order of the help. Those in ``cli.tools`` are imported when one of them, or the help, is asked for.
_ORDER = ("select", "view", "rank", "stability", "neighbors", "test", "score", "demo")


def _run_command(command: Any, **_: Any) -> None:
    """Run a command, whose fields Typer has filled in: warnings are notes, bad input is one sentence."""
    with errors_in_one_sentence(), warnings_as_notes(quiet=getattr(command, "quiet", False)):
        command.run()


class Commands(TyperGroup):
    """The commands; a file in their place is pointed to the one that selects."""

    def _import_others(self) -> None:
        """Add the commands that have not been imported."""
        from infosift.cli.tools import DemoCommand, NeighborsCommand, ScoreCommand, TestCommand, ViewCommand

        others = typer.Typer(rich_markup_mode="rich")
        for command in (ViewCommand, NeighborsCommand, TestCommand, ScoreCommand, DemoCommand):
            others.command(command.__name__.removesuffix("Command").lower(), cls=Command)(command)
        self.commands = {**self.commands, **typer.main.get_group(others).commands}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        self._import_others()
        return list(_ORDER)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name."""
        if cmd_name in _ORDER and cmd_name not in self.commands:
            self._import_others()
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names."""
        if args[0] not in _ORDER and ("." in args[0] or Path(args[0]).exists()):
            ctx.fail(f"{args[0]} is no command: to select its features, infosift select {args[0]} -t COLUMN.")
        if args[0] not in _ORDER:
            self._import_others()  # so that a name that is nearly theirs is found, too
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="infosift",
    cls=Commands,
    help="Select the features of a table that together are most informative about a target.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    result_callback=_run_command,
)
for _command in (SelectCommand, RankCommand, StabilityCommand):
    app.command(_command.__name__.removesuffix("Command").lower(), cls=Command)(_command)


@app.callback(invoke_without_command=True)
def _main(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        from importlib.metadata import version as version_of

        typer.echo(f"infosift {version_of('infosift')}")
        raise typer.Exit


def run() -> None:
    """Run the command line."""
    with lasting_streams():
        app()
