"""infosift select --check-model: a table, words, and a section of the report."""

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import InputError, MutualInfoSelector, Selection, compare_subsets
from infosift.cli import app
from infosift.display.wording import name_of_subset, signed
from samples import friedman


def infosift(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def frame():
    X, y = friedman(0, n=80)
    return pl.DataFrame(X, schema=[f"x{i}" for i in range(10)]).with_columns(price=pl.Series(y))


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "houses.csv"
    frame.write_csv(path)
    return path


QUICK = ["--target", "price", "--method", "published", "--max-features", 2]


def test_the_table_and_the_report(csv, frame, tmp_path):
    page = tmp_path / "report.html"
    result = infosift(
        "select", csv, *QUICK, "--seed", 3, "--ignore", "x9", "--check-model", "ridge", "--report", page
    )
    assert result.exit_code == 0, result.output
    selector = MutualInfoSelector(method="published", max_features=2, random_state=3)
    expected = compare_subsets(
        frame.drop("price", "x9"), frame["price"], "ridge", selector=selector, random_state=3
    )
    for one in expected.subsets:
        assert any(
            f"│ {name_of_subset(one.subset)} " in line and signed(f"{one.mean:.3f} ± {one.spread:.3f}") in line
            for line in result.stdout.splitlines()
        )
    assert expected.summary in " ".join(result.stdout.split())
    assert expected.summary in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("model", ["forest", "neighbors"])
def test_other_models_and_classes(frame, tmp_path, model):
    path = tmp_path / "classes.csv"
    high = np.where(frame["price"] > frame["price"].median(), "high", "low")
    frame.with_columns(price=pl.Series(high), person=pl.Series(np.arange(80) // 4)).write_csv(path)
    result = infosift("select", path, *QUICK, "--groups", "person", "--check-model", model)
    assert result.exit_code == 0, result.output
    assert "ROC AUC of" in result.stdout
    assert "over 5 folds of 20 row groups" in " ".join(result.stdout.split())


def test_what_nobody_would_see_is_refused(csv, tmp_path):
    result = infosift("select", csv, *QUICK, "--quiet", "--check-model", "ridge")
    assert result.exit_code == 2
    assert "--check-model shows nothing with --quiet and without --report" in result.stderr
    page = tmp_path / "report.html"
    result = infosift("select", csv, *QUICK, "--quiet", "--check-model", "ridge", "--report", page)
    assert (result.exit_code, result.output) == (0, "")
    assert "Prediction by a model" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [(KeyboardInterrupt, 130, "Interrupted."), (InputError("cv cannot divide the rows."), 2, "cv cannot divide")],
)
def test_the_selection_is_written_whatever_becomes_of_the_check(csv, tmp_path, monkeypatch, error, code, said):
    def ended(*_, **__):
        raise error

    monkeypatch.setattr("infosift.comparison.compare_subsets", ended)
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, *QUICK, "--check-model", "ridge", "--json", out)
    assert result.exit_code == code
    assert said in result.stderr
    assert len(Selection.from_json(out.read_text(encoding="utf-8")).names) == 2
