"""infosift view, and infosift select --open: the report is written and shown in a browser."""

import tempfile
import webbrowser
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse

import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import MutualInfoSelector, compare_subsets, selection_stability
from infosift.cli import app
from samples import friedman


def infosift(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def results():
    X, y = friedman(0, n=80)
    frame, target = pl.DataFrame(X[:, :5], schema=list("abcde")), pl.Series("price", y)
    selector = MutualInfoSelector(method="published", max_features=1, random_state=0)
    return {
        "selection": selector.fit(frame, target).selection_,
        "stability": selection_stability(selector, frame, target, n_resamples=2),
        "check": compare_subsets(frame, target, "ridge", selector=selector, cv=2),
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
def shown(monkeypatch, tmp_path):
    """What was opened in a browser; temporary files go with the test."""
    opened = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    return opened


def file_of(address):
    return Path(unquote(urlparse(address).path))


def test_a_selection_is_shown(files, shown):
    result = infosift("view", files["selection"])
    assert result.exit_code == 0, result.output
    (address,) = shown
    page = file_of(address)
    assert f"Report written to {page}" in " ".join(result.stderr.split()).replace("- ", "-")
    assert page.name == "selection.html"
    assert page.parent != files["selection"].parent
    html = page.read_text(encoding="utf-8")
    assert "1 of 5 features selected for price" in html
    assert "Stability over half-samples" not in html


def test_all_that_was_found_is_shown_in_any_order(files, results, shown, tmp_path):
    page = tmp_path / "report.html"
    result = infosift("view", files["check"], files["selection"], files["stability"], "--report", page, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert shown == [page.as_uri()]
    html = page.read_text(encoding="utf-8")
    assert results["stability"].summary in html
    assert results["check"].summary in html


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
@pytest.mark.parametrize("cannot", [lambda address: False, "raises"])
def test_without_a_browser_it_is_said_where_the_file_is(files, monkeypatch, tmp_path, cannot, quiet):
    def raises(address):
        raise webbrowser.Error("none")

    monkeypatch.setattr(webbrowser, "open", raises if cannot == "raises" else cannot)
    page = tmp_path / "report.html"
    result = infosift("view", files["selection"], "--report", page, *quiet)
    assert result.exit_code == 0, result.output
    assert f"No browser could be opened: open {page} in one." in result.stderr.replace("\n", "")
    assert page.exists()


def test_what_cannot_be_shown_is_said_in_a_sentence(files, results, shown, tmp_path):
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
        result = infosift("view", *given)
        assert result.exit_code == 2, result.output
        assert said in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert shown == []


@pytest.fixture
def csv(tmp_path):
    X, y = friedman(0, n=80)
    path = tmp_path / "houses.csv"
    pl.DataFrame(X[:, :5], schema=list("abcde")).with_columns(price=pl.Series(y)).write_csv(path)
    return path


QUICK = ["--target", "price", "--method", "published", "--max-features", 1]


def test_select_opens_the_report_that_it_wrote(csv, shown, tmp_path):
    page = tmp_path / "report.html"
    assert infosift("select", csv, *QUICK, "--report", page, "--open").exit_code == 0
    assert shown == [page.as_uri()]
    assert page.exists()


def test_select_opens_a_report_that_nobody_asked_to_keep(csv, shown):
    result = infosift("select", csv, *QUICK, "--open", "--quiet", "--stability", 2)
    assert (result.exit_code, result.output) == (0, "")
    page = file_of(shown[0])
    assert page.name == "houses.html"
    assert page.parent != csv.parent
    assert "Stability over half-samples" in page.read_text(encoding="utf-8")


def test_nothing_is_opened_where_the_run_fails(csv, shown, tmp_path):
    assert infosift("select", csv, "--target", "rent", "--open").exit_code == 2
    assert infosift("select", csv, *QUICK, "--open", "--time-limit", 1e-9).exit_code == 124
    assert shown == []
