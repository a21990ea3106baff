"""An installed infosift works: it imports, selects features and has its command. Needs no tools or compiler."""

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import version

import numpy as np

import infosift
from infosift import MutualInfoSelector, mutual_information


def selects_features() -> None:
    """Select features among noise: the first has an effect that bends, the second one that is straight."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = X[:, 3] ** 2 + X[:, 1] + 0.3 * rng.normal(size=200)
    assert mutual_information(X[:, [1, 3]], y) > 0.5
    for method in ("calibrated", "published"):
        one, two = (MutualInfoSelector(method=method, random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
        assert {1, 3} <= set(one.selected_.tolist()), one.selection_
        assert one.selection_ == two.selection_
        assert one.transform(X).shape == (200, len(one.selected_))


def has_a_command() -> None:
    """Run the command as a person would."""
    command = shutil.which("infosift", path=sysconfig.get_path("scripts"))
    assert command, "the command is not installed"
    said = {
        argument: subprocess.run(
            [command, argument], check=True, capture_output=True, encoding="utf-8", errors="replace", timeout=600
        ).stdout
        for argument in ("--version", "demo")
    }
    assert said["--version"].strip() == f"infosift {version('infosift')}", said
    assert "bmi" in said["demo"], said


if __name__ == "__main__":
    selects_features()
    has_a_command()
    kernel = importlib.util.find_spec("infosift._kernel")
    print(f"infosift {infosift.__version__} works on Python {sys.version.split()[0]}: {kernel.origin}")
