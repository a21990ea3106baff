import os
import sys
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("default", deadline=None, derandomize=True, stateful_step_count=12)
hypothesis.settings.register_profile("deep", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# The paper's data sets are not part of the repository; where they lie beside it, the studies are tested on them.
_BESIDE = Path(__file__).parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("INFOSIFT_DATA", str(_BESIDE))


@pytest.fixture(autouse=True)
def _no_open_figures():
    """Close the figures of pyplot that a test has drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _selected_features_only(request, monkeypatch):
    """Leave out the features to predict with where a simulation is about tests: they take most of its time."""
    if request.node.get_closest_marker("simulation"):
        from infosift.results import PredictionSet

        monkeypatch.setattr(
            "infosift.search.runner.features_for_prediction",
            lambda problem, selection, reporter: PredictionSet.of_selected(selection),
        )
