"""infosift select and rank: tables for people, the evidence, other results besides it, runs that are cut short."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from csv import reader as csv_reader
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from infosift import MutualInfoSelector, Selection, censored_target, compare_subsets
from infosift.display.report.reproduce import command
from infosift.display.wording import name_of_subset, probability, signed
from infosift.results.selection import INTERRUPT
from samples import friedman
from studies.simulated import survival

QUICK = ["-t", "price", "--method", "published", "--max-features", 1, "--jobs", 1]


def read(path):
    return Selection.from_json(path.read_text(encoding="utf-8"))


def test_the_table_and_the_evidence(infosift, csv, frame, tmp_path):
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, "--target", "price", "--seed", 3, "--json", out, "--verbose")
    assert result.exit_code == 0, result.output
    selection = read(out)
    fitted = MutualInfoSelector(random_state=3).fit(frame.drop("price"), frame["price"])
    assert selection == fitted.selection_
    assert f"{len(selection.names)} of 10 features selected for price: {selection.names[0]}" in result.stdout
    for step in selection.steps:
        row = next(line for line in result.stdout.splitlines() if f" {step.feature} " in line and "│" in line)
        compared = min(1.0, step.p_value * 0.05 / step.alpha)
        assert all(f" {cell} " in row for cell in (f"{step.information:.3f}", probability(compared)))
        assert all(f" {number:.2f} " in row for number in (step.statistic, step.threshold))
    assert "seed 3" in result.stdout
    assert "published" not in result.stdout


def test_the_published_method(infosift, csv, frame, tmp_path):
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, *QUICK, "--json", out, "--verbose")
    selector = MutualInfoSelector(method="published", max_features=1, random_state=0, n_jobs=1)
    assert read(out) == selector.fit(frame.drop("price"), frame["price"]).selection_
    assert "(chosen by x3)" in result.stdout
    assert "so false positives are more likely than alpha" in " ".join(result.stdout.split())


def test_the_ranking(infosift, csv, fits, selection, tmp_path):
    picture, out = tmp_path / "order.svg", tmp_path / "evidence.json"
    result = infosift("rank", csv, "-t", "price", "--plot", picture, "--json", out)
    assert result.exit_code == 0, result.output
    for rank, name in enumerate(selection.ranking, start=1):
        assert re.search(rf"│ +{rank} │ {name} ", result.stdout)
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    assert read(out) == selection
    assert infosift("rank", csv, "-t", "price", "--quiet").output == ""


@pytest.fixture
def times(tmp_path):
    """A table with times until an event, and the target as Python makes it."""
    sample = survival("linear hazard", 0, n=200, censored=0.3)
    frame = pl.DataFrame(sample.X[:, :4], schema=list("abcd"))
    more = {"months": sample.y["time"], "died": np.where(sample.y["event"], "dead", "alive")}
    path = tmp_path / "times.csv"
    frame.with_columns(**{name: pl.Series(values) for name, values in more.items()}).write_csv(path)
    return (
        path,
        frame,
        censored_target(pl.Series("died", more["died"]), pl.Series("months", more["months"]), event_value="dead"),
    )


def test_times_until_an_event(infosift, times, tmp_path):
    path, frame, y = times
    out, rows, report = (tmp_path / name for name in ("s.json", "rows.csv", "report.html"))
    target = ["--time", "months", "--event", "died", "--event-value", "dead"]
    result = infosift("select", path, *target, "--json", out, "--csv", rows, "--report", report)
    assert result.exit_code == 0, result.output
    selection = MutualInfoSelector(random_state=0).fit(frame, y).selection_
    assert read(out) == selection
    assert "2 of 4 features selected for months until died: " in result.stdout
    assert f"{selection.survival.n_events} of 200 rows have the event; the others are censored." in result.stdout
    assert pl.read_csv(rows).columns == [*selection.answer.names, "months", "died"]
    assert command(read(out)).startswith(
        "infosift select DATA.csv --time months --event died --event-value dead --alpha"
    )
    assert 'id="figure-survival"' in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["rank", "stability"])
def test_other_commands_take_times_until_an_event(infosift, times, name):
    more = ["--resamples", 4] if name == "stability" else []
    result = infosift(name, times[0], "--time", "months", "--event", "died", "--event-value", "dead", *more)
    assert result.exit_code == 0, result.output
    assert " a " in result.stdout


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ([], "Name what to select features for: --target, or for times until an event --time and --event."),
        (["--time", "months"], "--time needs --event: --target, or for times until an event"),
        (["--event-value", "1"], "--event-value needs --time and --event: "),
        (["-t", "months", "--event", "died"], "--event is for times until an event, which have no --target"),
        (["-t", "months", "--check-model", "cox"], "A target that is not censored needs another --check-model"),
        (["--time", "months", "--event", "months"], '"months" cannot be both the time and the event'),
        (["--time", "months", "--event", "dead"], 'has no column "dead"'),
        (
            ["--time", "months", "--event", "died"],
            "has the values 'dead', 'alive': say which is the event with --event-value.",
        ),
        (["--time", "months", "--event", "died", "--event-value", "gone"], "never has the value 'gone'"),
        (["--time", "died", "--event", "died", "--ignore", "died"], "cannot be both the time and the event"),
        (
            ["--time", "months", "--event", "died", "--ignore", "died"],
            '"died" is the target, so it cannot be ignored',
        ),
        (["--time", "a", "--event", "died", "--event-value", "dead"], 'The time "a" is negative'),
    ],
)
def test_targets_that_are_not_named_well_are_refused(refused, times, target, sentence):
    assert sentence in refused("select", times[0], *target)


def test_text_and_classes(infosift, tmp_path):
    rng = np.random.default_rng(0)
    kind = rng.choice(["oak", "elm", "ash"], size=120)
    grade = rng.integers(1, 40, size=120)
    frame = pl.DataFrame(
        {
            "tree": kind,
            "height": rng.normal(size=120),
            "grade": grade,
            "name": [f"no. {i}" for i in range(120)],
            "sound": np.where((kind == "oak") ^ (rng.uniform(size=120) < 0.05), "yes", "no"),
        }
    )
    frame.write_csv(tmp_path / "trees.csv")
    options = ["--target", "sound", "--json", tmp_path / "out.json", "--categorical", "grade"]
    result = infosift("select", tmp_path / "trees.csv", *options)
    assert result.exit_code == 0
    assert "features selected for sound: tree" in result.stdout
    assert "2 classes" in result.stdout
    assert 'are not tested: "name"' in " ".join(result.stderr.split())
    selection = read(tmp_path / "out.json")
    assert selection.discrete == ("tree", "grade", "name")
    assert selection.near_unique == ("name",)


def test_nothing_selected_is_no_failure(infosift, tmp_path):
    rng = np.random.default_rng(1)
    pl.DataFrame(rng.normal(size=(60, 4)), schema=list("abcd")).write_csv(tmp_path / "noise.csv")
    result = infosift("select", tmp_path / "noise.csv", "--target", "a")
    assert result.exit_code == 0
    assert "None of the 3 features is significantly informative about a." in result.stdout


NAMES = ["[/bold]", "[red]rate[/red]", "rate [/h]", "[a]", "", "Größe °C", 'x "3", <b>']


def test_names_are_shown_and_written_as_they_are(infosift, frame, csv, tmp_path):
    out, table = tmp_path / "evidence.json", tmp_path / "selected.csv"
    frame.rename({f"x{i}": name for i, name in enumerate(NAMES)}).write_csv(csv)
    words = [word for name in NAMES for word in ("--keep", name)]
    result = infosift("select", csv, "-t", "price", *words, "--max-features", 8, "--json", out, "--csv", table)
    assert result.exit_code == 0, result.output
    said = result.stdout.replace("\n", " ")
    assert all(name in said for name in NAMES)
    assert read(out).names[:7] == tuple(NAMES)
    header = next(csv_reader(table.read_text(encoding="utf-8").splitlines()))
    assert header[:7] == NAMES


@pytest.mark.parametrize("width", [40, 55, 70, 80, 120])
def test_a_narrow_terminal_shows_the_answer(infosift, csv, fits, width):
    result = infosift("select", csv, "--target", "price", width=width)
    row = next(line for line in result.stdout.splitlines() if line.startswith(" x3 "))
    # No surrogate of 999 is as large: 1 / 1000, times 0.05 / 0.035 since series have 70 % of alpha.
    assert row.split()[1:3] == ["selected", "0.001"]
    assert re.search(r" \d+ % \(\d+ to \d+\) ", row) or width < 70


@pytest.mark.parametrize(
    "words",
    [
        ["--ignore", "day", "--ignore", "x3", "--categorical", "level", "--max-features", 1],
        ["--ignore", "day", "--groups", "person", "--max-features", 1],
    ],
)
def test_the_command_of_a_report_repeats_the_run(infosift, frame, csv, tmp_path, request, words):
    level, person = frame["x1"].rank("ordinal") % 3, pl.int_range(pl.len()) // 3
    frame.with_columns(level=level, person=person, day=pl.lit("a day")).write_csv(csv)
    out = tmp_path / "evidence.json"
    assert infosift("select", csv, "-t", "price", *words, "--json", out).exit_code == 0
    filled_in = {"DATA.csv": csv, "COLUMN": "person"}
    repeated = [filled_in.get(word, word) for word in shlex.split(command(read(out)))[1:]]
    fits = request.getfixturevalue("fits")
    for asked in (["select", csv, "-t", "price", *words], repeated):
        assert infosift(*asked).exit_code == 0
    first, second = fits
    assert second.parameters == first.parameters
    assert second.features.equals(first.features)
    assert (first.groups is None) == (second.groups is None)


def test_unusable_features_are_noted(infosift, frame, csv):
    frame.with_columns(flat=pl.lit(1), again=pl.col("x3")).write_csv(csv)
    result = infosift("select", csv, "--target", "price", "--max-features", 1)
    assert result.exit_code == 0
    assert 'Note: Constant features carry no information and are not tested: "flat".' in result.stderr
    assert '"again" (of "x3")' in result.stderr.replace("\n", " ")


def test_notes_about_the_data_name_options(infosift, csv, frame, tmp_path):
    frame.with_columns(eur=0.92 * pl.col("price"), log=pl.col("price").log()).write_csv(csv)
    report = tmp_path / "report.html"
    result = infosift("select", csv, *QUICK, "--check-model", "ridge", "--report", report)
    said = " ".join(result.stderr.split())
    assert said.count("nearly alone") == 1
    assert "leave them out: --ignore eur --ignore log." in said
    assert "<strong>A feature may give the target away.</strong>" in report.read_text(encoding="utf-8")
    assert "nearly alone" not in infosift("select", csv, *QUICK, "--ignore", "eur", "--ignore", "log").stderr
    assert infosift("select", csv, *QUICK, "--quiet").stderr == ""


def test_notes_come_before_the_work_is_done(infosift, csv, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("infosift.search.runner.Run.select", interrupted)
    result = infosift("select", csv, "--target", "price", "--alpha", 1e-5)
    assert result.exit_code == 130
    assert "Note: --alpha 1e-05 needs at least 142,857 permutations per test" in result.stderr


def test_a_check_by_a_model(infosift, csv, frame, tmp_path):
    page = tmp_path / "report.html"
    words = ("--seed", 3, "--ignore", "x9", "--check-model", "ridge", "--report", page)
    result = infosift("select", csv, *QUICK, *words)
    assert result.exit_code == 0, result.output
    selector = MutualInfoSelector(method="published", max_features=1, random_state=3, n_jobs=1)
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


def test_another_model_and_classes(infosift, frame, tmp_path):
    path = tmp_path / "classes.csv"
    high = np.where(frame["price"] > frame["price"].median(), "high", "low")
    frame.with_columns(price=pl.Series(high), person=pl.Series(np.arange(100) // 5)).write_csv(path)
    result = infosift("select", path, *QUICK, "--groups", "person", "--check-model", "neighbors")
    assert result.exit_code == 0, result.output
    assert "ROC AUC of" in result.stdout
    assert "over 5 folds of 20 row groups" in " ".join(result.stdout.split())


@pytest.mark.parametrize("words", [["--check-model", "ridge"], ["--stability", 4]])
def test_what_nobody_would_see_is_refused(refused, csv, words):
    said = refused("select", csv, *QUICK, "--quiet", *words)
    assert said.startswith(f"{words[0]} shows nothing with --quiet and without --report")


@pytest.mark.parametrize("words", [["--check-model", "ridge"], ["--stability", 2]])
def test_quiet_results_are_in_the_report(infosift, csv, tmp_path, words):
    page = tmp_path / "report.html"
    result = infosift("select", csv, *QUICK, "--quiet", *words, "--report", page)
    assert (result.exit_code, result.output) == (0, "")
    title = "Prediction by a model" if words[0] == "--check-model" else "Stability over half-samples"
    assert title in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("infosift.comparison.compare_subsets", ["--check-model", "ridge"]),
        ("infosift.stability.selection_stability", ["--stability", 2]),
    ],
)
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [(KeyboardInterrupt(), 130, "Interrupted."), (ValueError("no folds"), 1, ""), (None, 2, "too few rows")],
)
def test_the_selection_is_written_whatever_becomes_of_other_results(
    infosift, csv, fits, selection, tmp_path, monkeypatch, function, words, error, code, said
):
    from infosift import InputError

    def fail(*_, **__):
        raise InputError("too few rows") if error is None else error

    monkeypatch.setattr(function, fail)
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, "-t", "price", *words, "--json", out)
    assert result.exit_code == code
    assert said in result.stderr
    assert read(out) == selection


@pytest.mark.parametrize("command", ["select", "rank"])
def test_no_time_to_decide_anything_is_no_success(infosift, csv, command):
    result = infosift(command, csv, "-t", "price", "--time-limit", 1e-9)
    assert result.exit_code == 124
    sentence = "The time limit ended the run before anything was decided: raise --time-limit."
    assert result.stderr.strip() == sentence
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["select", "rank"])
def test_an_interrupt_gives_what_is_decided(infosift, csv, monkeypatch, selection, command, tmp_path):
    decided = [replace(selection, ended_by=INTERRUPT)]

    def fit(selector, *_, **__):
        if decided:
            selector.selection_ = decided[0]
        raise KeyboardInterrupt

    monkeypatch.setattr(MutualInfoSelector, "fit", fit)
    result = infosift(command, csv, "-t", "price", "--json", tmp_path / "partial.json")
    assert result.exit_code == 130
    assert " x3 " in result.stdout
    assert result.stderr.splitlines()[-1] == "Interrupted: what is above was decided before."
    assert read(tmp_path / "partial.json").is_partial
    decided.clear()
    result = infosift(command, csv, "-t", "price")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_terminal_shows_progress_and_ctrl_c_gives_what_is_decided(tmp_path):
    import pty

    X, y = friedman(1, n=3000)
    X = np.concatenate([X, np.random.default_rng(0).uniform(size=(3000, 190))], axis=1)
    pl.DataFrame(X).with_columns(y=pl.Series(y)).write_parquet(tmp_path / "long.parquet")
    out = tmp_path / "partial.json"
    words = [sys.executable, "-m", "infosift", "select", str(tmp_path / "long.parquet"), "--target", "y"]
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [*words, "--json", str(out)],
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
    )
    os.close(terminal)
    seen = b""
    deadline = time.monotonic() + 120
    while not re.search(rb"step [2-9]: testing 19\d features", seen) and time.monotonic() < deadline:
        seen += os.read(main, 4096)
    process.send_signal(signal.SIGINT)
    try:
        while part := os.read(main, 4096):
            seen += part
    except OSError:  # the other end is closed
        pass
    assert process.wait(timeout=60) == 130
    text = seen.decode(errors="replace")
    selection = read(out)
    assert selection.is_partial
    assert f"selected: {selection.names[0]}" in text
    assert "Interrupted: what is above was decided before." in text


def test_features_to_predict_with(infosift, tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(150, 12))
    target = values[:, :8].sum(axis=1) * 0.4 + rng.normal(size=150)
    table = tmp_path / "table.csv"
    pl.DataFrame(values, schema=[f"f{i}" for i in range(12)]).with_columns(y=pl.Series(target)).write_csv(table)
    shown = infosift("select", table, "-t", "y", "--goal", "predict").stdout
    assert "For prediction" in shown
    assert "--goal predict" in " ".join(infosift("select", table, "-t", "y").stdout.split())
