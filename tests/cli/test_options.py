"""Options: what they set, and choices that are those of the registries in help, completion and refusals."""

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from infosift import Calibrated, Filter, Forward, MutualInfoSelector, __version__
from infosift.cli import app
from infosift.criteria.ksg import KSG
from infosift.registry import CRITERIA, METHODS, MODELS, SEARCHES

REGISTRIES = {"--criterion": CRITERIA, "--search": SEARCHES, "--method": METHODS, "--check-model": MODELS}
CHOICES = [*REGISTRIES, "--missing", "--scale", "--null", "--control"]
COMMANDS = ("select", "rank", "stability", "neighbors", "test", "score", "view", "demo")
# What options set, of the parameters of a selector.
PARAMETERS = [
    (["--alpha", 0.1], {"alpha": 0.1}),
    (["--method", "published"], {"method": "published"}),
    (["--null", "circular"], {"method": Calibrated(null="circular")}),
    (["--search", "backward"], {"search": "backward"}),
    (["--search", "filter", "--control", "fdr"], {"search": Filter(control="fdr")}),
    (["--control", "fdr"], {"search": Forward(control="fdr")}),
    (["--search", "filter", "--control", "none"], {"search": Filter(control=None)}),
    (["--criterion", "gaussian-copula"], {"criterion": "gaussian-copula"}),
    (["--scale", "rank"], {"scale": "rank"}),
    (["--missing", "partial"], {"missing": "partial"}),
    (["--keep", "x5, x4"], {"keep": ["x5", "x4"]}),
    (["--min-features", 2, "--max-features", 3], {"min_features": 2, "max_features": 3}),
    (["--categorical", "x1"], {"discrete_features": ["x1"]}),
    (["--categorical", "price"], {"discrete_target": "classes"}),
    (["--target-kind", "classes"], {"discrete_target": "classes"}),
    (["--target-kind", "numbers"], {"discrete_target": "numbers"}),
    (["--seed", 3, "--jobs", 1], {"random_state": 3, "n_jobs": 1}),
    (["--progress"], {"verbose": True}),
    (["--time-limit", 60], {"time_limit": 60.0}),
]


@pytest.mark.parametrize(("words", "expected"), PARAMETERS, ids=lambda value: " ".join(map(str, value)))
@pytest.mark.parametrize("command", ["select", "rank"])
def test_options_set_parameters(infosift, csv, fits, command, words, expected):
    result = infosift(command, csv, "-t", "price", *words)
    assert result.exit_code == 0, result.output
    (fit,) = fits
    # Objects are compared as they are written.
    assert {name: repr(fit.parameters[name]) for name in expected} == {k: repr(v) for k, v in expected.items()}


def test_options_of_a_selection_on_half_samples_are_the_same(infosift, csv, monkeypatch):
    selectors = []

    def measure(selector, *_, **__):
        selectors.append(selector)
        raise KeyboardInterrupt

    monkeypatch.setattr("infosift.stability.selection_stability", measure)
    words = [word for words, _ in PARAMETERS[:4] for word in words if word not in ("--method", "published")]
    assert infosift("stability", csv, "-t", "price", *words).exit_code == 130
    assert repr(selectors[0]).startswith("MutualInfoSelector(alpha=0.1, method=Calibrated(null='circular')")


def test_defaults_are_those_of_the_selector(infosift, csv, fits):
    assert infosift("select", csv, "-t", "price").exit_code == 0
    of_the_command = {"random_state": 0, "n_jobs": -1, "verbose": False}
    assert fits[0].parameters == {**MutualInfoSelector().get_params(deep=False), **of_the_command}


def test_options_for_other_methods_and_searches_are_refused(refused, csv):
    asked = ("select", csv, "-t", "price")
    said = refused(*asked, "--null", "circular", "--method", "published")
    assert said == "--null is for --method calibrated: choose that, or leave --null out."
    said = refused(*asked, "--control", "fdr", "--search", "backward")
    assert said == "--control is for --search forward or filter: choose that, or leave --control out."


@pytest.mark.parametrize("option", CHOICES)
def test_other_values_are_refused_with_the_choices(infosift, option):
    result = infosift("select", "none.csv", "-t", "y", option, "sideways", width=200)
    assert result.exit_code == 2
    said = " ".join(result.stderr.replace("│", " ").split())
    assert f"Invalid value for '{option}': 'sideways' is not one of '" in said
    for name in REGISTRIES.get(option, ()):
        assert f"'{name}'" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seed", "abc"], r"'--seed': (it must be an integer\.|'abc' is not a valid integer)"),
        (["--alpha", "x"], r"'--alpha': (it must be a number\.|'x' is not a valid float)"),
        (["--max-features", "0"], r"'--max-features': (it must be at least 1\.|0 is not in the range)"),
    ],
)
def test_other_words_than_numbers_are_refused_in_plain_words(infosift, words, said):
    result = infosift("select", "none.csv", "-t", "y", *words, width=200)
    assert result.exit_code == 2
    assert re.search(f"Invalid value for {said}", " ".join(result.stderr.split()))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--stability", "0"], "--stability must be an even number of half-samples, at least 2, not 0."),
        (["--stability", "3"], "--stability must be an even number of half-samples, at least 2, not 3."),
        (["--report", ""], "--report names no file: give one for the results."),
        (["--json", ""], "--json names no file: give one for the results."),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_work(refused, csv, words, said):
    assert refused("select", csv, "-t", "price", *words) == said


def test_what_is_registered_later_is_a_choice(refused, monkeypatch):
    monkeypatch.setitem(CRITERIA, "mine", KSG(n_neighbors=3))
    assert "series, mine." in CliRunner(env={"COLUMNS": "200"}).invoke(app, ["select", "--help"]).stdout
    assert "There is no file" in refused("select", "none.csv", "-t", "y", "--criterion", "mine")


def test_a_shell_completes_choices():
    completion = {"_INFOSIFT_COMPLETE": "complete_bash", "COMP_CWORD": "3"}
    completion["COMP_WORDS"] = "infosift select --search "
    assert CliRunner(env=completion).invoke(app, [], prog_name="infosift").stdout.split() == list(SEARCHES)


def test_the_command_line_starts_without_numpy():
    code = "import sys, infosift.cli; print(*{'numpy', 'joblib', 'polars'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


def test_the_version(infosift):
    assert infosift("--version").stdout.strip() == f"infosift {__version__}"
    module = subprocess.run([sys.executable, "-m", "infosift", "--version"], capture_output=True, check=True)
    assert module.stdout.decode().strip() == f"infosift {__version__}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example(infosift, command):
    assert f"Example: infosift {command} " in " ".join(infosift(command, "--help").stdout.split())


@pytest.mark.parametrize("width", [80, 120])
def test_help_fits_a_terminal(infosift, width):
    said = infosift("select", "--help", width=width).stdout
    titles = [line.split("─ ")[1].split(" ─")[0] for line in said.splitlines() if "╭─ " in line]
    assert titles[:4] == ["Arguments", "Options", "Reading the file", "What columns hold"]
    assert titles[4:] == ["Which features", "How to test", "Results", "Running"]
    options = [line for line in said.splitlines() if line.lstrip("│* ").startswith("--")]
    assert len(options) > 30
    # Each has a line or a few: nothing makes the column of help texts narrow.
    assert len(said.splitlines()) < 3.5 * len(options)
