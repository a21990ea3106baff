import json
import shlex
import signal
import subprocess
import sys
from csv import reader as csv_reader

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import MutualInfoSelector, Selection, __version__
from infosift.cli import app
from samples import friedman


def infosift(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def frame():
    X, y = friedman(0)
    return pl.DataFrame(X, schema=[f"x{i}" for i in range(10)]).with_columns(price=pl.Series(y))


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "houses.csv"
    frame.write_csv(path)
    return path


def test_the_table_and_the_evidence(csv, frame, tmp_path):
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, "--target", "price", "--seed", 3, "--json", out)
    assert result.exit_code == 0, result.output
    selection = Selection.from_json(out.read_text(encoding="utf-8"))
    fitted = MutualInfoSelector(random_state=3).fit(frame.drop("price"), frame["price"])
    assert selection == fitted.selection_
    assert f"{len(selection.names)} of 10 features selected for price: {selection.names[0]}" in result.stdout
    for step in selection.steps:
        row = next(line for line in result.stdout.splitlines() if f" {step.feature} " in line and "│" in line)
        assert all(f" {number:.3f} " in row for number in (step.information, step.p_value))
        assert all(f" {number:.2f} " in row for number in (step.statistic, step.threshold))
    assert "seed 3" in result.stdout
    assert "published" not in result.stdout


def test_the_published_method_goes_by_name(csv, frame, tmp_path):
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, "--target", "price", "--method", "published", "--json", out)
    fitted = MutualInfoSelector(method="published", random_state=0).fit(frame.drop("price"), frame["price"])
    assert Selection.from_json(out.read_text(encoding="utf-8")) == fitted.selection_
    assert "(chosen by x3)" in result.stdout
    assert "so false positives are more likely than alpha" in " ".join(result.stdout.split())


def test_a_refusal_names_options_and_not_parameters(csv, frame):
    frame.with_columns(pl.col("x3") * 1e300).write_csv(csv)
    result = infosift("select", csv, "--target", "price", "--scale", "none")
    assert result.exit_code == 2
    assert result.stderr.startswith("--scale none compares numbers as they are")
    assert "or use --scale standard." in " ".join(result.stderr.split())
    frame.with_columns(who=pl.Series(["a", "b"] * 50)).write_csv(csv)
    result = infosift("select", csv, "--target", "price", "--groups", "who", "--null", "local")
    assert result.stderr.startswith("--null local takes values of near rows")


@pytest.mark.parametrize("scale", ["rank", "none"])
def test_the_scale_goes_by_name(csv, frame, tmp_path, scale):
    out = tmp_path / "evidence.json"
    options = ("--method", "published", "--scale", scale, "--json", out)
    assert infosift("select", csv, "--target", "price", *options).exit_code == 0
    selector = MutualInfoSelector(method="published", scale=scale, random_state=0)
    fitted = selector.fit(frame.drop("price"), frame["price"])
    assert Selection.from_json(out.read_text(encoding="utf-8")) == fitted.selection_
    assert infosift("select", csv, "--target", "price", "--scale", "log").exit_code == 2


def test_parquet_and_csv_give_the_same(csv, frame, tmp_path):
    parquet = tmp_path / "houses.parquet"
    frame.write_parquet(parquet)
    from_csv, from_parquet = (infosift("select", path, "--target", "price").stdout for path in (csv, parquet))
    assert from_csv == from_parquet


def test_ignored_features_take_no_part(csv, tmp_path):
    out = tmp_path / "evidence.json"
    infosift("select", csv, "--target", "price", "--ignore", "x3", "--ignore", "x0", "--json", out)
    names = json.loads(out.read_text())["feature_names"]
    assert names == ["x1", "x2", "x4", "x5", "x6", "x7", "x8", "x9"]


def test_decimal_commas_are_read(frame, tmp_path):
    with_points, with_commas = tmp_path / "points.csv", tmp_path / "commas.csv"
    frame.write_csv(with_points)
    frame.write_csv(with_commas, separator=";", decimal_comma=True)
    said = [infosift("select", path, "--target", "price").stdout for path in (with_points, with_commas)]
    assert said[0] == said[1]
    assert "selected for price: x3" in said[0]


def test_quotes_in_names_are_kept(frame, tmp_path):
    path, out = tmp_path / "houses.csv", tmp_path / "selected.csv"
    names = ['x "3", <b>', "x4"]
    frame.select("price", "x3", "x4").rename(dict(zip(("x3", "x4"), names, strict=True))).write_csv(path)
    result = infosift("select", path, "--target", "price", "--keep", names[0], "--csv", out)
    assert result.exit_code == 0, result.output
    assert next(csv_reader(out.read_text(encoding="utf-8").splitlines())) == [*names, "price"]


