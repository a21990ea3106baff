"""The file that a command reads: how it can be said to be read, with the same options for every command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infosift.cli.options import option

if TYPE_CHECKING:
    from infosift.data.files import ReadOptions

_PANEL = "Reading the file"


class Dates(Enum):
    """What becomes of dates."""

    days = "days"
    expand = "expand"


class Decimal(Enum):
    """Which mark is decimal."""

    comma = "comma"
    point = "point"


_DATA = typer.Argument(
    metavar="DATA",
    help="A CSV, TSV, Parquet, Arrow or Excel file, or a folder of Parquet files; - is standard input.",
    show_default=False,
)


@dataclass(frozen=True)
class Source:
    """A file, and how it is to be read; each field is an argument or option of the commands that read one."""

    file: Annotated[str, _DATA]
    encoding: Annotated[
        str | None,
        option(panel=_PANEL, metavar="NAME", help="That of text, such as latin-1.", show_default="utf-8"),
    ] = None
    comment: Annotated[
        str | None, option(panel=_PANEL, metavar="SIGN", help="How lines begin that are comments, such as '#'.")
    ] = None
    decimal: Annotated[
        Decimal | None,
        option(
            panel=_PANEL,
            metavar="MARK",
            help="comma or point: which one is decimal.",
            show_default="as the file shows",
        ),
    ] = None
    no_header: Annotated[
        bool, option("--no-header", panel=_PANEL, help="There are no names; columns are called 0, 1, 2 ...")
    ] = False
    sheet: Annotated[
        str | None,
        option(panel=_PANEL, metavar="NAME", help="The sheet of an Excel file.", show_default="the first"),
    ] = None
    dates: Annotated[
        Dates,
        option(
            panel=_PANEL,
            metavar="HOW",
            help="As numbers of days (days), or with weekdays and months as categories too (expand).",
        ),
    ] = Dates.days

    @property
    def reading(self) -> ReadOptions:
        """How to read the file."""
        from infosift.data.files import ReadOptions

        decimal = None if self.decimal is None else self.decimal.value
        return ReadOptions(self.encoding, self.comment, decimal, not self.no_header, self.sheet)


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, in place of its parameter ``source``, the argument and the options of a source."""
    own = inspect.signature(command, eval_str=True).parameters
    of_source = inspect.signature(Source, eval_str=True).parameters

    @wraps(command)
    def reading(**given: Any) -> None:
        command(source=Source(**{name: given.pop(name) for name in of_source}), **given)

    by_keyword = inspect.Parameter.KEYWORD_ONLY
    others = [parameter for name, parameter in own.items() if name != "source"]
    shown = inspect.Signature([one.replace(kind=by_keyword) for one in (*of_source.values(), *others)])
    reading.__signature__ = shown  # type: ignore[attr-defined]
    reading.__annotations__ = {name: parameter.annotation for name, parameter in shown.parameters.items()}
    return reading
