"""What commands print and write: errors in one sentence, warnings as notes, results in files."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EINVAL, EPIPE
from io import BufferedWriter, BytesIO, FileIO, TextIOWrapper
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from infosift.display import on_command_line
from infosift.errors import DataWarning, InputError, Part, in_words, on_one_line
from infosift.progress import INTERRUPTED

if TYPE_CHECKING:
    import polars as pl

    from infosift.cli.options import SelectionOptions
    from infosift.results import Selection, Stability

STANDARD_INPUT, STANDARD_OUTPUT = "-", Path("-")
BAD_INPUT = 2
_STANDARD_ERROR = 2  # the last of the standard streams
_DOTS_PER_INCH = 150
_PICTURES = (".png", ".svg", ".pdf")
# First characters of formulas, as the Open Worldwide Application Security Project lists them (CSV injection).
_FORMULA = r"[=+\-@\t\r\n]"


def as_sentence(message: Exception) -> str:
    """Return an error or a warning on one line, with options in place of parameters and rows counted from 1."""
    parts = message.parts if isinstance(message, (InputError, DataWarning)) else (str(message),)
    return on_one_line(in_words(parts, on_command_line, first_row=1))


def stop(message: str, code: int) -> NoReturn:
    """Print a sentence in red and end with an exit code."""
    Console(stderr=True, soft_wrap=True).print(Text(on_one_line(message), style="red"))
    raise typer.Exit(code)


@contextmanager
def errors_in_one_sentence() -> Iterator[None]:
    """End with a sentence and an exit code at bad input and at an interrupt."""
    try:
        yield
    except InputError as error:
        stop(as_sentence(error), BAD_INPUT)
    except KeyboardInterrupt:
        stop("Interrupted.", INTERRUPTED)


@contextmanager
def warnings_as_notes(quiet: bool = False) -> Iterator[None]:
    """Print each warning once and at once, as a sentence; those to developers of a package are left out."""
    printed: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        sentence = as_sentence(message if isinstance(message, Warning) else UserWarning(message))
        if not quiet and sentence not in printed:
            printed.add(sentence)
            Console(stderr=True).print(Text(f"Note: {sentence}", style="yellow"))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in (DeprecationWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield


class _Stream(FileIO):
    """A standard stream whose reader may leave, or whose device may be full, without an end of the run."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.failure = error
            return len(memoryview(data))


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Go on where nobody reads what is printed, as behind ``| head``; at the end, state what could not be printed.

    Characters that the terminal cannot show are replaced.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass  # the number of a closed stream would go to the next file
    os.close(number)
    lasting = []
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        with suppress(AttributeError, OSError):  # no stream at all, or none of the system
            if stream.isatty():
                stream.reconfigure(errors="replace")
                continue
            lasting.append(raw := _Stream(stream.fileno(), "w", closefd=False))
            text = TextIOWrapper(BufferedWriter(raw), stream.encoding, "replace", line_buffering=True)
            setattr(sys, name, text)
    try:
        yield
    finally:
        for raw in lasting:
            if raw.failure is not None and raw.failure.errno not in (EPIPE, EINVAL):  # EINVAL: pipes of Windows
                print(f"What is printed could not be written ({raw.failure.strerror}).", file=sys.stderr)
                sys.exit(1)


def console_for(*results: Path | None) -> Console:
    """Return where to print for people: standard error where a result is written to standard output."""
    return Console(stderr=STANDARD_OUTPUT in results)


def require_files(
    options: SelectionOptions, more: Mapping[str, Path | None] | None = None, has_report: bool = False
) -> None:
    """Refuse, before the work begins, results of a selection that could not be written.

    ``more`` are files of one command alone, by their options.
    """
    require_writable(
        {"--json": options.json, "--csv": options.csv},
        {**(more or {}), "--plot": options.plot, "--checkpoint": options.checkpoint},
        {"the data": Path(options.file), "the file of feature groups": options.feature_groups},
    )
    require_drawable(options.plot, has_report)


def require_writable(
    texts: Mapping[str, Path | None], others: Mapping[str, Path | None], inputs: Mapping[str, Path | None]
) -> None:
    """Refuse, before the work begins, results that could not be written, or that would replace something.

    ``texts``, which may be written to standard output, and ``others`` are files by their options; ``inputs`` are
    files by what they are.
    """
    if list(texts.values()).count(STANDARD_OUTPUT) > 1:
        raise InputError(
            "--json and --csv cannot both be -, which is standard output: name a file for one of them."
        )
    if STANDARD_OUTPUT in others.values():
        raise InputError("- is standard output, for --json and --csv only: name a file for the other results.")
    paths = {option: path for option, path in {**texts, **others}.items() if path not in (None, STANDARD_OUTPUT)}
    for option, path in paths.items():
        if path == Path():
            raise InputError(f"{option} names no file: give one for the results.")
        for what, read in inputs.items():
            if read is not None and _is_same(path, read):
                raise InputError(f"{path} is {what}: give another file for the results.")
        _require_writable_file(path)
    for (one, path), (other, another) in combinations(paths.items(), 2):
        if _is_same(path, another):
            raise InputError(f"{one} and {other} are the same file, {path}: give another file for one of them.")


