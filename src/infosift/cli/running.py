"""How commands run: failures in one sentence, warnings as notes, results in files that harm nothing."""

from __future__ import annotations

import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand

from infosift.cli.options import RESAMPLES
from infosift.display.hints import OPTIONS, OPTIONS_OF_PARTS, on_command_line
from infosift.errors import DataWarning, InputError, counted_from, in_words, on_one_line
from infosift.io import write_file
from infosift.progress import INTERRUPTED

BAD_INPUT = 2
OUT_OF_TIME = 124  # as of the command timeout
STANDARD_INPUT, STANDARD_OUTPUT = "-", Path("-")
_PICTURE_DPI = 150
_OPTIONS = {
    **OPTIONS,
    **{name.partition("__")[2]: option for name, option in OPTIONS_OF_PARTS.items()},
    "decimal": "--decimal",
    "groups": "--groups",
    "n_jobs": "--jobs",
    "n_neighbors": "--n-neighbors",
    "n_resamples": "--resamples",
    "time_limit": "--time-limit",
}
_ROW_FROM_ZERO = re.escape(counted_from(0, 0)).replace("0", "([0-9]+)", 1)
_PICTURES = (".png", ".svg", ".pdf")


class WithNumbersLeftOut(TyperCommand):
    """A command whose option --stability has a number, or stands for one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the number where it is left out."""
        said = [
            f"--stability={RESAMPLES}" if word == "--stability" and not is_number else word
            for word, is_number in zip(args, [*map(_is_number, args[1:]), False], strict=True)
        ]
        return list(super().parse_args(ctx, said))


def _is_number(word: str) -> bool:
    return word.removeprefix("-").isdecimal()


@contextmanager
def failing_in_one_sentence() -> Iterator[None]:
    """Turn bad input and interrupts into a sentence and an exit code."""
    try:
        yield
    except InputError as error:
        stop(_in_terms_of_options(str(error)), BAD_INPUT)
    except KeyboardInterrupt:
        stop("Interrupted.", INTERRUPTED)


def _in_terms_of_options(message: str) -> str:
    """Name options where a message begins with a parameter, or says which value to give to one.

    Rows are counted from 1 here.
    """

    def option(found: re.Match[str]) -> str:
        return f"{_OPTIONS[found[1]]} {shlex.quote(found[2])}" if found[1] in _OPTIONS else found[0]

    message = re.sub(_ROW_FROM_ZERO, lambda row: counted_from(1, int(row[1])), message)
    message = re.sub(r'\bignore=\[("[^\]]+)\]', lambda names: _repeated("--ignore", names[1]), message)
    message = re.sub(r'\b([a-z_]+)="([^"]+)"', option, message)
    return re.sub("^[a-z_]+", lambda name: _OPTIONS.get(name[0], name[0]), message)


def _repeated(option: str, names: str) -> str:
    """Return an option once for each of some names in quotes."""
    return " ".join(f"{option} {shlex.quote(name)}" for name in re.findall('"([^"]+)"', names))


def stop(message: str, code: int) -> NoReturn:
    """Say a sentence and leave."""
    Console(stderr=True, soft_wrap=True).print(Text(on_one_line(message), style="red"))
    raise typer.Exit(code)