def test_a_target_is_numbers_or_classes_as_told(frame, tmp_path):
    path, out = tmp_path / "houses.csv", tmp_path / "evidence.json"
    frame.with_columns(price=(pl.col("price").rank("ordinal") - 1) // 10).write_csv(path)
    for kind, expected in (("numbers", None), ("classes", 10), ("auto", 10)):
        infosift("select", path, "--target", "price", "--target-kind", kind, "--max-features", 1, "--json", out)
        assert Selection.from_json(out.read_text(encoding="utf-8")).n_classes == (expected,)


def test_the_command_of_a_report_repeats_the_run(csv, frame, tmp_path):
    from infosift.display.report.reproduce import command

    frame.with_columns(level=frame["x1"].rank("ordinal") % 3, day=pl.lit("a day")).write_csv(csv)
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    given = ["--ignore", "day", "--ignore", "x3", "--categorical", "level", "--max-features", 2]
    infosift("select", csv, "--target", "price", *given, "--json", first)
    selection = Selection.from_json(first.read_text(encoding="utf-8"))
    repeated = shlex.split(command(selection))[1:]
    assert infosift(*(csv if word == "DATA.csv" else word for word in repeated), "--json", second).exit_code == 0
    assert Selection.from_json(second.read_text(encoding="utf-8")) == selection
    assert selection.discrete == ("level",)


@pytest.fixture
def measured_thrice(frame, tmp_path):
    """Three rows for each of some people, and the groups of the rows."""
    people = [f"person {place // 3}" for place in range(frame.height)]
    path = tmp_path / "measured.csv"
    frame.with_columns(person=pl.Series(people)).write_csv(path)
    return path, people


def test_rows_that_belong_together(measured_thrice, frame, tmp_path):
    path, people = measured_thrice
    out, table = tmp_path / "evidence.json", tmp_path / "selected.csv"
    options = ("--groups", "person", "--max-features", 2, "--json", out, "--csv", table)
    result = infosift("select", path, "--target", "price", *options)
    assert result.exit_code == 0, result.output
    fitted = MutualInfoSelector(max_features=2, random_state=0).fit(
        frame.drop("price"), frame["price"], groups=people
    )
    selection = Selection.from_json(out.read_text(encoding="utf-8"))
    assert selection == fitted.selection_
    assert selection.settings.n_row_groups == 34
    assert "person" not in selection.feature_names
    assert "100 rows in 34 groups" in result.stdout
    assert pl.read_csv(table).columns == [*selection.names, "price"]


@pytest.mark.parametrize("label", ["0{place}b", "{place},000", " {place}"])
def test_groups_may_look_like_numbers_gone_wrong(frame, tmp_path, label):
    path, out = tmp_path / "measured.csv", tmp_path / "evidence.json"
    people = [label.format(place=place // 3) if place % 2 else str(place // 3) for place in range(frame.height)]
    frame.with_columns(person=pl.Series(people)).write_csv(path)
    result = infosift(
        "select", path, "--target", "price", "--groups", "person", "--max-features", 1, "--json", out
    )
    assert result.exit_code == 0, result.output
    assert Selection.from_json(out.read_text(encoding="utf-8")).settings.n_row_groups == len(set(people))


@pytest.mark.parametrize("kind", [pl.Int64, pl.Float64, pl.Boolean, pl.Categorical, pl.Date])
def test_groups_of_any_kind(frame, tmp_path, kind):
    path, out = tmp_path / "measured.parquet", tmp_path / "evidence.json"
    numbers = pl.Series([place // (60 if kind is pl.Boolean else 5) for place in range(frame.height)])
    values = numbers.cast(pl.String).cast(kind) if kind is pl.Categorical else numbers.cast(kind)
    frame.with_columns(person=values).write_parquet(path)
    alpha = ("--alpha", 0.9) if kind is pl.Boolean else ()  # two groups have two orders
    options = (*alpha, "--groups", "person", "--max-features", 1, "--json", out)
    result = infosift("select", path, "--target", "price", *options)
    assert result.exit_code == 0, result.output
    groups = Selection.from_json(out.read_text(encoding="utf-8")).settings.n_row_groups
    assert groups == (2 if kind is pl.Boolean else 20)


def test_the_command_of_a_report_repeats_a_run_with_groups(measured_thrice, tmp_path):
    from infosift.display.report.reproduce import command

    path, _ = measured_thrice
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    infosift("select", path, "--target", "price", "--groups", "person", "--max-features", 1, "--json", first)
    selection = Selection.from_json(first.read_text(encoding="utf-8"))
    filled_in = {"DATA.csv": path, "COLUMN": "person"}
    repeated = [filled_in.get(word, word) for word in shlex.split(command(selection))[1:]]
    assert infosift(*repeated, "--json", second).exit_code == 0
    assert Selection.from_json(second.read_text(encoding="utf-8")) == selection


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--groups", "persom"], 'has no column "persom": did you mean "person"?'),
        (["--groups", "Person"], 'has no column "Person": did you mean "person"?'),
        (["--groups", "price"], '"price" is the target, so it cannot say which rows belong together.'),
        (
            ["--groups", "person", "--keep", "person"],
            '"person" says which rows belong together, so it cannot be a feature.',
        ),
        (
            ["--groups", "person", "--categorical", "person"],
            '"person" says which rows belong together, so it cannot be a feature.',
        ),
        (["--groups", "person", "--ignore", "person"], '"person" is to be ignored, so'),
        (
            ["--groups", "few", "--ignore", "gap"],
            "--groups has 3 groups of rows, and alpha=0.05 needs at least 5, since only whole",
        ),
        (["--groups", "gap"], 'The groups "gap" have no value in row 8 (the first row is 1): fill it in first.'),
        (
            ["--groups", "gap", "--missing", "drop"],
            'The groups "gap" have no value in row 8 (the first row is 1): fill it in first.',
        ),
    ],
)
def test_bad_groups_are_one_sentence(frame, tmp_path, arguments, message):
    path = tmp_path / "measured.csv"
    number = pl.int_range(pl.len())
    frame.with_columns(
        person=number // 3,
        few=number // 40,
        gap=pl.when(number == 7).then(None).otherwise("person " + (number // 3).cast(pl.String)),
    ).write_csv(path)
    result = infosift("select", path, "--target", "price", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.parametrize("write", [pl.DataFrame.write_csv, pl.DataFrame.write_parquet])
def test_groups_that_are_no_number(frame, tmp_path, write):
    path = tmp_path / f"measured.{write.__name__.removeprefix('write_')}"
    write(bad_value(frame.with_columns(person=pl.int_range(pl.len()) / 2), "person", 4, float("nan")), path)
    result = infosift("select", path, "--target", "price", "--groups", "person")
    assert result.exit_code == 2
    assert 'The groups "person" have no value in row 5 ' in result.stderr


def test_groups_leave_a_feature(frame, tmp_path):
    path = tmp_path / "measured.csv"
    frame.select("price", person=pl.int_range(pl.len()) // 3).write_csv(path)
    result = infosift("select", path, "--target", "price", "--groups", "person")
    assert result.exit_code == 2
    assert '"person" says which rows belong together, and there is no other feature left.' in result.stderr


def test_demo(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    result = infosift("demo")
    assert result.exit_code == 0
    assert "5 of 10 features selected for progression: s5, bmi, bp, s3, sex" in result.stdout.replace("\n", " ")
    assert "selected: informative only given the others" in result.stdout
    assert "redundant with s3 and s5" in result.stdout
    following = result.stdout.splitlines()[-3:]
    assert all(line.startswith("  infosift select ") for line in following)
    assert not opened
    assert infosift("demo", "--open").exit_code == 0
    assert [address.rpartition("/")[2] for address in opened] == ["diabetes.html"]


def test_version_and_help():
    assert infosift("--version").stdout.strip() == f"infosift {__version__}"
    assert "--target" in infosift("select", "--help").stdout
    module = subprocess.run([sys.executable, "-m", "infosift", "--version"], capture_output=True, check=True)
    assert module.stdout.decode().strip() == f"infosift {__version__}"


@pytest.mark.parametrize("width", [80, 120])
def test_help_fits_a_terminal(width):
    said = CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["select", "--help"]).stdout
    titles = [line.split("─ ")[1].split(" ─")[0] for line in said.splitlines() if "╭─ " in line]
    assert titles[:4] == ["Arguments", "Options", "Reading the file", "What columns hold"]
    assert titles[4:] == ["Which features", "How to test", "Results", "Running"]
    options = [line for line in said.splitlines() if line.lstrip("│* ").startswith("--")]
    assert len(options) > 30
    # Each has a line or a few: nothing makes the column of help texts narrow.
    assert len(said.splitlines()) < 3.5 * len(options)


def bad_value(frame, column, row, value):
    values = frame[column].to_list()
    values[row] = value
    return frame.with_columns(pl.Series(column, values, strict=False))


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (None, ["--target", "prize"], 'has no column "prize": did you mean "price"?'),
        (None, ["--target", "zzz"], 'has no column "zzz": it has x0, x1, x2, x3, x4, x5, x6, x7 and 3 more.'),
        (None, ["--target", "price", "--ignore", "q"], 'has no column "q"'),
        (None, ["--target", "price", "--ignore", "price"], '"price" is the target'),
        (None, ["--target", "price", "--categorical", "q"], 'has no column "q"'),
        (None, ["--target", "Price"], 'has no column "Price": did you mean "price"?'),
        (None, ["--target", "price", "--keep", "price"], '"price" is the target, so it cannot be kept'),
        (None, ["--target", "price", "--keep", "x1", "--ignore", "x1"], '"x1" is to be ignored, so'),
        (None, ["--target", "price", "--time-limit", "0"], "--time-limit must be a number above 0"),
        (
            lambda f: f.with_columns(x4=pl.Series(["1,234"] * 50 + ["2,500"] * 50)),
            [],
            'Column "x4" has numbers like "1,234", whose comma may be decimal or divide thousands',
        ),
        (
            lambda f: f.with_columns(price=pl.lit("high")),
            [],
            'The target "price" is constant (one class only)',
        ),
        (
            lambda f: bad_value(f.with_columns(pl.col("x4").cast(pl.String)), "x4", 6, "n.d."),
            [],
            'but row 7 (the first row is 1) is "n.d.": make it a number, empty it, or say --ignore x4',
        ),
        (lambda f: bad_value(f, "x2", 41, None), [], 'Column "x2" has a missing value (NaN) in row 42 '),
        (
            lambda f: bad_value(f, "price", 4, None),
            [],
            'The target "price" has a missing value (NaN) in row 5 ',
        ),
        (lambda f: bad_value(f, "x1", 0, np.inf), [], 'Column "x1" has an infinite value (inf) in row 1 '),
        (lambda f: f.with_columns(price=pl.lit(4)), [], 'target "price" is constant (always 4)'),
        (lambda f: f.head(4), [], "--alpha=0.05 needs at least 5 rows, and the table has n_samples=4."),
        (lambda f: f.head(1), [], "A selection needs at least 2 rows, and the table has n_samples=1."),
        (None, ["--target", "price", "--alpha", "0"], "alpha must lie between 0 and 1, not 0.0."),
        (None, ["--target", "price", "--alpha", "nan"], "alpha must lie between 0 and 1, not nan."),
        (None, ["--target", "price", "--jobs", "0"], "--jobs must be a number of threads, -1 for one per core"),
        (None, ["--target", "price", "--json", "."], ". is a folder: give a file for the results."),
        (lambda f: f.clear(), [], "has column names but no rows."),
        (lambda f: f.select("price"), [], 'has no column left besides the target "price".'),
        (
            None,
            ["--target", "price", "--json", "/no such folder/out.json"],
            "There is no folder /no such folder",
        ),
    ],
)
def test_bad_input_is_one_sentence(frame, tmp_path, change, arguments, message):
    path = tmp_path / "houses.csv"
    (change or (lambda f: f))(frame).write_csv(path)
    result = infosift("select", path, *(arguments or ["--target", "price"]))
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.csv", None, "There is no file"),
        ("table.ods", b"PK", "must end in one of .csv, .csv.gz, .tsv, .tsv.gz, .parquet, .pq, .arrow"),
        ("table.xlsx", b"PK", "cannot be read as a table"),
        ("ragged.csv", b"a,price\n1,2\n1,2,3\n", "cannot be read as a table"),
        ("latin.csv", b"a,price\n1,2\n\xe9,3\n", "is not UTF-8: name its encoding, such as --encoding latin-1"),
        ("table.parquet", b"not parquet", "cannot be read as a table"),
        ("empty.csv", b"", "cannot be read as a table"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    result = infosift("select", path, "--target", "price")
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("word", ["NA", "?", "nan", ""])
def test_words_for_a_missing_value(csv, word):
    lines = csv.read_text().splitlines()
    lines[3] = ",".join([word, *lines[3].split(",")[1:]])
    csv.write_text("\n".join(lines))
    assert 'Column "x0" has a missing value (NaN) in row 3 ' in infosift("select", csv, "--target", "price").stderr


def test_unusable_features_are_noted(frame, csv):
    frame.with_columns(flat=pl.lit(1), again=pl.col("x3")).write_csv(csv)
    result = infosift("select", csv, "--target", "price")
    assert result.exit_code == 0
    assert 'Note: Constant features carry no information and are not tested: "flat".' in result.stderr
    assert '"again" (of "x3")' in result.stderr.replace("\n", " ")


@pytest.mark.parametrize("name", ["[/bold]", "[red]rate[/red]", "rate [/h]", "[a]", "", "Größe °C"])
def test_names_are_shown_as_they_are(frame, csv, tmp_path, name):
    frame.rename({"x3": name}).write_csv(csv)
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, "--target", "price", "--json", out)
    assert result.exit_code == 0, result.output
    assert f"selected for price: {name}" in result.stdout
    assert any(f" {name} " in line for line in result.stdout.splitlines() if line.startswith("│    1"))
    assert Selection.from_json(out.read_text(encoding="utf-8")).names[0] == name


def test_the_data_are_never_overwritten(csv):
    before = csv.read_bytes()
    result = infosift("select", csv, "--target", "price", "--json", csv)
    assert result.exit_code == 2
    assert "is the data: give another file" in result.stderr
    assert csv.read_bytes() == before


@pytest.mark.parametrize(("separator", "ending"), [(";", "csv"), ("\t", "csv"), ("\t", "tsv")])
def test_other_separators(frame, tmp_path, separator, ending):
    path = tmp_path / f"data[1].{ending}"
    frame.write_csv(path, separator=separator)
    assert "selected for price: x3" in infosift("select", path, "--target", "price").stdout


def test_numbers_with_spaces_around_them(csv):
    csv.write_text(csv.read_text().replace(",", " , "))
    header, *rows = csv.read_text().splitlines()
    csv.write_text("\n".join([header.replace(" ", ""), *rows]))
    assert "selected for price: x3" in infosift("select", csv, "--target", "price").stdout


@pytest.mark.parametrize("width", [40, 55, 70, 80, 120])
def test_a_narrow_terminal_shows_the_answer(csv, width):
    result = CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["select", str(csv), "--target", "price"])
    row = next(line for line in result.stdout.splitlines() if " x3 " in line and "│" in line)
    assert "0.001" in row
    assert "selected" in row


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_ctrl_c_is_honoured(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "long.parquet"
    pl.DataFrame(rng.normal(size=(6000, 200))).write_parquet(path)
    # A word just before the long part begins.
    code = f"""
import sys
from infosift import cli, selector
selector.emit = lambda *args, **kwargs: print("started", flush=True)
sys.argv = ["infosift", "select", {str(path)!r}, "--target", "column_0"]
cli.run()
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"started"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.decode().strip() == "Interrupted."


def test_rows_with_gaps_are_dropped_when_asked(frame, tmp_path):
    path = tmp_path / "gaps.csv"
    frame.with_columns(x1=pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise(pl.col("x1"))).write_csv(path)
    assert infosift("select", path, "--target", "price").exit_code == 2
    result = infosift("select", path, "--target", "price", "--missing", "drop")
    assert result.exit_code == 0, result.output
    assert "99 rows (1 more had missing values)" in result.stdout


def test_text_and_classes(tmp_path):
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
    selection = Selection.from_json((tmp_path / "out.json").read_text())
    assert selection.discrete == ("tree", "grade", "name")
    assert selection.near_unique == ("name",)


def test_notes_about_the_data_name_options(csv, frame, tmp_path):
    frame.with_columns(eur=0.92 * pl.col("price"), log=pl.col("price").log()).write_csv(csv)
    report = tmp_path / "report.html"
    asked = ("select", csv, "--target", "price", "--check-model", "ridge", "--max-features", 1, "--report", report)
    result = infosift(*asked)
    said = " ".join(result.stderr.split())
    assert said.count("nearly alone") == 1
    assert "leave them out: --ignore eur --ignore log." in said
    assert "<strong>A feature may give the target away.</strong>" in report.read_text(encoding="utf-8")
    assert "nearly alone" not in infosift(*asked, "--ignore", "eur", "--ignore", "log").stderr
    assert infosift(*asked, "--quiet").stderr == ""


def test_series_are_shifted_in_time(csv, frame, tmp_path):
    out = tmp_path / "evidence.json"
    result = infosift("select", csv, "--target", "price", "--null", "circular", "--max-features", 1, "--json", out)
    assert result.exit_code == 0, result.output
    assert Selection.from_json(out.read_text(encoding="utf-8")).settings.method.parameters["null"] == "circular"
    result = infosift("select", csv, "--target", "price", "--null", "circular", "--method", "published")
    assert result.exit_code == 2
    assert "--null is for --method calibrated" in result.stderr
