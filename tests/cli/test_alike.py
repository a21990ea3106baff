"""What is said in the same way to all commands: lists of names, standard output, missing values, time limits."""

import json
import warnings

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import Selection, mutual_information
from infosift.cli import app
from infosift.cli.output import warnings_as_notes
from infosift.cli.select import OUT_OF_TIME
from infosift.results import NeighborChoice, PermutationTest


def infosift(*arguments, **options):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments], **options)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    columns = dict(zip(("a", "b", "c", "weight, kg"), rng.normal(size=(4, 60)), strict=True))
    return pl.DataFrame(columns).with_columns(y=pl.Series(columns["a"] + 0.1 * rng.normal(size=60)))


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "table.csv"
    frame.write_csv(path)
    return path


def evidence(result):
    assert result.exit_code == 0, result.output
    return Selection.from_json(result.stdout)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--keep", "b,c", "--keep", "a"], ("b", "c", "a")),
        (["--keep", "b, c,a"], ("b", "c", "a")),
        (["--keep", "b,weight, kg,a"], ("b", "weight, kg", "a")),
        (["--keep", "weight, kg"], ("weight, kg",)),
        (["--keep", "b,,b,"], ("b",)),
    ],
)
def test_lists_have_commas_or_are_repeated(csv, words, expected):
    assert evidence(infosift("select", csv, "-t", "y", *words, "--json", "-")).settings.keep == expected


def test_every_list_has_commas(frame, csv):
    selection = evidence(infosift("select", csv, "-t", "y", "--ignore", "a,weight, kg", "--json", "-"))
    assert selection.feature_names == ("b", "c")
    assert selection.settings.ignore == ("a", "weight, kg")
    frame.with_columns((pl.col("b", "c") * 2).round()).write_csv(csv)
    options = ("--categorical", "b, c", "--json", "-")
    assert evidence(infosift("select", csv, "-t", "y", *options)).discrete == ("b", "c")
    ranked = infosift("rank", csv, "-t", "y", "--ignore", "b,c", "--csv", "-").stdout
    assert ranked.splitlines() == ["rank,feature", "1,a", '2,"weight, kg"']
    said = infosift("test", csv, "a", "--given", "b,weight, kg", "-t", "y").stdout
    assert "a is significantly informative about y, conditional on b, weight, kg." in said


@pytest.mark.parametrize("option", ["--keep", "--ignore", "--categorical"])
def test_a_wrong_name_in_a_list_is_named(csv, option):
    result = infosift("select", csv, "-t", "y", option, "a,bb")
    assert result.exit_code == 2
    assert 'has no column "bb": did you mean "b"?' in result.stderr


def test_one_feature_is_tested(csv):
    result = infosift("test", csv, "a,b", "-t", "y")
    assert result.exit_code == 2
    assert "Features are tested one by one, and there are 2: name one" in result.stderr


def test_standard_output_has_the_evidence_and_nothing_else(csv, frame, tmp_path):
    to_file = tmp_path / "evidence.json"
    infosift("select", csv, "-t", "y", "--json", to_file)
    result = infosift("select", csv, "-t", "y", "--json", "-")
    assert json.loads(result.stdout)["feature_names"] == json.loads(to_file.read_text())["feature_names"]
    assert "selected for y: a" in result.stderr
    assert infosift("select", csv, "-t", "y", "--json", "-", "--quiet").stderr == ""
    table = infosift("select", csv, "-t", "y", "--csv", "-").stdout
    assert pl.read_csv(table.encode()).equals(frame.select("a", "y"))
    NeighborChoice.from_json(infosift("neighbors", csv, "-t", "y", "--json", "-").stdout)
    PermutationTest.from_json(infosift("test", csv, "a", "-t", "y", "--json", "-").stdout)
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--json", "-", "--csv", "-"], "--json and --csv cannot both be -, which is standard output"),
        (["--report", "-"], "- is standard output, for --json and --csv only: name a file"),
        (["--checkpoint", "-"], "- is standard output, for --json and --csv only: name a file"),
    ],
)
def test_what_cannot_go_to_standard_output(csv, options, message):
    result = infosift("select", csv, "-t", "y", *options)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("command", ["select", "rank"])
