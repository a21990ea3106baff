"""The gallery: examples are run when the pages are built, and each becomes a page, a script and a notebook.

An example is a script in ``docs/gallery``, in the cells that editors, Jupytext and sphinx-gallery know: a
docstring with the title, a sentence for the overview and an introduction; then ``# %%``, a text in comments, and
code. Each example runs in a process of its own in which every warning is an error. What its cells print and the
figures that they draw are shown below them. One that fails fails the build.

Nothing is written beside the sources: results are in ``build/gallery``, and are used again while the script, the
package and all that is installed stay the same.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "gallery"
RESULTS = ROOT / "build" / "gallery"
PLACE_OF_CARDS = re.compile(r"<!-- examples -->\n(.*)<!-- end -->", flags=re.S)
_AT_ONCE = 2
_DPI = 150  # of the files; pages show a hundred pixels to the inch
_WITHOUT_CONTENTS = "---\nhide: [toc]\n---"  # code has the room of a table of contents that would be empty
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)]+)\)")


class ExampleError(Exception):
    """An example cannot be read, or failed when it ran."""


@dataclass(frozen=True)
class Cell:
    """A text in Markdown, and the code that follows it; ``line`` is the number of its first line."""

    text: str
    code: str
    line: int


@dataclass(frozen=True)
class Example:
    """A script: its title, a sentence about it for the overview, and its cells."""

    name: str
    title: str
    sentence: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Figure:
    """A file with a figure, its width on a page, and what is written above its axes."""

    file: str
    width: int
    title: str


@dataclass(frozen=True)
class Shown:
    """What a cell printed and drew."""

    printed: str
    figures: tuple[Figure, ...]


def read_example(path: Path) -> Example:
    """Read the cells of a script."""
    source = path.read_text(encoding="utf-8")
    first = ast.parse(source).body[:1]
    paragraphs = re.split(r"\n\s*\n", ast.get_docstring(ast.parse(source)) or "")
    if len(paragraphs) < 2:
        raise ExampleError(f"{path.name} needs a docstring with a title, an empty line and a sentence about it.")
    lines = source.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    introduction = "\n\n".join([f"# {paragraphs[0]}", *paragraphs[1:]])
    head = Cell(introduction, *_code(lines, first[0].end_lineno, starts[:1]))
    cells = [_read_cell(lines, start, starts[place : place + 1]) for place, start in enumerate(starts, 1)]
    sentence = " ".join(paragraphs[1].split())
    return Example(path.stem, paragraphs[0], sentence, (head, *cells))


def _read_cell(lines: list[str], start: int, following: list[int]) -> Cell:
    end = start + 1
    while end < len(lines) and lines[end].startswith("#") and end not in following:
        end += 1
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[start + 1 : end])
    return Cell(text, *_code(lines, end, following))


def _code(lines: list[str], start: int | None, following: list[int]) -> tuple[str, int]:
    """Return the code from a line up to the next cell, and the number of its first line."""
    start, end = start or 0, following[0] if following else len(lines)
    while start < end and not lines[start].strip():
        start += 1
    return "\n".join(lines[start:end]).rstrip(), start + 1


def run_in_this_process(path: Path, folder: Path) -> list[Shown]:
    """Run the cells of an example one after the other; figures go into a folder."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.show = lambda *args, **options: None  # figures are collected below instead
    shown, namespace = [], {"__name__": "__main__"}
    for number, cell in enumerate(read_example(path).cells):
        printed = io.StringIO()
        with redirect_stdout(printed):
            # The empty lines make tracebacks name the lines of the file.
            exec(compile("\n" * (cell.line - 1) + cell.code, str(path), "exec"), namespace)
        figures = []
        for figure in map(pyplot.figure, pyplot.get_fignums()):
            file = f"{path.stem}-{number}-{len(figures)}.png"
            figure.savefig(folder / file, dpi=_DPI)
            titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
            title = re.sub(r"[\s\[\]]+", " ", "; ".join(filter(None, titles)))
            figures.append(Figure(file, round(100 * figure.get_figwidth()), title))
        pyplot.close("all")
        shown.append(Shown(printed.getvalue(), tuple(figures)))
    return shown


def run_example(path: Path, folder: Path) -> list[Shown]:
    """Run an example in a process of its own, unless it ran before and nothing has changed since."""
    folder.mkdir(parents=True, exist_ok=True)
    kept, key = folder / f"{path.stem}.json", _key(path)
    if kept.exists() and (result := json.loads(kept.read_text(encoding="utf-8")))["key"] == key:
        return _shown(result["shown"])
    kept.unlink(missing_ok=True)
    command = [sys.executable, __file__, str(path.resolve()), str(folder.resolve())]
    settings = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    # Later filters come first: what whoever builds the pages lets pass still passes.
    settings["PYTHONWARNINGS"] = ",".join(filter(None, ("error", os.environ.get("PYTHONWARNINGS"))))
    started = perf_counter()
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            command, cwd=elsewhere, env=os.environ | settings, capture_output=True, encoding="utf-8", check=False
        )
    if done.returncode:
        raise ExampleError(f"{path.name} failed:\n{done.stderr.strip()}")
    shown = json.loads(done.stdout.splitlines()[-1])
    seconds = round(perf_counter() - started, 1)
    kept.write_text(json.dumps({"key": key, "seconds": seconds, "shown": shown}), encoding="utf-8")
    return _shown(shown)