def _is_same(path: Path, other: Path) -> bool:
    """Tell whether two paths lead to one file; devices and pipes can take any number of results."""
    if path.exists() and not path.is_file():
        return False
    if str(other) == STANDARD_INPUT:
        with suppress(OSError):
            return path.exists() and os.path.samestat(path.stat(), os.fstat(0))
        return False
    if path.exists() and other.exists():
        return path.samefile(other)
    return os.path.realpath(path) == os.path.realpath(other)


def _require_writable_file(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file for the results.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} to.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path} may not be written: give another file for the results.")


def require_drawable(plot: Path | None, has_report: bool = False) -> None:
    """Refuse, before the work begins, pictures of an unknown format, and any picture without matplotlib."""
    if plot is not None and plot.suffix.lower() not in _PICTURES:
        raise InputError(f"{plot} is no picture: its name must end in one of {', '.join(_PICTURES)}.")
    if plot is not None or has_report:
        from infosift.display.plots.canvas import require_matplotlib

        require_matplotlib()
        import matplotlib

        matplotlib.use("agg")  # files need no window, whatever display there is


def write_results(
    options: SelectionOptions,
    evidence: Selection | Stability,
    table: Callable[[], tuple[pl.DataFrame, str]],
    picture: Callable[[], Any],
    more: Iterable[Callable[[], None]] = (),
    show: Callable[[Console], None] | None = None,
) -> None:
    """Write the results that options ask for, also where some of them cannot be written, then print the evidence.

    ``table`` returns what ``--csv`` is about with a name for it, ``picture`` draws what ``--plot`` is about,
    ``more`` write files of one command alone, and ``show`` prints.
    """

    def write_csv() -> None:
        if options.csv is not None:
            frame, what = table()
            text = (_without_formulas(frame) if options.csv_escape else frame).write_csv()
            write_text(options.csv, text, what, options.quiet)

    def write_json() -> None:
        if options.json is not None:
            write_text(options.json, evidence.to_json(indent=1), "Evidence", options.quiet)

    def write_plot() -> None:
        if options.plot is not None:
            write_picture(picture(), options.plot, options.quiet)

    refused: list[Part] = []
    for write in (write_json, write_csv, *more, write_plot):
        try:
            write()
        except InputError as error:
            refused += [" ", *error.parts] if refused else error.parts
    if show is not None and not options.quiet:
        show(console_for(options.json, options.csv))
    if refused:
        raise InputError(*refused)


@contextmanager
def writing(path: Path, what: str, quiet: bool = False) -> Iterator[None]:
    """Print what was written where, or raise why it could not be."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{what} could not be written to {path} ({error.strerror}).") from error
    if not quiet:
        Console(stderr=True).print(Text(f"{what} written to {path}", style="dim"))


def write_text(path: Path, text: str, what: str, quiet: bool = False) -> None:
    """Write a result to a file, or to standard output."""
    if path == STANDARD_OUTPUT:
        with writing(path, what, quiet=True):
            sys.stdout.buffer.write(text.rstrip("\n").encode() + b"\n")
            sys.stdout.buffer.flush()
    else:
        _write(path, text.encode(), what, quiet)


def _write(path: Path, content: bytes, what: str, quiet: bool) -> None:
    from infosift.io import write_file  # which a run that only prints does without

    with writing(path, what, quiet):
        write_file(path, content)


def _without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with a quote before names and text that a spreadsheet would compute."""
    import polars as pl
    import polars.selectors as cs

    text = (cs.string(include_categorical=True) | cs.enum()).cast(pl.String)
    frame = frame.with_columns(text.str.replace(f"^{_FORMULA}", "'$0"))
    taken = set(frame.columns)
    renamed = {}
    for name in frame.columns:
        if re.match(_FORMULA, name):
            renamed[name] = f"'{name}"
            while renamed[name] in taken:
                renamed[name] = f"'{renamed[name]}"
            taken.add(renamed[name])
    return frame.rename(renamed)


def write_picture(display: Any, path: Path, quiet: bool = False) -> None:
    """Write what a display has drawn; letters that the font lacks are boxes, without a warning."""
    drawn = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(?s)Glyph .* missing from font", category=UserWarning)
        display.figure_.savefig(drawn, format=path.suffix[1:].lower(), dpi=_DOTS_PER_INCH)
    _write(path, drawn.getvalue(), "Picture", quiet)


def write_report(selection: Selection, page: Path, others: dict[str, Any], quiet: bool = False) -> None:
    """Write the report of a selection, with its other results by the names that a report has for them."""
    with writing(page, "Report", quiet):
        selection.report(page, **others)


def temporary_page(name: str) -> Path:
    """Return the path of a report that is not to be kept."""
    return Path(tempfile.mkdtemp(prefix="infosift-")) / f"{name}.html"


def open_in_browser(page: Path) -> None:
    """Open a page in the default browser; where there is none, print where the page is."""
    try:
        is_open = webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        is_open = False
    if not is_open:
        sentence = f"No browser could be opened: open {page} in one."
        Console(stderr=True, soft_wrap=True).print(Text(sentence, style="yellow"))