def test_no_time_to_decide_anything_is_no_success(csv, command):
    result = infosift(command, csv, "-t", "y", "--time-limit", 1e-9)
    assert result.exit_code == OUT_OF_TIME == 124
    assert result.stderr.strip() == (
        "The time limit ended the run before anything was decided: raise --time-limit."
    )
    assert result.stdout == ""


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning])
def test_warnings_to_developers_are_no_notes(capsys, category):
    with warnings_as_notes():
        warnings.warn("frames have a new protocol", category, stacklevel=1)
        warnings.warn("rows are few", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "Note: rows are few\n"


@pytest.fixture
def gaps(frame, tmp_path):
    path = tmp_path / "gaps.csv"
    number = pl.int_range(pl.len())
    frame.with_columns(
        a=pl.when(number != 4).then("a"), b=pl.when(number != 7).then("b"), y=pl.when(number != 9).then("y")
    ).write_csv(path)
    return path


def test_rows_with_gaps_are_dropped_by_every_command(gaps, frame):
    result = infosift("score", gaps, "a", "-t", "y", "--missing", "drop")
    assert result.exit_code == 0, result.output
    whole = frame.with_row_index().filter(~pl.col("index").is_in([4, 9]))
    information = mutual_information(whole.select("a"), whole["y"])
    assert result.stdout.strip() == f"{information:.4f} nats (6 neighbours)"
    assert result.stderr.strip() == "Note: 2 rows have missing values and are dropped."
    assert infosift("test", gaps, "b", "--given", "a", "-t", "y", "--missing", "drop").exit_code == 0
    assert infosift("neighbors", gaps, "-t", "y", "--missing", "drop").exit_code == 0
    refused = infosift("score", gaps, "a", "-t", "y")
    assert refused.exit_code == 2
    assert "row 5 (the first row is 1)" in refused.stderr
    assert "or drop such rows with --missing drop." in refused.stderr


@pytest.mark.parametrize("missing", ["error", "drop", "partial"])
def test_rows_are_counted_from_one_whatever_is_dropped(frame, tmp_path, missing):
    path = tmp_path / "infinite.parquet"
    number = pl.int_range(pl.len())
    cells = pl.when(number == 20).then(float("inf")).otherwise("b")
    gap = {} if missing == "error" else {"a": pl.when(number != 4).then("a")}
    frame.with_columns(b=cells, **gap).write_parquet(path)
    result = infosift("select", path, "-t", "y", "--missing", missing)
    assert result.exit_code == 2
    assert 'Column "b" has an infinite value (inf) in row 21 (the first row is 1)' in result.stderr


def test_dates_and_signs_in_a_file(frame, tmp_path):
    path = tmp_path / "sales.csv"
    day = pl.date(2024, 1, 1) + pl.duration(days=pl.int_range(pl.len()))
    weekend = pl.int_range(pl.len()) % 7 >= 5
    sales = pl.concat([frame, frame]).with_columns(sold=day, rate=pl.col("b").round(3).cast(pl.String) + "%")
    sales.select("sold", "rate", y=weekend * 10 + pl.col("y")).write_csv(path)
    plain = infosift("select", path, "-t", "y", "--json", "-")
    assert evidence(plain).feature_names == ("sold", "rate")
    assert not evidence(plain).discrete
    assert 'Note: Read as numbers: "rate" (' in plain.stderr
    assert 'Note: Read as dates, which count in days: "sold" ("2024-01-01")' in plain.stderr
    expanded = evidence(infosift("select", path, "-t", "y", "--dates", "expand", "--json", "-"))
    assert expanded.feature_names == ("sold", "rate", "sold weekday", "sold month")
    assert expanded.names == ("sold weekday",)
    assert infosift("rank", path, "-t", "y", "--dates", "expand").exit_code == 0
    assert infosift("score", path, "sold", "-t", "y").exit_code == 0


def test_encodings_and_comments_for_every_command(frame, tmp_path):
    path = tmp_path / "table.csv"
    text = "# Größen\n" + frame.rename({"a": "größe"}).write_csv()
    path.write_bytes(text.encode("latin-1"))
    options = ("-t", "y", "--encoding", "latin-1", "--comment", "#")
    assert infosift("select", path, *options).exit_code == 0
    assert infosift("rank", path, *options).exit_code == 0
    assert infosift("neighbors", path, *options).exit_code == 0
    assert infosift("test", path, "größe", *options).exit_code == 0
    assert infosift("score", path, "größe", *options).exit_code == 0
    refused = infosift("select", path, "-t", "y")
    assert refused.exit_code == 2
    assert "is not UTF-8: name its encoding, such as --encoding latin-1" in refused.stderr


COMMANDS = {"select": (), "rank": (), "neighbors": (), "test": ("0",), "score": ("0",), "stability": ()}


@pytest.mark.parametrize("command", COMMANDS)
def test_files_without_names_for_every_command(frame, tmp_path, command):
    path = tmp_path / "table.csv"
    frame.write_csv(path, include_header=False)
    asked = [command, path, *COMMANDS[command], "-t", "4"]
    refused = infosift(*asked)
    assert refused.exit_code == 2
    assert "add --no-header" in refused.stderr
    more = ("--resamples", 2) if command == "stability" else ()
    result = infosift(*asked, "--no-header", *more)
    assert result.exit_code == 0, result.output


def test_the_decimal_mark_by_option(frame, tmp_path):
    path = tmp_path / "table.csv"
    thousands = frame.select((pl.col("a", "y") * 1000 + 5000).round().cast(pl.Int64).cast(pl.String))
    thousands.select(pl.all().str.replace(r"(\d{3})$", ",$1")).write_csv(path, separator=";")
    refused = infosift("score", path, "a", "-t", "y")
    assert refused.exit_code == 2
    assert "divide thousands: say --decimal comma or --decimal point." in refused.stderr
    for mark in ("comma", "point"):
        assert infosift("score", path, "a", "-t", "y", "--decimal", mark).exit_code == 0


@pytest.mark.parametrize("command", ["select", "rank", "stability", "neighbors"])
def test_columns_without_a_value_are_to_be_ignored(frame, tmp_path, command):
    path = tmp_path / "table.csv"
    gap = pl.when(pl.int_range(pl.len()) != 4).then("a")
    frame.with_columns(pl.lit(None).alias("not yet"), a=gap).write_csv(path)
    result = infosift(command, path, "-t", "y")
    assert result.exit_code == 2
    assert result.stderr.strip() == (
        "Column \"not yet\" has no value in any row: leave it out with --ignore 'not yet'."
    )
    said = infosift(command, path, "-t", "y", "--ignore", "not yet").stderr
    assert ("--missing drop, or use the values that a row has with --missing partial." in said) is (
        command != "neighbors"
    )
    assert "--missing drop" in said
