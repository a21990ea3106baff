"""infosift neighbors, test, score, view and demo."""

import tempfile
import webbrowser
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse

import numpy as np
import polars as pl
import pytest

from infosift import (
    MutualInfoSelector,
    Selection,
    choose_n_neighbors,
    compare_subsets,
    mutual_information,
    selection_stability,
)
from infosift.results import NeighborChoice, PermutationTest
from studies.simulated import walks

QUICK = ["-t", "price", "--method", "published", "--max-features", 1, "--jobs", 1]


def test_neighbors(infosift, csv, frame, tmp_path):
    files = ["--json", tmp_path / "k.json", "--plot", tmp_path / "k.svg"]
    result = infosift("neighbors", csv, "--target", "price", "--ignore", "x9", *files)
    assert result.exit_code == 0, result.output
    expected = choose_n_neighbors(frame.drop("price", "x9"), frame["price"], random_state=0)
    assert NeighborChoice.from_json((tmp_path / "k.json").read_text()) == expected
    chosen = f"{expected.n_neighbors} neighbours: this number separates {expected.feature} best from its shuffled"
    assert chosen in result.stdout
    assert (tmp_path / "k.svg").read_text().startswith("<?xml")


def test_one_test(infosift, refused, csv, tmp_path):
    out = tmp_path / "test.json"
    result = infosift("test", csv, "x3", "--target", "price", "--json", out)
    assert "x3 is significantly informative about price." in result.stdout
    assert "not adjusted for the number of features" in " ".join(result.stdout.split())
    help_text = " ".join(infosift("test", "--help").stdout.replace("│", " ").split())
    assert "not adjusted for the number of features" in help_text
    assert PermutationTest.from_json(out.read_text()).significant
    result = infosift("test", csv, "x5", "--given", "x3, x4", "--given", "x0", "--target", "price")
    assert result.exit_code == 0, result.output
    assert "x5 is not significantly informative about price, conditional on x3, x4, x0." in result.stdout
    said = refused("test", csv, "x99", "--given", "x3", "--target", "price")
    assert 'has no column "x99": did you mean "x9"?' in said
    said = refused("test", csv, "x1,x2", "-t", "price")
    assert said.startswith("Features are tested one by one, and there are 2: name one")
    assert "so it cannot be one of the features too." in refused("test", csv, "price", "-t", "price")


