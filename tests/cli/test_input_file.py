"""The file that a command reads: formats, names of columns, missing values, row groups, and what is refused."""

import io

import numpy as np
import polars as pl
import pytest

from infosift import mutual_information

# Commands that read a file, with what they need besides the data and the target.
COMMANDS = {"select": (), "rank": (), "neighbors": (), "test": ("0",), "score": ("0",), "stability": ()}


@pytest.fixture(scope="module")
def small():
    """A table with a name that has a comma."""
    rng = np.random.default_rng(0)
    columns = dict(zip(("a", "b", "c", "weight, kg"), rng.normal(size=(4, 60)), strict=True))
    return pl.DataFrame(columns).with_columns(y=pl.Series(columns["a"] + 0.1 * rng.normal(size=60)))


@pytest.fixture
def small_csv(small, tmp_path):
    path = tmp_path / "table.csv"
    small.write_csv(path)
    return path


def score_of(frame, *features, target):
    return f"{mutual_information(frame.select(features), frame[target]):.4f} nats (6 neighbours)"


def with_value(frame, column, row, value):
    values = frame[column].to_list()
    values[row] = value
    return frame.with_columns(pl.Series(column, values, strict=False))


FORMATS = {
    "csv": pl.DataFrame.write_csv,
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
    "feather": pl.DataFrame.write_ipc,
    "semicolons [1].csv": lambda frame, path: frame.write_csv(path, separator=";"),
    "tabs.csv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "commas.csv": lambda frame, path: frame.write_csv(path, separator=";", decimal_comma=True),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_give_the_same(infosift, frame, tmp_path, name):
    path = tmp_path / (name if "." in name else f"houses.{name}")
    FORMATS[name](frame, path)
    result = infosift("score", path, "x3,x4", "x0", "-t", "price")
    assert result.stdout.strip() == score_of(frame, "x3", "x4", "x0", target="price"), result.stderr


@pytest.mark.parametrize("write", [pl.DataFrame.write_csv, pl.DataFrame.write_parquet, pl.DataFrame.write_ipc])
def test_standard_input(infosift, frame, write):
    buffer = io.BytesIO()
    write(frame, buffer)
    result = infosift("score", "-", "x3", "-t", "price", input=buffer.getvalue())
    assert result.stdout.strip() == score_of(frame, "x3", target="price"), result.stderr


def test_empty_standard_input(refused):
    assert "Standard input is empty" in refused("select", "-", "--target", "y", input=b"")


def test_numbers_with_spaces_around_them(infosift, frame, csv):
    header, *rows = csv.read_text().splitlines()
    csv.write_text("\n".join([header, *(row.replace(",", " , ") for row in rows)]))
    assert infosift("score", csv, "x3", "-t", "price").stdout.strip() == score_of(frame, "x3", target="price")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--keep", "b,c", "--keep", "a"], ["b", "c", "a"]),
        (["--keep", "b, c,a"], ["b", "c", "a"]),
        (["--keep", "b,weight, kg,a"], ["b", "weight, kg", "a"]),
        (["--keep", "weight, kg"], ["weight, kg"]),
        (["--keep", "b,,b,"], ["b"]),
    ],
)
def test_lists_have_commas_or_are_repeated(infosift, small_csv, fits, words, expected):
    assert infosift("select", small_csv, "-t", "y", *words).exit_code == 0
    assert fits[0].parameters["keep"] == expected


def test_every_list_has_commas(infosift, small, small_csv, fits):
    infosift("select", small_csv, "-t", "y", "--ignore", "a,weight, kg")
    assert fits[0].features.columns == ["b", "c"]
    infosift("select", small_csv, "-t", "y", "--categorical", "b, c")
    assert fits[1].parameters["discrete_features"] == ["b", "c"]
    said = infosift("test", small_csv, "a", "--given", "b,weight, kg", "-t", "y").stdout
    assert "a is significantly informative about y, conditional on b, weight, kg." in said
    said = infosift("score", small_csv, "weight, kg", "-t", "y").stdout
    assert said.strip() == score_of(small, "weight, kg", target="y")


@pytest.mark.parametrize("option", ["--keep", "--ignore", "--categorical"])
def test_a_wrong_name_in_a_list_is_named(refused, small_csv, option):
    said = refused("select", small_csv, "-t", "y", option, "a,bb")
    assert 'has no column "bb": did you mean "b"?' in said


