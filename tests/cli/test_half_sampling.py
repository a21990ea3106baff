"""infosift stability, and infosift select --stability: a table, words, files, and a section of the report."""

import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import MutualInfoSelector, Selection, selection_stability
from infosift.cli import app
from infosift.results import Stability
from samples import friedman


def infosift(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def frame():
    X, y = friedman(0, n=80)
    return pl.DataFrame(X[:, :5], schema=list("abcde")).with_columns(price=pl.Series(y))


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "houses.csv"
    frame.write_csv(path)
    return path


QUICK = ["--target", "price", "--method", "published", "--max-features", 1, "--jobs", 1]


def expected(frame, n_resamples, seed=0):
    selector = MutualInfoSelector(method="published", max_features=1)
    return selection_stability(
        selector, frame.drop("price"), frame["price"], n_resamples=n_resamples, random_state=seed
    )


def test_the_command_prints_and_writes(csv, frame, tmp_path):
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "csv")}
    picture, halves = tmp_path / "out.svg", tmp_path / "halves.json"
    options = ["--json", files["json"], "--csv", files["csv"], "--plot", picture, "--checkpoint", halves]
    result = infosift("stability", csv, *QUICK, "--resamples", 4, "--seed", 3, *options)
    assert result.exit_code == 0, result.output
    found = expected(frame, 4, seed=3)
    assert Stability.from_json(files["json"].read_text(encoding="utf-8")) == found
    assert found.summary in " ".join(result.stdout.split())
    assert pl.read_csv(files["csv"])["feature"].to_list() == list(found.ranking)
    assert picture.read_text(encoding="utf-8").count("<svg") == 1
    assert halves.exists()
    assert infosift("stability", csv, *QUICK, "--resamples", 4, "--seed", 3, *options).stdout == result.stdout


def test_quiet(csv, tmp_path):
    out = tmp_path / "out.json"
    result = infosift("stability", csv, *QUICK, "--resamples", 2, "--quiet", "--json", out)
    assert (result.exit_code, result.output) == (0, "")
    assert Stability.from_json(out.read_text(encoding="utf-8")).n_resamples == 2


def test_select_has_it_too(csv, frame, tmp_path):
    page = tmp_path / "report.html"
    result = infosift("select", csv, *QUICK, "--stability", 4, "--report", page)
    assert result.exit_code == 0, result.output
    assert expected(frame, 4).summary in " ".join(result.stdout.split())
    text = page.read_text(encoding="utf-8")
    assert "Stability over half-samples" in text
    assert "Prediction by a model" not in text


@pytest.mark.parametrize("arguments", [["--stability"], ["--stability", "--progress"]])
def test_the_number_may_be_left_out(csv, monkeypatch, arguments):
    asked = []
    monkeypatch.setattr(
        "infosift.cli.select.measure_stability",
        lambda table, parameters, n_resamples, console: asked.append(n_resamples),
    )
    assert infosift("select", *arguments, *QUICK, csv).exit_code == 0
    assert infosift("select", csv, *QUICK, *arguments).exit_code == 0
    assert infosift("select", csv, *QUICK, "--stability=20").exit_code == 0
    assert asked == [50, 50, 20]


def test_what_cannot_be_done_is_said_in_a_sentence(csv, tmp_path):
    result = infosift("stability", csv, *QUICK, "--resamples", 3)
    assert result.exit_code == 2
    assert "--resamples must be even, since half-samples come in pairs, not 3." in result.stderr
    result = infosift("select", csv, *QUICK, "--quiet", "--stability", 4)
    assert result.exit_code == 2
    assert "--stability shows nothing with --quiet and without --report" in result.stderr
    result = infosift("stability", csv, *QUICK, "--json", csv)
    assert result.exit_code == 2
    assert "is the data" in result.stderr


def test_the_selection_is_written_whatever_becomes_of_its_stability(csv, tmp_path, monkeypatch):
    def ended(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("infosift.stability.select", ended)
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, *QUICK, "--stability", 2, "--json", out)
    assert result.exit_code == 130
    assert "Interrupted." in result.stderr
    assert len(Selection.from_json(out.read_text(encoding="utf-8")).names) == 1


def test_missing_values_are_counted_from_the_first_row_of_the_file(frame, tmp_path):
    path = tmp_path / "gaps.csv"
    frame.with_columns(b=pl.when(pl.int_range(80) == 4).then(None).otherwise(pl.col("b"))).write_csv(path)
    result = infosift("stability", path, *QUICK, "--resamples", 2)
    assert result.exit_code == 2
    assert 'Column "b" has a missing value (NaN) in row 5 (the first row is 1)' in " ".join(result.stderr.split())