def test_given_copies_are_redundant_by_residuals_and_not_by_a_shuffle(infosift, frame, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "copy.csv"
    frame.with_columns(copy=frame["x3"] + 0.05 * rng.normal(size=frame.height)).write_csv(path)
    said = {
        null: infosift("test", path, "copy", "--given", "x3", "--target", "price", "--null", null).stdout
        for null in ("residual", "shuffle")
    }
    assert "copy is not significantly informative about price, conditional on x3." in said["residual"]
    assert "copy is significantly informative about price, conditional on x3." in said["shuffle"]


def test_rows_that_depend_on_their_neighbours_are_noted(infosift, tmp_path):
    path, sample = tmp_path / "series.csv", walks(0, 200, 2)
    pl.DataFrame(sample.X, schema=["a", "b"]).with_columns(y=sample.y).write_csv(path)
    result = infosift("test", path, "a", "-t", "y")
    assert result.exit_code == 0
    said = " ".join(result.stderr.split())
    assert "Note: Rows depend on those next to them in the file" in said
    assert "with --groups, or where a series is shifted in time with --null circular." in said


def test_score(infosift, csv, frame):
    result = infosift("score", csv, "x3,x4", "x0", "--target", "price", "--n-neighbors", 1)
    expected = mutual_information(frame.select("x3", "x4", "x0"), frame["price"], n_neighbors=1)
    assert result.stdout.strip() == f"{expected:.4f} nats (1 neighbour)"


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """The addresses that were opened in a browser; temporary files go with the test."""
    addresses = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def file_of(address):
    return Path(unquote(urlparse(address).path))


@pytest.fixture(scope="module")
def results(frame):
    X, y = frame.drop("price"), frame["price"]
    selector = MutualInfoSelector(method="published", max_features=1, random_state=0, n_jobs=1)
    return {
        "selection": selector.fit(X, y).selection_,
        "stability": selection_stability(selector, X, y, n_resamples=2),
        "check": compare_subsets(X, y, "ridge", selector=selector, cv=2),
    }


@pytest.fixture
def files(results, tmp_path):
    """The results as files, in a folder whose name is hard to write in an address."""
    folder = tmp_path / "a b#c"
    folder.mkdir()
    paths = {name: folder / f"{name}.json" for name in results}
    for name, path in paths.items():
        path.write_text(results[name].to_json(indent=1), encoding="utf-8")
    return paths


@pytest.fixture
def blank_reports(monkeypatch):
    """Reports that are not worked out."""
    monkeypatch.setattr(Selection, "report", lambda selection, path, **_: Path(path).write_text("a report"))


def test_a_selection_is_shown(infosift, files, opened):
    result = infosift("view", files["selection"])
    assert result.exit_code == 0, result.output
    (address,) = opened
    page = file_of(address)
    assert f"Report written to {page}" in " ".join(result.stderr.split()).replace("- ", "-")
    assert page.name == "selection.html"
    assert page.parent != files["selection"].parent
    html = page.read_text(encoding="utf-8")
    assert "1 of 10 features selected for price" in html
    assert "Stability over half-samples" not in html


def test_all_results_are_shown_in_any_order(infosift, files, results, opened, tmp_path):
    page = tmp_path / "report.html"
    result = infosift("view", files["check"], files["selection"], files["stability"], "--report", page, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert opened == [page.as_uri()]
    html = page.read_text(encoding="utf-8")
    assert results["stability"].summary in html
    assert results["check"].summary in html


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
@pytest.mark.parametrize("cannot", [lambda address: False, "raises"])
def test_without_a_browser_it_is_said_where_the_file_is(
    infosift, files, monkeypatch, blank_reports, tmp_path, cannot, quiet
):
    def raises(address):
        raise webbrowser.Error("none")

    monkeypatch.setattr(webbrowser, "open", raises if cannot == "raises" else cannot)
    page = tmp_path / "report.html"
    result = infosift("view", files["selection"], "--report", page, *quiet)
    assert result.exit_code == 0, result.output
    assert f"No browser could be opened: open {page} in one." in result.stderr.replace("\n", "")
    assert page.exists()


def test_what_cannot_be_shown_is_one_sentence(refused, files, results, opened, tmp_path):
    broken, latin, other = tmp_path / "broken.json", tmp_path / "latin.json", tmp_path / "other.json"
    broken.write_text('{"infosift": "Selection"}', encoding="utf-8")
    latin.write_bytes("é".encode("latin-1"))
    other.write_text('["Selection"]', encoding="utf-8")
    stranger = tmp_path / "stranger.json"
    stranger.write_text(replace(results["stability"], target_name="rent").to_json(), encoding="utf-8")
    for given, said in (
        ([tmp_path / "none.json"], "none.json cannot be read (No such file or directory)."),
        ([tmp_path], "cannot be read (Is a directory)."),
        ([broken], "broken.json: The text is not a Selection"),
        ([latin], "latin.json is not JSON that infosift wrote"),
        ([other], "other.json is not JSON that infosift wrote"),
        ([files["stability"]], "None of the files is a selection: give the file of infosift select --json too."),
        ([files["selection"], files["selection"]], "is a second Selection: give one."),
        ([files["selection"], stranger], "stability is about other features or another target"),
        (
            [files["selection"], "--report", files["selection"]],
            "is number 1 of the files to show: give another file",
        ),
        ([files["selection"], "--report", "-"], "- is standard output"),
        ([files["selection"], "--report", tmp_path / "no" / "x.html"], "There is no folder"),
    ):
        assert said in refused("view", *given)
    assert opened == []


def test_select_opens_the_report_that_it_wrote(infosift, csv, fits, opened, blank_reports, tmp_path):
    page = tmp_path / "report.html"
    assert infosift("select", csv, *QUICK, "--report", page, "--open").exit_code == 0
    assert opened == [page.as_uri()]
    assert page.exists()


def test_select_opens_a_report_that_nobody_asked_to_keep(infosift, csv, opened):
    result = infosift("select", csv, *QUICK, "--open", "--quiet", "--stability", 2)
    assert (result.exit_code, result.output) == (0, "")
    page = file_of(opened[0])
    assert page.name == "houses.html"
    assert page.parent != csv.parent
    assert "Stability over half-samples" in page.read_text(encoding="utf-8")


def test_nothing_is_opened_where_the_run_fails(infosift, csv, opened):
    assert infosift("select", csv, "--target", "rent", "--open").exit_code == 2
    assert infosift("select", csv, *QUICK, "--open", "--time-limit", 1e-9).exit_code == 124
    assert opened == []


def test_demo(infosift, opened, blank_reports):
    result = infosift("demo", "--open")
    assert result.exit_code == 0
    assert "5 of 10 features selected for progression: bmi, s5, bp, s3, sex" in result.stdout.replace("\n", " ")
    assert "selected: informative only given the others" in result.stdout
    assert "redundant with s3 and s5" in result.stdout
    following = result.stdout.splitlines()[-3:]
    assert all(line.startswith("  infosift select ") for line in following)
    assert [address.rpartition("/")[2] for address in opened] == ["diabetes.html"]


def test_a_demo_opens_nothing_unless_asked(infosift, fits, opened):
    assert infosift("demo").exit_code == 0
    assert opened == []
