"""infosift stability, and infosift select --stability: a table, words, files, and a section of the report."""

import polars as pl
import pytest

from infosift import MutualInfoSelector, selection_stability
from infosift.results import Stability

QUICK = ["-t", "price", "--method", "published", "--max-features", 1, "--jobs", 1]


@pytest.fixture(scope="module")
def expected(frame):
    selector = MutualInfoSelector(method="published", max_features=1)
    return selection_stability(
        selector, frame.drop("price"), frame["price"], n_resamples=4, random_state=3, n_jobs=1
    )


def test_the_command_prints_and_writes(infosift, csv, expected, tmp_path):
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "csv")}
    picture, halves = tmp_path / "out.svg", tmp_path / "halves.json"
    options = ["--json", files["json"], "--csv", files["csv"], "--plot", picture, "--checkpoint", halves]
    result = infosift("stability", csv, *QUICK, "--resamples", 4, "--seed", 3, *options)
    assert result.exit_code == 0, result.output
    assert Stability.from_json(files["json"].read_text(encoding="utf-8")) == expected
    assert expected.summary in " ".join(result.stdout.split())
    assert pl.read_csv(files["csv"])["feature"].to_list() == list(expected.ranking)
    assert picture.read_text(encoding="utf-8").count("<svg") == 1
    assert halves.exists()
    assert infosift("stability", csv, *QUICK, "--resamples", 4, "--seed", 3, *options).stdout == result.stdout


def test_quiet(infosift, csv, tmp_path):
    out = tmp_path / "out.json"
    result = infosift("stability", csv, *QUICK, "--resamples", 2, "--quiet", "--json", out)
    assert (result.exit_code, result.output) == (0, "")
    assert Stability.from_json(out.read_text(encoding="utf-8")).n_resamples == 2


def test_select_has_it_too(infosift, csv, expected, tmp_path):
    page = tmp_path / "report.html"
    result = infosift("select", csv, *QUICK, "--seed", 3, "--stability", 4, "--report", page)
    assert result.exit_code == 0, result.output
    assert expected.summary in " ".join(result.stdout.split())
    text = page.read_text(encoding="utf-8")
    assert "Stability over half-samples" in text
    assert "Prediction by a model" not in text


@pytest.mark.parametrize("words", [["--stability"], ["--stability", "--progress"]])
def test_the_number_may_be_left_out(infosift, csv, fits, monkeypatch, words):
    numbers = []

    def measure(*_, n_resamples, **__):
        numbers.append(n_resamples)
        raise KeyboardInterrupt

    monkeypatch.setattr("infosift.stability.selection_stability", measure)
    for asked in ([*words, csv, *QUICK], [csv, *QUICK, *words], [csv, *QUICK, "--stability=20"]):
        assert infosift("select", *asked).exit_code == 130
    assert numbers == [50, 50, 20]


def test_bad_input_is_one_sentence(refused, csv):
    said = refused("stability", csv, *QUICK, "--resamples", 3)
    assert said == "--resamples must be even, since half-samples come in pairs, not 3."
    assert "is the data" in refused("stability", csv, *QUICK, "--json", csv)
