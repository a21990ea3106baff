"""Files that commands write: whole or not at all, never in the place of others, without formulas on request."""

import subprocess
import sys
import warnings
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from infosift import Selection
from infosift.cli.output import warnings_as_notes
from infosift.results import NeighborChoice, PermutationTest
from samples import small_selection

RESULTS = {"--json": "out", "--csv": "out", "--report": "out", "--plot": "out.png", "--checkpoint": "out"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such links, devices and limits")


def test_results_in_files(infosift, refused, csv, frame, fits, selection, tmp_path):
    table, picture = tmp_path / "small.csv", tmp_path / "path.png"
    result = infosift("select", csv, "-t", "price", "--csv", table, "--plot", picture, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    written = pl.read_csv(table)
    assert written.equals(frame.select(*selection.names, "price"))
    assert picture.read_bytes().startswith(b"\x89PNG")
    said = refused("select", csv, "-t", "price", "--plot", tmp_path / "path.docx")
    assert said.endswith("path.docx is no picture: its name must end in one of .png, .svg, .pdf.")


def test_standard_output_has_the_evidence_and_nothing_else(infosift, csv, frame, fits, selection, tmp_path):
    result = infosift("select", csv, "-t", "price", "--json", "-")
    assert Selection.from_json(result.stdout) == selection
    assert "selected for price: x3" in result.stderr
    assert infosift("select", csv, "-t", "price", "--json", "-", "--quiet").stderr == ""
    table = infosift("select", csv, "-t", "price", "--csv", "-").stdout
    assert pl.read_csv(table.encode()).equals(frame.select(*selection.names, "price"))
    ranking = pl.read_csv(infosift("rank", csv, "-t", "price", "--csv", "-").stdout.encode())
    assert ranking["feature"].to_list() == list(selection.ranking)
    assert ranking["rank"].to_list() == list(range(1, 11))
    NeighborChoice.from_json(infosift("neighbors", csv, "-t", "price", "--json", "-").stdout)
    PermutationTest.from_json(infosift("test", csv, "x3", "-t", "price", "--json", "-").stdout)
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--json", "-", "--csv", "-"], "--json and --csv cannot both be -, which is standard output"),
        (["--report", "-"], "- is standard output, for --json and --csv only: name a file"),
        (["--checkpoint", "-"], "- is standard output, for --json and --csv only: name a file"),
    ],
)
def test_what_cannot_go_to_standard_output(refused, csv, words, message):
    assert message in refused("select", csv, "-t", "price", *words)


@pytest.mark.parametrize(("one", "other"), list(combinations(RESULTS, 2)))
def test_two_results_are_two_files(refused, csv, tmp_path, one, other):
    name = "out.png" if "--plot" in (one, other) else "out"
    (tmp_path / "folder").mkdir()
    again = tmp_path / "folder" / ".." / name
    said = refused("select", csv, "-t", "price", one, tmp_path / name, other, again)
    assert said.startswith(f"{one} and {other} are the same file, {tmp_path / name}: give another file")
    assert not (tmp_path / name).exists()


@posix
@pytest.mark.parametrize("command", ["select", "rank", "stability"])
def test_a_link_to_another_result_is_that_file(refused, csv, tmp_path, command):
    path, link = tmp_path / "out.json", tmp_path / "link.json"
    path.write_text("mine")
    link.symlink_to(path)
    said = refused(command, csv, "-t", "price", "--json", path, "--checkpoint", link)
    assert "--json and --checkpoint are the same file" in said
    assert path.read_text() == "mine"


@posix
@pytest.mark.parametrize("option", ["--json", "--csv", "--report", "--checkpoint"])
def test_no_result_is_an_input(refused, csv, tmp_path, option):
    link, groups = tmp_path / "link.csv", tmp_path / "groups.csv"
    link.symlink_to(csv)
    groups.write_text("a,g\nb,g\n")
    before = csv.read_bytes()
    for path in (csv, link):
        assert f"{path} is the data: give another file" in refused("select", csv, "-t", "price", option, path)
    words = ("select", csv, "-t", "price", "--feature-groups", groups, option, groups)
    assert f"{groups} is the file of feature groups: give another" in refused(*words)
    assert csv.read_bytes() == before
    assert groups.read_text() == "a,g\nb,g\n"


