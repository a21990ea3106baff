"""Files that commands write: whole or not at all, never in the place of others, without formulas where asked."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import Selection
from infosift.cli import app
from samples import friedman, small_selection
from studies.outcome import Outcome

RESULTS = {"--json": "out", "--csv": "out", "--report": "out", "--plot": "out.png", "--checkpoint": "out"}


def infosift(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def csv(tmp_path):
    X, y = friedman(0, n=60)
    path = tmp_path / "houses.csv"
    pl.DataFrame(X[:, :4], schema=list("abcd")).with_columns(price=pl.Series(y)).write_csv(path)
    return path


def one_sentence(result):
    assert result.exit_code == 2, result.output
    assert len(result.stderr.strip().splitlines()) == 1
    return result.stderr.strip()


@pytest.mark.parametrize(("one", "other"), list(combinations(RESULTS, 2)))
def test_two_results_are_two_files(csv, tmp_path, one, other):
    name = "out.png" if "--plot" in (one, other) else "out"
    (tmp_path / "folder").mkdir()
    again = tmp_path / "folder" / ".." / name
    said = one_sentence(infosift("select", csv, "-t", "price", one, tmp_path / name, other, again))
    assert said.startswith(f"{one} and {other} are the same file, {tmp_path / name}: give another file")
    assert not (tmp_path / name).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows no links to everybody")
@pytest.mark.parametrize("command", ["select", "stability"])
def test_a_link_to_another_result_is_that_file(csv, tmp_path, command):
    path, link = tmp_path / "out.json", tmp_path / "link.json"
    path.write_text("mine")
    link.symlink_to(path)
    said = one_sentence(infosift(command, csv, "-t", "price", "--json", path, "--checkpoint", link))
    assert "--json and --checkpoint are the same file" in said
    assert path.read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows no links to everybody")
@pytest.mark.parametrize("option", ["--json", "--csv", "--report", "--checkpoint"])
def test_no_result_is_an_input(csv, tmp_path, option):
    link, groups = tmp_path / "link.csv", tmp_path / "groups.csv"
    link.symlink_to(csv)
    groups.write_text("a,g\nb,g\n")
    before = csv.read_bytes()
    assert f"{link} is the data: give another file" in one_sentence(
        infosift("select", csv, "-t", "price", option, link)
    )
    asked = ("select", csv, "-t", "price", "--feature-groups", groups, option, groups)
    assert f"{groups} is the file of feature groups: give another" in one_sentence(infosift(*asked))
    assert csv.read_bytes() == before
    assert groups.read_text() == "a,g\nb,g\n"


def command(*arguments, **options):
    asked = [sys.executable, "-m", "infosift", *map(str, arguments)]
    return subprocess.run(asked, capture_output=True, text=True, check=False, **options)


def command_with_files_of(most, *arguments):
    """Run a command that can write no file of more than some bytes, as if the disk were full."""
    import resource

    return command(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such redirection")
def test_no_result_is_standard_input(csv):
    before = csv.read_bytes()
    with csv.open("rb") as data:
        said = command("select", "-", "-t", "price", "--csv", csv, stdin=data)
    assert said.returncode == 2
    assert said.stderr.strip() == f"{csv} is the data: give another file for the results."
    assert csv.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_full_disk_leaves_every_file_as_it_was(csv, tmp_path):
    # Only the table of one feature fits.
    files = {option: tmp_path / f"out{option}.png" for option in ("--json", "--report", "--plot")}
    for path in (files["--json"], files["--report"]):
        path.write_text("before")
    small = tmp_path / "selected.csv"
    asked = [part for option, path in files.items() for part in (option, path)]
    said = command_with_files_of(
        3000, "select", csv, "-t", "price", "--quiet", "--max-features", 1, *asked, "--csv", small
    )
    assert said.returncode == 2, said.stderr
    assert len(said.stderr.strip().splitlines()) == 1
    assert said.stderr.count("could not be written to") == 3
    assert files["--json"].read_text() == files["--report"].read_text() == "before"
    assert not files["--plot"].exists()
    assert small.read_text().startswith("d,price\n")
    assert not list(tmp_path.glob(".*part"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_checkpoint_that_does_not_fit_is_one_sentence(csv, tmp_path):
    said = command_with_files_of(100, "select", csv, "-t", "price", "--checkpoint", tmp_path / "state.json")
    assert said.returncode == 2
    assert said.stderr.strip() == f"The checkpoint {tmp_path / 'state.json'} cannot be written (File too large)."
    assert [path.name for path in tmp_path.iterdir()] == ["houses.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such devices")
def test_devices_are_written_to(csv, tmp_path):
    said = command("select", csv, "-t", "price", "--quiet", "--json", "/dev/stdout", "--csv", "/dev/null")
    assert Selection.from_json(said.stdout).names
    redirected = tmp_path / "out"
    with redirected.open("wb") as out:
        asked = [sys.executable, "-m", "infosift", "select", csv, "-t", "price", "--json", "/dev/stdout"]
        subprocess.run(asked, stdout=out, stderr=subprocess.DEVNULL, check=True)
    text = redirected.read_text(encoding="utf-8")
    assert "features selected for price" in text
    Selection.from_json(text[text.index("\n{") :])
    assert "(No space left on device)" in one_sentence(
        infosift("select", csv, "-t", "price", "--quiet", "--json", "/dev/full")
    )
    asked = ("select", csv, "-t", "price", "--quiet", "--json", "/dev/null", "--csv", "/dev/null")
    assert infosift(*asked).exit_code == 0


def test_a_report_is_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("before")

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        small_selection(("a", "b")).report(path)
    with pytest.raises(OSError, match="No space left on device"):
        Outcome("trial", (), {"a": 1}).save(tmp_path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


FORMULAS = ["=1+1", "+a", "-a", "@a", "\ta", "plain", "'=1", "a=1"]


@pytest.fixture
def formulas(tmp_path):
    """A table whose names and text a spreadsheet would compute."""
    rng = np.random.default_rng(0)
    kind = rng.integers(len(FORMULAS), size=200)
    frame = pl.DataFrame({"=kind": [FORMULAS[i] for i in kind], "-1": rng.normal(size=200)})
    path = tmp_path / "formulas.parquet"
    frame.with_columns(price=pl.Series(kind + frame["-1"].to_numpy() - 20)).write_parquet(path)
    return path


def test_formulas_are_escaped_where_asked(formulas, tmp_path):
    out = tmp_path / "out.csv"
    asked = ("select", formulas, "-t", "price", "--keep", "=kind,-1", "--csv", out)
    assert infosift(*asked).exit_code == 0
    as_they_are = pl.read_csv(out)
    assert as_they_are.columns == ["=kind", "-1", "price"]
    assert set(as_they_are["=kind"]) == set(FORMULAS)
    assert infosift(*asked, "--csv-escape").exit_code == 0
    escaped = pl.read_csv(out)
    assert escaped.columns == ["'=kind", "'-1", "price"]
    assert set(escaped["'=kind"]) == {"'=1+1", "'+a", "'-a", "'@a", "'\ta", "plain", "'=1", "a=1"}
    assert escaped["price"].equals(as_they_are["price"])  # negative numbers are no formulas


@pytest.mark.parametrize("command", [("rank",), ("stability", "--resamples", 2)])
def test_formulas_are_escaped_in_every_table(formulas, tmp_path, command):
    out = tmp_path / "out.csv"
    result = infosift(command[0], formulas, "-t", "price", *command[1:], "--csv", out, "--csv-escape")
    assert result.exit_code == 0, result.output
    assert set(pl.read_csv(out, infer_schema=False)["feature"]) == {"'=kind", "'-1"}


def test_escaped_names_stay_apart():
    from infosift.cli.output import _without_formulas

    assert _without_formulas(pl.DataFrame({"=a": [1], "'=a": [2]})).columns == ["''=a", "'=a"]
