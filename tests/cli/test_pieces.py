"""The commands for the pieces of the procedure, and what a person sees in a terminal."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import Selection, choose_n_neighbors, mutual_information
from infosift.cli import app
from infosift.results import NeighborChoice, PermutationTest
from samples import friedman
from studies.simulated import walks


def infosift(*arguments, **options):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments], **options)


@pytest.fixture(scope="module")
def frame():
    X, y = friedman(0)
    return pl.DataFrame(X[:, :6], schema=[f"x{i}" for i in range(6)]).with_columns(price=pl.Series(y))


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "houses.csv"
    frame.write_csv(path)
    return path


def test_neighbors(csv, frame, tmp_path):
    result = infosift(
        "neighbors", csv, "--target", "price", "--json", tmp_path / "k.json", "--plot", tmp_path / "k.svg"
    )
    assert result.exit_code == 0, result.output
    expected = choose_n_neighbors(frame.drop("price"), frame["price"], random_state=0)
    assert NeighborChoice.from_json((tmp_path / "k.json").read_text()) == expected
    chosen = f"{expected.n_neighbors} neighbours: this number separates {expected.feature} best from its shuffled"
    assert chosen in result.stdout
    assert (tmp_path / "k.svg").read_text().startswith("<?xml")


def test_one_test(csv, tmp_path):
    out = tmp_path / "test.json"
    result = infosift("test", csv, "x3", "--target", "price", "--json", out)
    assert "x3 is significantly informative about price." in result.stdout
    assert "not adjusted for the number of features" in " ".join(result.stdout.split())
    assert "not adjusted for the number of features" in " ".join(
        infosift("test", "--help").stdout.replace("│", " ").split()
    )
    assert PermutationTest.from_json(out.read_text()).significant
    result = infosift("test", csv, "x5", "--given", "x3, x4", "--given", "x0", "--target", "price")
    assert result.exit_code == 0, result.output
    assert "x5 is not significantly informative about price, conditional on x3, x4, x0." in result.stdout
    result = infosift("test", csv, "x9", "--given", "x3", "--target", "price")
    assert result.exit_code == 2
    assert 'has no column "x9": it has x0, x1' in result.stderr


def test_given_copies_are_redundant_by_residuals_and_not_by_a_shuffle(frame, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "copy.csv"
    frame.with_columns(copy=frame["x3"] + 0.05 * rng.normal(size=frame.height)).write_csv(path)
    said = {
        null: infosift("test", path, "copy", "--given", "x3", "--target", "price", "--null", null).stdout
        for null in ("residual", "shuffle")
    }
    assert "copy is not significantly informative about price, conditional on x3." in said["residual"]
    assert "copy is significantly informative about price, conditional on x3." in said["shuffle"]


def test_rows_that_depend_on_their_neighbours_are_noted(tmp_path):
    path, sample = tmp_path / "series.csv", walks(0, 200, 2)
    pl.DataFrame(sample.X, schema=["a", "b"]).with_columns(y=sample.y).write_csv(path)
    result = infosift("test", path, "a", "-t", "y")
    assert result.exit_code == 0
    assert "Note: Rows depend on those next to them in the file" in result.stderr


def test_notes_come_before_the_work_is_done(csv, monkeypatch):
    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("infosift.search.runner.Run.select", fail)
    result = infosift("select", csv, "--target", "price", "--alpha", 1e-5)
    assert result.exit_code == 130
    assert "Note: --alpha 1e-05 needs at least 153,846 permutations per test" in result.stderr


def test_score(csv, frame):
    result = infosift("score", csv, "x3,x4", "x0", "--target", "price")
    expected = mutual_information(frame.select("x3", "x4", "x0"), frame["price"])
    assert result.stdout.strip() == f"{expected:.4f} nats (6 neighbours)"


def test_a_name_with_a_comma_is_a_name(frame, tmp_path):
    path = tmp_path / "comma.csv"
    frame.rename({"x3": "a, b"}).write_csv(path)
    assert infosift("score", path, "a, b", "--target", "price").exit_code == 0


@pytest.mark.parametrize("ending", ["feather", "arrow", "tsv"])
def test_other_files(frame, csv, tmp_path, ending):
    path = tmp_path / f"houses.{ending}"
    if ending == "tsv":
        frame.write_csv(path, separator="\t")
    else:
        frame.write_ipc(path)
    options = ("--target", "price", "--max-features", 1)
    assert infosift("select", path, *options).stdout == infosift("select", csv, *options).stdout


@pytest.mark.parametrize("write", [pl.DataFrame.write_csv, pl.DataFrame.write_parquet, pl.DataFrame.write_ipc])
def test_standard_input(frame, csv, write):
    buffer = io.BytesIO()
    write(frame, buffer)
    options = ("--target", "price", "--max-features", 1)
    piped = infosift("select", "-", *options, input=buffer.getvalue())
    assert piped.exit_code == 0, piped.output
    assert piped.stdout == infosift("select", csv, *options).stdout


def test_empty_standard_input():
    result = infosift("select", "-", "--target", "y", input=b"")
    assert result.exit_code == 2
    assert "Standard input is empty" in result.stderr


def test_results_in_files(csv, frame, tmp_path):
    small, picture = tmp_path / "small.csv", tmp_path / "path.png"
    options = ("--csv", small, "--plot", picture, "--max-features", 2, "--quiet", "--keep", "x5")
    result = infosift("select", csv, "--target", "price", *options)
    assert result.exit_code == 0, result.output
    assert result.output == ""
    written = pl.read_csv(small)
    assert written.columns == ["x5", "x3", "price"]
    assert written.equals(frame.select(written.columns))
    assert picture.read_bytes().startswith(b"\x89PNG")
    result = infosift("select", csv, "--target", "price", "--plot", tmp_path / "path.docx")
    assert result.exit_code == 2
    assert "path.docx is no picture: its name must end in one of .png, .svg, .pdf." in result.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.json", json.dumps({"pair": ["x3", "x4"]})),
        ("g.csv", "column,group\nx3,pair\nx4,pair\n"),
        ("g.csv", "feature,group\nx3,pair\nx4,pair\n"),
        ("h.csv", "x3,pair\nx4,pair"),
    ],
)
def test_feature_groups_from_a_file(csv, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    options = ("--feature-groups", tmp_path / name, "--max-features", 1)
    result = infosift("select", csv, "--target", "price", *options)
    assert result.exit_code == 0, result.output
    assert "selected for price: pair (x3, x4)" in result.stdout


@pytest.mark.parametrize(
    ("name", "content"), [("g.json", "[1]"), ("g.json", "{"), ("g.csv", "a,b,c\n"), ("none.csv", None)]
)
def test_files_that_name_no_feature_groups(csv, tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_text(content)
    result = infosift("select", csv, "--target", "price", "--feature-groups", tmp_path / name)
    assert result.exit_code == 2
    assert ("There is no file" if content is None else "does not say which features are groups") in result.stderr


def test_nothing_selected_is_no_failure(tmp_path):
    rng = np.random.default_rng(1)
    pl.DataFrame(rng.normal(size=(60, 4)), schema=list("abcd")).write_csv(tmp_path / "noise.csv")
    result = infosift("select", tmp_path / "noise.csv", "--target", "a")
    assert result.exit_code == 0
    assert "None of the 3 features is significantly informative about a." in result.stdout


def test_every_command_has_an_example():
    for command in ("select", "neighbors", "test", "score", "demo"):
        assert f"infosift {command}" in infosift(command, "--help").stdout
        assert "Example:" in infosift(command, "--help").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_terminal_shows_progress_and_ctrl_c_gives_what_is_decided(tmp_path):
    import pty

    X, y = friedman(1, n=6000)
    X = np.concatenate([X, np.random.default_rng(0).uniform(size=(6000, 290))], axis=1)
    pl.DataFrame(X).with_columns(y=pl.Series(y)).write_parquet(tmp_path / "long.parquet")
    out = tmp_path / "partial.json"
    command = [sys.executable, "-m", "infosift", "select", str(tmp_path / "long.parquet"), "--target", "y"]
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [*command, "--json", str(out)],
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
    )
    os.close(terminal)
    seen = b""
    deadline = time.monotonic() + 120
    while not re.search(rb"step [2-9]: testing 29\d features", seen) and time.monotonic() < deadline:
        seen += os.read(main, 4096)
    process.send_signal(signal.SIGINT)
    try:
        while part := os.read(main, 4096):
            seen += part
    except OSError:  # the other end is closed
        pass
    assert process.wait(timeout=60) == 130
    text = seen.decode(errors="replace")
    selection = Selection.from_json(out.read_text())
    assert selection.is_partial
    assert f"selected: {selection.names[0]}" in text
    assert "Interrupted: what is above was decided before." in text
