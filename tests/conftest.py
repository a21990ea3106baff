import os
from pathlib import Path

import hypothesis

hypothesis.settings.register_profile("default", deadline=None, derandomize=True, stateful_step_count=12)
hypothesis.settings.register_profile("deep", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# The paper's data sets are not part of the repository; where they lie beside it, the studies are tested on them.
_BESIDE = Path(__file__).parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("INFOSIFT_DATA", str(_BESIDE))