def _shown(records: list[dict[str, Any]]) -> list[Shown]:
    return [Shown(cell["printed"], tuple(Figure(**figure) for figure in cell["figures"])) for cell in records]


def _key(path: Path) -> str:
    """Return a digest of all that a result depends on."""
    package = Path(find_spec("infosift").origin).parent  # type: ignore[union-attr, arg-type]
    code = sorted(file for file in package.rglob("*") if file.suffix in (".py", ".so", ".pyd"))
    installed = sorted(f"{found.name} {found.version}" for found in metadata.distributions())
    digest = hashlib.sha256("\n".join(installed).encode())
    for file in (path, Path(__file__), *code):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def run_all(paths: list[Path], folder: Path) -> dict[str, list[Shown]]:
    """Run examples, two at once, and say of all that failed why."""

    def attempt(path: Path) -> list[Shown] | ExampleError:
        try:
            return run_example(path, folder)
        except ExampleError as error:
            return error

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        results = dict(zip((path.stem for path in paths), pool.map(attempt, paths), strict=True))
    if failures := [result for result in results.values() if isinstance(result, ExampleError)]:
        raise ExampleError("\n\n".join(map(str, failures)))
    return results  # type: ignore[return-value]


def as_page(example: Example, shown: list[Shown]) -> str:
    """Return the page of an example, in Markdown."""
    parts = []
    for cell, found in zip(example.cells, shown, strict=True):
        parts.append(re.sub(r"\]\((\w+)\.py\)", r"](\1.md)", cell.text))  # other examples are pages here
        if cell.code:
            parts.append(f"```python\n{cell.code}\n```")
        if found.printed.strip():
            parts.append("```text\n" + "\n".join(map(str.rstrip, found.printed.rstrip().splitlines())) + "\n```")
        parts += [f'![{figure.title}]({figure.file}){{ width="{figure.width}" }}' for figure in found.figures]
    files = [("script", f"{example.name}.py"), ("notebook", f"{example.name}.ipynb")]
    links = [f'[Download the {kind}]({file}){{ .md-button download="{file}" }}' for kind, file in files]
    return "\n\n".join([_WITHOUT_CONTENTS, *filter(None, parts), " ".join(links)]) + "\n"


def as_notebook(example: Example) -> str:
    """Return the notebook of an example, in version 4.5 of the format, without what it prints and draws."""
    cells: list[dict[str, Any]] = []
    for cell in example.cells:
        if cell.text:
            # Pages of the site do not lie beside a notebook that was downloaded.
            cells.append({"cell_type": "markdown", "source": _LINK.sub(r"\1", cell.text)})
        if cell.code:
            cells.append({"cell_type": "code", "source": cell.code, "execution_count": None, "outputs": []})
    for number, cell in enumerate(cells):
        cell.update(id=f"cell-{number}", metadata={}, source=cell["source"].splitlines(keepends=True))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def in_order(examples: list[Example], navigation: str) -> list[Example]:
    """Return examples in the order of the navigation of the site."""
    places = re.findall(r"gallery/(\w+)\.md", navigation)
    if missing := [example.name for example in examples if example.name not in places]:
        raise ExampleError(f"mkdocs.yml does not list gallery/{missing[0]}.md under nav.")
    return sorted(examples, key=lambda example: places.index(example.name))


def as_cards(examples: list[Example], results: dict[str, list[Shown]]) -> str:
    """Return the overview: for each example its last figure, its title and a sentence."""
    cards = []
    for example in examples:
        figure = [figure for found in results[example.name] for figure in found.figures][-1]
        page = f"{example.name}.md"
        picture, title = f"[![]({figure.file})]({page})", f"**[{example.title}]({page})**"
        cards.append(f"-   {picture}\n\n    {title}\n\n    {example.sentence}\n")
    return '<div class="grid cards" markdown>\n\n' + "\n".join(cards) + "\n</div>"


def on_files(files: Any, config: Any) -> Any:
    """Run the examples and add their pages, figures and notebooks to the site; MkDocs calls this."""
    from mkdocs.exceptions import PluginError
    from mkdocs.structure.files import File

    paths = sorted(EXAMPLES.glob("*.py"))
    try:
        examples = in_order([read_example(path) for path in paths], str(config.nav))
        results = run_all(paths, RESULTS)
    except ExampleError as error:
        raise PluginError(str(error)) from error
    for example in examples:
        made = {f"{example.name}.md": as_page(example, results[example.name])}
        made[f"{example.name}.ipynb"] = as_notebook(example)
        for file, content in made.items():
            files.append(File.generated(config, f"gallery/{file}", content=content))
        for figure in (figure for found in results[example.name] for figure in found.figures):
            files.append(File.generated(config, f"gallery/{figure.file}", abs_src_path=str(RESULTS / figure.file)))
    overview = files.get_file_from_path("gallery/index.md")
    cards = as_cards(examples, results)  # in place of the list that stands there in the repository
    overview.content_string = PLACE_OF_CARDS.sub(lambda _: cards, overview.content_string)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links to scripts of examples, which lead somewhere in the repository, into links to their pages."""
    return re.sub(r"\]\(gallery/(\w+)\.py\)", r"](gallery/\1.md)", markdown)


if __name__ == "__main__":
    outcome = run_in_this_process(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps([asdict(found) for found in outcome]))