def run(*words, **options):
    """Run a command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "infosift", *map(str, words)], text=True, check=False, **options)


@posix
def test_no_result_is_standard_input(csv):
    before = csv.read_bytes()
    with csv.open("rb") as data:
        said = run("select", "-", "-t", "price", "--csv", csv, stdin=data, capture_output=True)
    assert said.returncode == 2
    assert said.stderr.strip() == f"{csv} is the data: give another file for the results."
    assert csv.read_bytes() == before


@contextmanager
def disk_with_room_for(n_bytes):
    """Let no file be longer, as if the disk were full."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@posix
def test_a_full_disk_leaves_every_file_as_it_was(refused, csv, fits, tmp_path):
    # Only the table fits.
    files = {option: tmp_path / f"out{option}.png" for option in ("--json", "--report", "--plot")}
    for path in (files["--json"], files["--report"]):
        path.write_text("before")
    table = tmp_path / "selected.csv"
    words = [part for option, path in files.items() for part in (option, path)]
    with disk_with_room_for(15_000):
        said = refused("select", csv, "-t", "price", "--quiet", *words, "--csv", table)
    assert said.count("could not be written to") == 3
    assert files["--json"].read_text() == files["--report"].read_text() == "before"
    assert not files["--plot"].exists()
    assert table.read_text().startswith("x3,")
    assert not list(tmp_path.glob(".*part"))


@posix
def test_a_checkpoint_that_does_not_fit_is_one_sentence(refused, csv, tmp_path):
    with disk_with_room_for(100):
        said = refused("select", csv, "-t", "price", "--checkpoint", tmp_path / "state.json")
    assert said == f"The checkpoint {tmp_path / 'state.json'} cannot be written (File too large)."
    assert [path.name for path in tmp_path.iterdir()] == ["houses.csv"]


@posix
def test_devices_are_written_to(infosift, refused, csv, fits, tmp_path):
    words = ("select", csv, "-t", "price", "--quiet", "--json")
    assert infosift(*words, "/dev/null", "--csv", "/dev/null").exit_code == 0
    assert "(No space left on device)" in refused(*words, "/dev/full")


@posix
def test_standard_output_as_a_device_that_is_a_file(csv, tmp_path):
    redirected = tmp_path / "out"
    words = ("select", csv, "-t", "price", "--max-features", 1, "--json", "/dev/stdout")
    with redirected.open("wb") as out:
        assert run(*words, stdout=out, stderr=subprocess.DEVNULL).returncode == 0
    text = redirected.read_text(encoding="utf-8")
    assert "1 of 10 features selected for price" in text
    Selection.from_json(text[: text.index("\n}") + 2])