@contextmanager
def warnings_as_notes(quiet: bool = False) -> Iterator[None]:
    """Show each warning once and at once, without where it comes from, with options in place of parameters.

    What the developers of a package are warned of is no news to who runs a command.
    """
    said: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if isinstance(message, DataWarning):
            sentence = in_words(message.parts, on_command_line, first_row=1)
        else:
            sentence = _in_terms_of_options(str(message))
        sentence = on_one_line(sentence)
        if not quiet and sentence not in said:
            said.add(sentence)
            Console(stderr=True).print(Text(f"Note: {sentence}", style="yellow"))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in (DeprecationWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield


def require_possible(
    texts: Mapping[str, Path | None], others: Mapping[str, Path | None], inputs: Mapping[str, Path | None]
) -> None:
    """Refuse, before the work begins, results that could not be written, or would take the place of something.

    ``texts`` and ``others`` are files by their options, ``inputs`` are files by what they are.
    """
    require_one_on_standard_output(list(texts.values()), list(others.values()))
    asked = {option: path for option, path in {**texts, **others}.items() if path not in (None, STANDARD_OUTPUT)}
    for path in asked.values():
        for what, read in inputs.items():
            if read is not None and _is_same(path, read):
                raise InputError(f"{path} is {what}: give another file for the results.")
        _require_writable(path)
    for (one, path), (other, another) in combinations(asked.items(), 2):
        if _is_same(path, another):
            raise InputError(f"{one} and {other} are the same file, {path}: give another file for one of them.")


def _is_same(path: Path, other: Path) -> bool:
    """Tell whether two paths lead to one file; to devices and pipes anything may go."""
    if path.exists() and not path.is_file():
        return False
    if str(other) == STANDARD_INPUT:
        with suppress(OSError):
            return path.exists() and os.path.samestat(path.stat(), os.fstat(0))
        return False
    if path.exists() and other.exists():
        return path.samefile(other)
    return os.path.realpath(path) == os.path.realpath(other)


def _require_writable(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file for the results.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} to.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path} may not be written: give another file for the results.")


def require_one_on_standard_output(texts: list[Path | None], others: list[Path | None]) -> None:
    """Refuse two results on standard output, and any that is no text there."""
    if texts.count(STANDARD_OUTPUT) > 1:
        raise InputError(
            "--json and --csv cannot both be -, which is standard output: name a file for one of them."
        )
    if STANDARD_OUTPUT in others:
        raise InputError("- is standard output, for --json and --csv only: name a file for the other results.")


def console_beside(*results: Path | None) -> Console:
    """Return where to print for people: on standard error where a result goes to standard output."""
    return Console(stderr=STANDARD_OUTPUT in results)


def require_drawable(plot: Path | None, needed: bool = False) -> None:
    """Refuse early a picture of an unknown kind, or any without matplotlib; also where one is needed otherwise."""
    if plot is not None and plot.suffix.lower() not in _PICTURES:
        raise InputError(f"{plot} is no picture: its name must end in one of {', '.join(_PICTURES)}.")
    if plot is not None or needed:
        from infosift.display.plots.canvas import require_matplotlib

        require_matplotlib()


def write_text(path: Path, text: str, what: str, quiet: bool = False) -> None:
    """Write a result to a file, or to standard output."""
    if path != STANDARD_OUTPUT:
        with writing(path, what, quiet):
            write_file(path, text.encode())
        return
    with writing(path, what, quiet=True):
        sys.stdout.buffer.write(text.rstrip("\n").encode() + b"\n")
        sys.stdout.buffer.flush()


@contextmanager
def writing(path: Path, what: str, quiet: bool = False) -> Iterator[None]:
    """Say what was written where, or why it could not be."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{what} could not be written to {path} ({error.strerror}).") from error
    if not quiet:
        Console(stderr=True).print(Text(f"{what} written to {path}", style="dim"))


def write_picture(display: Any, path: Path, quiet: bool = False) -> None:
    """Write what a display has drawn; letters that the font does not have are boxes, and no news."""
    drawn = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s)Glyph .* missing from font", category=UserWarning)
        display.figure_.savefig(drawn, format=path.suffix[1:].lower(), dpi=_PICTURE_DPI)
    with writing(path, "Picture", quiet):
        write_file(path, drawn.getvalue())


def write_each(writers: Iterable[Callable[[], None]]) -> None:
    """Write several results; one that cannot be written does not keep the others from being so."""
    refused = []
    for write in writers:
        try:
            write()
        except InputError as error:
            refused.append(str(error))
    if refused:
        raise InputError(" ".join(refused))
