"""What the documentation shows runs, and says what it says it does."""

import ast
import doctest
import importlib
import inspect
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import infosift
import infosift.display.plots
import infosift.results

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = [module.name for module in pkgutil.walk_packages(infosift.__path__, "infosift.")]


@pytest.mark.docs
@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("__main__", "_kernel"))])
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


PLACES = (infosift, infosift.results, infosift.display.plots)  # where public names are
PUBLIC = {name: getattr(place, name) for place in PLACES for name in place.__all__ if name != "draw"}


@pytest.mark.parametrize("thing", PUBLIC.values(), ids=PUBLIC)
def test_public_names_have_parameters_and_an_example(thing):
    assert ">>>" in thing.__doc__
    if getattr(thing, "__init__", None) is not object.__init__:
        assert "    Parameters\n    ----------\n" in thing.__doc__


@pytest.mark.parametrize("name", [name for name in infosift.__all__ if name[0].islower() or "Selector" in name])
def test_every_parameter_is_explained(name):
    thing = getattr(infosift, name)
    for parameter in inspect.signature(thing).parameters:
        assert re.search(rf"^    ([\w, ]+, )?{parameter}(,[\w, ]+)?( :.*)?$", thing.__doc__, re.M), parameter


def test_the_reference_lists_each_name_with_its_first_sentence():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    names = re.findall(r"^::: (\S+)$", page, re.M)
    sentences = [inspect.getdoc(pkgutil.resolve_name(name)).split("\n\n")[0].replace("\n", " ") for name in names]
    lines = [f"- `{name.removeprefix('infosift.')}`: {said}" for name, said in zip(names, sentences, strict=True)]
    assert re.findall("^- `.*$", page, re.M) == lines


@pytest.mark.docs
@pytest.mark.filterwarnings("ignore:Port 8787:UserWarning")  # of a dashboard, beside another
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_in_pages_runs(page, tmp_path, monkeypatch, capsys):
    """What stands as a tuple or list behind a print is printed, and so is the text right after the code.

    "py" is code of packages that may be missing.
    """
    monkeypatch.chdir(tmp_path)
    pattern = r"```(py|python)\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    blocks = re.findall(pattern, page.read_text(encoding="utf-8"), flags=re.S)
    namespace = {"__name__": "__main__"}
    for language, block, output in blocks:
        if language == "py" and not all(map(find_spec, packages_of(block))):
            continue
        capsys.readouterr()
        exec(compile(block, page.name, "exec"), namespace)
        said = re.findall(r"^print\(.*\)  # ([(\[].*[)\]])", block, flags=re.M)
        printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
        assert [line for line in printed if line in said] == said
        assert "\n".join(printed).endswith(output.rstrip())


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "docs" / "gallery").glob("*.py"))], ids=lambda page: page.name
)
def test_selectors_in_pipelines_pass_on_a_feature(page):
    """Where nothing is selected in a fold, the model would have no column, and the score would be nan."""
    text = page.read_text(encoding="utf-8")
    blocks = [text] if page.suffix == ".py" else re.findall(r"```py(?:thon)?\n(.*?)```", text, flags=re.S)
    for block in (block for block in blocks if re.search(r"make_pipeline\(|Pipeline\(|cross_val", block)):
        for call in re.findall(r"MutualInfoSelector\((.*)\)", block):
            assert "min_features=1" in call


@pytest.mark.endurance
@pytest.mark.skipif(sys.platform == "win32", reason="the shell of the pages is that of Unix")
def test_code_of_readme_and_quick_start_runs_after_their_line_of_installation(tmp_path):
    """In an environment that has nothing but what the line installs."""
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", ROOT / "docs" / "index.md")]
    (line,) = {
        line.partition("#")[0].strip() for page in pages for line in re.findall("^pip install .*$", page, re.M)
    }
    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / "bin"
    subprocess.run([programs / "python", "-m", *shlex.split(line)], cwd=ROOT, check=True)
    write_houses(tmp_path)
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "BROWSER": "true"}
    variables.pop("PYTHONPATH", None)
    for page in pages:
        blocks = re.findall(r"```(sh|python)\n(.*?)```", page, flags=re.S)
        shell = "\n".join(code.replace(line, ":") for language, code in blocks if language == "sh")
        python = "\n".join(code for language, code in blocks if language == "python")
        for command in (["bash", "-ec", shell], [programs / "python", "-c", python]):
            subprocess.run(command, cwd=tmp_path, env=variables, check=True)


def write_houses(folder):
    """Write the files that the pages name."""
    rows = np.random.default_rng(0).normal(size=(60, 3)).round(3)
    for name, target in {"your.csv": "your_column", "houses.csv": "price"}.items():
        np.savetxt(folder / name, rows, fmt="%g", delimiter=",", header=f"area,age,{target}", comments="")


def packages_of(code):
    nodes = ast.walk(ast.parse(code))
    return {node.module.partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_in_pages_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not link.startswith("http"):
            assert (page.parent / link).exists(), link
