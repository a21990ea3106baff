"""What tests of the command line share: commands in this process, a table, and fits that are not made."""

from types import SimpleNamespace

import polars as pl
import pytest
from typer.testing import CliRunner

from infosift import MutualInfoSelector
from infosift.cli import app
from samples import friedman


@pytest.fixture(scope="session")
def infosift():
    """Run a command in this process, with a terminal of some width."""

    def run(*arguments, width=100, **options):
        return CliRunner(env={"COLUMNS": str(width)}).invoke(app, [str(word) for word in arguments], **options)

    return run


@pytest.fixture(scope="session")
def refused(infosift):
    """Run a command that refuses its input, and return the one sentence that says why."""

    def run(*arguments, **options):
        result = infosift(*arguments, **options)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert len(result.stderr.strip().splitlines()) == 1
        return result.stderr.strip()

    return run


@pytest.fixture(scope="session")
def frame():
    X, y = friedman(0)
    return pl.DataFrame(X, schema=[f"x{i}" for i in range(10)]).with_columns(price=pl.Series(y))


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "houses.csv"
    frame.write_csv(path)
    return path


@pytest.fixture(scope="session")
def selection(frame):
    """What is selected from the table with default options."""
    return MutualInfoSelector(random_state=0, n_jobs=1).fit(frame.drop("price"), frame["price"]).selection_


@pytest.fixture
def fits(monkeypatch, selection):
    """The fits that commands ask for: recorded, and answered by the selection from the table."""
    recorded = []

    def fit(selector, X, y, groups=None):
        parameters = selector.get_params(deep=False)
        recorded.append(SimpleNamespace(parameters=parameters, features=X, target=y, groups=groups))
        selector.selection_ = selection
        return selector

    monkeypatch.setattr(MutualInfoSelector, "fit", fit)
    return recorded