def test_a_report_is_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("before")

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        small_selection(("a", "b")).report(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


FORMULAS = ["=1+1", "+a", "-a", "@a", "\ta", "plain", "'=1", "a=1"]


@pytest.fixture
def formulas(tmp_path):
    """A table whose names and text a spreadsheet would compute."""
    rng = np.random.default_rng(0)
    kind = rng.integers(len(FORMULAS), size=200)
    frame = pl.DataFrame({"=kind": [FORMULAS[i] for i in kind], "-1": rng.normal(size=200), "'=kind": kind % 2})
    path = tmp_path / "formulas.parquet"
    frame.with_columns(price=pl.Series(kind + frame["-1"].to_numpy() - 20)).write_parquet(path)
    return path


def test_formulas_are_escaped_on_request(infosift, formulas, tmp_path):
    out = tmp_path / "out.csv"
    words = ("select", formulas, "-t", "price", "--keep", "=kind,-1,'=kind", "--max-features", 3, "--csv", out)
    assert infosift(*words).exit_code == 0
    as_they_are = pl.read_csv(out)
    assert as_they_are.columns == ["=kind", "-1", "'=kind", "price"]
    assert set(as_they_are["=kind"]) == set(FORMULAS)
    assert infosift(*words, "--csv-escape").exit_code == 0
    escaped = pl.read_csv(out)
    assert escaped.columns == ["''=kind", "'-1", "'=kind", "price"]  # names stay apart
    assert set(escaped["''=kind"]) == {"'=1+1", "'+a", "'-a", "'@a", "'\ta", "plain", "'=1", "a=1"}
    assert escaped["price"].equals(as_they_are["price"])  # negative numbers are no formulas


@pytest.mark.parametrize("command", [("rank",), ("stability", "--resamples", 2)])
def test_formulas_are_escaped_in_every_table(infosift, formulas, tmp_path, command):
    out = tmp_path / "out.csv"
    words = ("-t", "price", *command[1:], "--ignore", "'=kind", "--jobs", 1, "--csv", out, "--csv-escape")
    result = infosift(command[0], formulas, *words)
    assert result.exit_code == 0, result.output
    assert set(pl.read_csv(out, infer_schema=False)["feature"]) == {"'=kind", "'-1"}


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning])
def test_warnings_to_developers_are_no_notes(capsys, category):
    with warnings_as_notes():
        warnings.warn("frames have a new protocol", category, stacklevel=1)
        warnings.warn("rows are few", UserWarning, stacklevel=1)
        warnings.warn("rows are few", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "Note: rows are few\n"


@posix
@pytest.mark.parametrize("reader", ["head -1", "grep -q selected", "true", "head -1 >&2"])
def test_a_closed_pipe_is_no_error(csv, tmp_path, reader):
    out, page = tmp_path / "r.json", tmp_path / "r.html"
    infosift = f"{sys.executable} -m infosift select {csv} -t price --max-features 1 --json {out} --report {page}"
    streams = "2>&1" if "&2" in reader else ""
    script = f"set -o pipefail; {infosift} {streams} | {reader}"
    said = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert "Traceback" not in said.stderr
    assert Selection.from_json(out.read_text()).names == ("x3",)
    assert page.exists()


@posix
@pytest.mark.parametrize("command", ["select", "rank", "neighbors", "test", "score"])
def test_a_full_standard_output_is_one_sentence(csv, tmp_path, command):
    feature = ["x3"] * (command in ("test", "score"))
    files = ["--json", tmp_path / "r.json"] * (command != "score")
    with open("/dev/full", "w") as full:
        said = run(command, csv, *feature, "-t", "price", *files, stdout=full, stderr=subprocess.PIPE)
    assert said.returncode == 1
    assert said.stderr.splitlines()[-1] == "What is printed could not be written (No space left on device)."
    assert "Traceback" not in said.stderr
    assert (tmp_path / "r.json").exists() == bool(files)


@posix
def test_closed_streams_are_no_error(csv, tmp_path):
    words = f"{sys.executable} -m infosift select {csv} -t price --max-features 1 --json {tmp_path / 'r.json'}"
    said = subprocess.run(["bash", "-c", f"{words} <&- >&- 2>&-"], check=False, timeout=120)
    assert said.returncode == 0
    assert Selection.from_json((tmp_path / "r.json").read_text()).names == ("x3",)


def test_files_are_written_before_anything_is_printed(infosift, csv, fits, tmp_path, monkeypatch):
    from infosift.display import terminal

    files = {option: tmp_path / f"out{option}.png" for option in ("--json", "--csv", "--report", "--plot")}
    there = []

    def look(*_, **__):
        there.append([path.exists() for path in files.values()])

    monkeypatch.setattr(terminal, "print_selection", look)
    monkeypatch.setattr(terminal, "print_comparison", look)
    monkeypatch.setattr("infosift.comparison.compare_subsets", lambda *_, **__: None)
    monkeypatch.setattr(Selection, "report", lambda _, path, **__: path.write_text("a report"))
    words = [part for option, path in files.items() for part in (option, path)]
    assert infosift("select", csv, "-t", "price", "--check-model", "ridge", *words).exit_code == 0
    assert there == [[True] * 4] * 2