def test_ignored_columns_are_not_read_and_are_part_of_the_settings(infosift, csv, fits, tmp_path):
    from infosift import Selection

    out = tmp_path / "evidence.json"
    infosift("select", csv, "-t", "price", "--ignore", "x3", "--ignore", "x0", "--json", out)
    assert fits[0].features.columns == ["x1", "x2", "x4", "x5", "x6", "x7", "x8", "x9"]
    assert Selection.from_json(out.read_text(encoding="utf-8")).settings.ignore == ("x3", "x0")


@pytest.fixture
def gaps(small, tmp_path):
    path = tmp_path / "gaps.csv"
    number = pl.int_range(pl.len())
    small.with_columns(
        a=pl.when(number != 4).then("a"), b=pl.when(number != 7).then("b"), y=pl.when(number != 9).then("y")
    ).write_csv(path)
    return path


def test_rows_with_gaps_are_dropped_by_every_command(infosift, refused, gaps, small):
    result = infosift("score", gaps, "a", "-t", "y", "--missing", "drop")
    assert result.exit_code == 0, result.output
    complete = small.with_row_index().filter(~pl.col("index").is_in([4, 9]))
    assert result.stdout.strip() == score_of(complete, "a", target="y")
    assert result.stderr.startswith('Note: 2 of 60 rows had missing values and were dropped (1 of "a"): ')
    assert infosift("test", gaps, "b", "--given", "a", "-t", "y", "--missing", "drop").exit_code == 0
    assert infosift("neighbors", gaps, "-t", "y", "--missing", "drop").exit_code == 0
    said = infosift("select", gaps, "-t", "y", "--missing", "drop", "--max-features", 1).stdout
    assert "57 rows (3 more had missing values)" in said
    said = refused("score", gaps, "a", "-t", "y", "--missing", "error")
    assert "row 5 (the first row is 1)" in said
    assert said.endswith("or drop such rows with --missing drop.")


@pytest.mark.parametrize("command", [["select"], ["rank"], ["neighbors"], ["test", "b"], ["score", "b"]])
def test_gaps_are_used_around_by_default_and_rows_without_a_target_left_out(infosift, gaps, command):
    name, *feature = command
    result = infosift(name, gaps, *feature, "-t", "y")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stderr.split())
    assert "Note: Rows without a target are left out: 1 of 60. Values are missing (1 of " in said
    assert '1 of "b"' in said
    assert "--missing drop" in said
    assert '"y"' not in said


@pytest.mark.parametrize("missing", ["error", "drop", "partial"])
def test_rows_are_counted_from_one_whatever_is_dropped(refused, small, tmp_path, missing):
    path = tmp_path / "infinite.parquet"
    number = pl.int_range(pl.len())
    cells = pl.when(number == 20).then(float("inf")).otherwise("b")
    gap = {} if missing == "error" else {"a": pl.when(number != 4).then("a")}
    small.with_columns(b=cells, **gap).write_parquet(path)
    said = refused("select", path, "-t", "y", "--missing", missing)
    assert 'Column "b" has an infinite value (inf) in row 21 (the first row is 1)' in said


@pytest.mark.parametrize("word", ["NA", "?", "nan", ""])
def test_words_for_a_missing_value(refused, csv, word):
    lines = csv.read_text().splitlines()
    lines[3] = ",".join([word, *lines[3].split(",")[1:]])
    csv.write_text("\n".join(lines))
    assert 'Column "x0" has a missing value (NaN) in row 3 ' in refused(
        "select", csv, "-t", "price", "--missing", "error"
    )


@pytest.mark.parametrize("command", ["select", "rank", "stability"])
def test_columns_without_a_value_are_to_be_ignored(refused, small, tmp_path, command):
    path = tmp_path / "table.csv"
    gap = pl.when(pl.int_range(pl.len()) != 4).then("a")
    small.with_columns(pl.lit(None).alias("not yet"), a=gap).write_csv(path)
    said = refused(command, path, "-t", "y", "--missing", "error")
    assert said == "Column \"not yet\" has no value in any row: leave it out with --ignore 'not yet'."
    said = refused(command, path, "-t", "y", "--missing", "error", "--ignore", "not yet")
    assert 'Column "a" has a missing value (NaN) in row 5 (the first row is 1)' in said
    assert said.endswith(
        "the values that a row has with --missing partial, or drop such rows with --missing drop."
    )


