"""Options: their choices are those of the registries of the library, in help, completion and refusals."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from infosift.cli import app
from infosift.comparison import MODELS
from infosift.criteria import CRITERIA, KSG
from infosift.search.registry import METHODS, SEARCHES

REGISTRIES = {"--criterion": CRITERIA, "--search": SEARCHES, "--method": METHODS, "--check-model": MODELS}
CHOICES = [*REGISTRIES, "--missing", "--scale", "--null", "--control"]


def infosift(*arguments):
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("option", CHOICES)
def test_other_values_are_refused_with_the_choices(option):
    result = infosift("select", "none.csv", "-t", "y", option, "sideways")
    assert result.exit_code == 2
    said = " ".join(result.stderr.replace("│", " ").split())
    assert f"Invalid value for '{option}': 'sideways' is not one of '" in said
    for name in REGISTRIES.get(option, ()):
        assert f"'{name}'" in said


def test_what_is_registered_later_is_a_choice(monkeypatch, tmp_path):
    monkeypatch.setitem(CRITERIA, "mine", KSG(n_neighbors=3))
    assert "series, mine." in infosift("select", "--help").stdout
    result = infosift("select", tmp_path / "none.csv", "-t", "y", "--criterion", "mine")
    assert "There is no file" in result.stderr


def test_help_starts_without_numpy():
    code = "import sys, infosift.cli; print(*{'numpy', 'joblib', 'polars'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


@pytest.mark.parametrize("option", ["--search"])
def test_a_shell_completes_choices(option):
    environment = {
        **os.environ,
        "_INFOSIFT_COMPLETE": "complete_bash",
        "COMP_WORDS": f"infosift select {option} ",
        "COMP_CWORD": "3",
    }
    code = "from infosift.cli import app; app(prog_name='infosift')"
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert found.stdout.split() == list(REGISTRIES[option])