def test_dates_and_signs_in_a_file(infosift, small, tmp_path, fits):
    path = tmp_path / "sales.csv"
    day = pl.date(2024, 1, 1) + pl.duration(days=pl.int_range(pl.len()))
    sales = pl.concat([small, small]).with_columns(sold=day, rate=pl.col("b").round(3).cast(pl.String) + "%")
    sales.select("sold", "rate", "y").write_csv(path)
    plain = infosift("select", path, "-t", "y")
    assert 'Note: Read as numbers: "rate" (' in plain.stderr
    assert 'Note: Read as dates, which count in days: "sold" ("2024-01-01")' in plain.stderr
    assert infosift("select", path, "-t", "y", "--dates", "expand").exit_code == 0
    assert infosift("rank", path, "-t", "y", "--dates", "expand").exit_code == 0
    as_days, *expanded = (fit.features for fit in fits)
    assert as_days.columns == ["sold", "rate"]
    assert as_days["rate"].dtype.is_float()
    for features in expanded:
        assert features.columns == ["sold", "rate", "sold weekday", "sold month"]
    assert infosift("score", path, "sold", "-t", "y").exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_encodings_comments_and_files_without_names(
    infosift, refused, small, tmp_path, fits, monkeypatch, command
):
    monkeypatch.setattr("infosift.stability.selection_stability", lambda *_, **__: 1 / 0)  # the file was read
    path = tmp_path / "table.csv"
    text = "# Größen\n" + small.drop("weight, kg").write_csv(include_header=False)
    path.write_bytes(text.encode("latin-1"))
    words = [command, path, *COMMANDS[command], "-t", "3"]
    assert "is not UTF-8: name its encoding, such as --encoding latin-1" in refused(*words)
    assert "if that is a comment, add --comment '#'." in refused(*words, "--encoding", "latin-1")
    reading = ["--encoding", "latin-1", "--comment", "#"]
    assert "add --no-header" in refused(*words, *reading)
    result = infosift(*words, *reading, "--no-header")
    assert result.exit_code == 0 or isinstance(result.exception, ZeroDivisionError)


def test_the_decimal_mark_by_option(infosift, refused, small, tmp_path):
    path = tmp_path / "table.csv"
    thousands = small.select((pl.col("a", "y") * 1000 + 5000).round().cast(pl.Int64).cast(pl.String))
    thousands.select(pl.all().str.replace(r"(\d{3})$", ",$1")).write_csv(path, separator=";")
    said = refused("score", path, "a", "-t", "y")
    assert said.endswith("divide thousands: set --decimal comma or --decimal point.")
    for mark in ("comma", "point"):
        assert infosift("score", path, "a", "-t", "y", "--decimal", mark).exit_code == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.json", '{"pair": ["x3", "x4"]}'),
        ("g.csv", "column,group\nx3,pair\nx4,pair\n"),
        ("g.csv", "feature,group\nx3,pair\nx4,pair\n"),
        ("h.csv", "x3,pair\nx4,pair"),
    ],
)
def test_feature_groups_from_a_file(infosift, csv, fits, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert infosift("select", csv, "-t", "price", "--feature-groups", tmp_path / name).exit_code == 0
    assert fits[0].parameters["feature_groups"] == {"pair": ["x3", "x4"]}


@pytest.mark.parametrize(
    ("name", "content"), [("g.json", "[1]"), ("g.json", "{"), ("g.csv", "a,b,c\n"), ("none.csv", None)]
)
def test_files_that_name_no_feature_groups(refused, csv, tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_text(content)
    said = refused("select", csv, "-t", "price", "--feature-groups", tmp_path / name)
    assert ("There is no file" if content is None else "does not say which features are groups") in said


LABELS = {
    "text": lambda number: "person " + number.cast(pl.String),
    "numbers with letters": lambda number: "0" + number.cast(pl.String) + "b",
    "numbers with commas": lambda number: number.cast(pl.String) + ",000",
    "numbers after spaces": lambda number: " " + number.cast(pl.String),
    "numbers": lambda number: number,
    "floats": lambda number: number / 2,
}


@pytest.mark.parametrize("label", LABELS)
def test_row_groups_of_a_file_of_text(infosift, frame, tmp_path, fits, label):
    path = tmp_path / "measured.csv"
    number = pl.Series("person", np.arange(frame.height) // 3)
    frame.with_columns(person=LABELS[label](number)).write_csv(path)
    for command in ("select", "rank"):
        assert infosift(command, path, "-t", "price", "--groups", "person").exit_code == 0
    for fit in fits:
        assert fit.groups.rank("dense").to_list() == LABELS[label](number).rank("dense").to_list()
        assert fit.features.columns == frame.drop("price").columns


@pytest.mark.parametrize("kind", [pl.Int64, pl.Float64, pl.Boolean, pl.Categorical, pl.Date])
def test_row_groups_of_any_type(infosift, frame, tmp_path, fits, kind):
    path = tmp_path / "measured.parquet"
    numbers = pl.Series("person", [place // (60 if kind is pl.Boolean else 5) for place in range(frame.height)])
    values = numbers.cast(pl.String).cast(kind) if kind is pl.Categorical else numbers.cast(kind)
    frame.with_columns(person=values).write_parquet(path)
    assert infosift("select", path, "-t", "price", "--groups", "person").exit_code == 0
    assert fits[0].groups.to_list() == values.to_list()


def test_a_selection_with_row_groups(infosift, frame, tmp_path):
    path, table = tmp_path / "measured.csv", tmp_path / "selected.csv"
    frame.with_columns(person=pl.int_range(pl.len()) // 3).write_csv(path)
    words = ("-t", "price", "--groups", "person", "--max-features", 1, "--csv", table)
    result = infosift("select", path, *words)
    assert "100 rows in 34 groups" in result.stdout
    assert pl.read_csv(table).columns == ["x3", "price"]


@pytest.mark.parametrize(
    ("words", "message"),
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
            "--groups has 3 groups of rows, and --alpha 0.05 needs at least 5, since only whole",
        ),
        (["--groups", "gap"], 'The groups "gap" have no value in row 8 (the first row is 1): fill it in first.'),
        (
            ["--groups", "gap", "--missing", "drop"],
            'The groups "gap" have no value in row 8 (the first row is 1): fill it in first.',
        ),
    ],
)
def test_bad_groups_are_one_sentence(refused, frame, tmp_path, words, message):
    path = tmp_path / "measured.csv"
    number = pl.int_range(pl.len())
    frame.with_columns(
        person=number // 3,
        few=number // 40,
        gap=pl.when(number == 7).then(None).otherwise("person " + (number // 3).cast(pl.String)),
    ).write_csv(path)
    assert message in refused("select", path, "-t", "price", *words)


@pytest.mark.parametrize("write", [pl.DataFrame.write_csv, pl.DataFrame.write_parquet])
def test_groups_that_are_no_number(refused, frame, tmp_path, write):
    path = tmp_path / f"measured.{write.__name__.removeprefix('write_')}"
    write(with_value(frame.with_columns(person=pl.int_range(pl.len()) / 2), "person", 4, float("nan")), path)
    said = refused("select", path, "-t", "price", "--groups", "person")
    assert 'The groups "person" have no value in row 5 ' in said


def test_groups_leave_a_feature(refused, frame, tmp_path):
    path = tmp_path / "measured.csv"
    frame.select("price", person=pl.int_range(pl.len()) // 3).write_csv(path)
    said = refused("select", path, "-t", "price", "--groups", "person")
    assert said.endswith('has no column left besides the target "price" and "person".')


@pytest.mark.parametrize(
    ("change", "words", "message"),
    [
        (None, ["-t", "prize"], 'has no column "prize": did you mean "price"?'),
        (None, ["-t", "zzz"], 'has no column "zzz": it has x0, x1, x2, x3, x4, x5, x6, x7 and 3 more.'),
        (None, ["-t", "Price"], 'has no column "Price": did you mean "price"?'),
        (None, ["-t", "price", "--ignore", "price"], '"price" is the target'),
        (None, ["-t", "price", "--keep", "price"], '"price" is the target, so it cannot be kept'),
        (None, ["-t", "price", "--keep", "x1", "--ignore", "x1"], '"x1" is to be ignored, so'),
        (None, ["-t", "price", "--time-limit", "0"], "--time-limit must be a number above 0"),
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
            lambda f: with_value(f.with_columns(pl.col("x4").cast(pl.String)), "x4", 6, "n.d."),
            [],
            'but row 7 (the first row is 1) is "n.d.": make it a number, empty it, or set --ignore x4',
        ),
        (
            lambda f: with_value(f, "x2", 41, None),
            ["-t", "price", "--missing", "error"],
            'Column "x2" has a missing value (NaN) in row 42 ',
        ),
        (lambda f: f.with_columns(price=pl.lit(None)), [], 'The target "price" has no value in any row'),
        (lambda f: with_value(f, "x1", 0, np.inf), [], 'Column "x1" has an infinite value (inf) in row 1 '),
        (lambda f: f.with_columns(price=pl.lit(4)), [], 'target "price" is constant (always 4)'),
        (lambda f: f.head(4), [], "--alpha 0.05 needs at least 5 rows, and the table has n_samples=4."),
        (lambda f: f.head(1), [], "A selection needs at least 2 rows, and the table has n_samples=1."),
        (None, ["-t", "price", "--alpha", "0"], "--alpha must lie between 0 and 1, not 0.0."),
        (None, ["-t", "price", "--alpha", "nan"], "--alpha must lie between 0 and 1, not nan."),
        (None, ["-t", "price", "--jobs", "0"], "--jobs must be a number of threads, -1 for one per core"),
        (
            None,
            ["-t", "price", "--min-features", "3", "--max-features", "2"],
            "--min-features 3 is more than --max-features 2: change one of them.",
        ),
        (None, ["-t", "price", "--json", "."], "--json names no file: give one for the results."),
        (lambda f: f.clear(), [], "has column names but no rows."),
        (lambda f: f.select("price"), [], 'has no column left besides the target "price".'),
        (
            None,
            ["-t", "price", "--json", "/no such folder/out.json"],
            "There is no folder /no such folder",
        ),
        (
            lambda f: f.with_columns(pl.col("x3") * 1e300),
            ["-t", "price", "--scale", "none"],
            "--scale none compares numbers as they are",
        ),
        (
            lambda f: f.with_columns(pl.col("x3") * 1e300),
            ["-t", "price", "--scale", "none"],
            "or use --scale standard.",
        ),
        (
            lambda f: f.with_columns(x9=pl.Series(["a", "b"] * 50)),
            ["-t", "price", "--groups", "x9", "--null", "local"],
            "--null local takes values of near rows",
        ),
        (
            lambda f: f.with_columns(x9=pl.Series(["a", "b"] * 50)),
            ["-t", "price", "--criterion", "gaussian-copula"],
            "such as --criterion ksg, or leave the column out with --ignore x9.",
        ),
        (
            lambda f: with_value(f, "x2", 41, None),
            ["-t", "price", "--criterion", "histogram"],
            'Histogram() cannot compare rows with missing values, and there are some in "x2": use --missing drop',
        ),
    ],
)
def test_bad_input_is_one_sentence(refused, frame, tmp_path, change, words, message):
    path = tmp_path / "houses.csv"
    (change or (lambda f: f))(frame).write_csv(path)
    assert message in refused("select", path, *(words or ["-t", "price"]))


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
def test_files_that_cannot_be_read(refused, tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert message in refused("select", path, "-t", "price")


def test_a_folder_without_tables_is_refused(refused, tmp_path):
    said = refused("select", tmp_path, "-t", "y")
    assert said.endswith("is a folder without Parquet files: give a file, or a folder with some.")


def test_a_file_in_place_of_a_command_is_pointed_to_select(infosift, csv):
    result = infosift(csv)
    assert result.exit_code == 2
    said = "".join(result.stderr.replace("│", "").split())
    assert f"{csv}isnocommand:toselectitsfeatures,infosiftselect{csv}-tCOLUMN." in said
    assert "No such command 'selct'" in infosift("selct", csv).stderr


def test_rows_above_the_names(infosift, refused, csv):
    plain = infosift("score", csv, "x0", "-t", "price").stdout
    csv.write_text(
        "Prices, of houses, in 2024, by office, as of, May, in all, districts, of, the, town\n" + csv.read_text()
    )
    for option in (["--header-row", 2], ["--skip", 1]):
        assert infosift("score", csv, "x0", "-t", "price", *option).stdout == plain
    said = refused("score", csv, "x0", "-t", "price", "--header-row", 2, "--skip", 1)
    assert said == "--header-row and --skip exclude each other: leave one of them out."
    said = refused("score", csv, "x0", "-t", "price", "--header-row", 2, "--no-header")
    assert said == "--header-row and --no-header exclude each other: leave one of them out."
