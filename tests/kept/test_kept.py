"""Selections that were kept as files come out again: the same features, statistics and p-values, bit for bit."""

import json
import warnings
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from infosift import DataWarning
from kept.cases import CASES
from samples import make_selector

KEPT = json.loads((Path(__file__).parent / "selections.json").read_text(encoding="utf-8"))
OF_STEPS = (
    *("feature", "columns", "information", "information_threshold", "statistic", "threshold", "null"),
    *("p_value", "p_low", "p_high", "n_permutations", "alpha", "accepted"),
    *("candidates", "candidate_information", "candidate_statistics", "candidate_p_values"),
)


def plain(value):
    """Floats by all their bits, arrays by a digest of theirs."""
    if isinstance(value, np.ndarray):
        return blake2b(np.ascontiguousarray(value, dtype=np.float64).tobytes(), digest_size=12).hexdigest()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.hex() if isinstance(value, float) else value


def content(selection):
    """All that was decided."""
    return {
        "names": plain(selection.names),
        "steps": [{name: plain(getattr(step, name)) for name in OF_STEPS} for step in selection.steps],
        "verdicts": plain([tuple(vars(said).values()) for said in selection.verdicts]),
        "replacements": plain([tuple(vars(found).values()) for found in selection.replacements]),
        "removed": plain(selection.removed),
        "criterion_values": plain(selection.criterion_values),
        "t": None if selection.neighbors is None else plain(selection.neighbors.t),
        "n_rows": selection.n_rows,
        "n_rows_dropped": selection.n_rows_dropped,
    }


def select(case):
    make, options = CASES[case]
    X, y, *row_groups = make()
    flat = {name.split(".")[-1]: value for name, value in options.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return make_selector(**{"random_state": 1, **flat}).fit(X, y, *row_groups).selection_


@cache
def linear_algebra():
    """The libraries that decide the last bits of regressions: they differ from processor to processor."""
    np.linalg.eigh(np.eye(2))
    return sorted({f"{found['internal_api']} {found.get('architecture')}" for found in threadpool_info()})


def without_last_bits(value):
    if isinstance(value, dict):
        return {name: without_last_bits(item) for name, item in value.items()}
    if isinstance(value, list):
        return [without_last_bits(item) for item in value]
    if isinstance(value, str) and value.lstrip("-").startswith("0x"):
        return float(f"{float.fromhex(value):.9g}")
    is_digest = isinstance(value, str) and len(value) == 24
    return None if is_digest else value


def test_all_kept_cases_are_tried():
    assert set(KEPT["selections"]) == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_kept_selection_comes_out_again(case):
    expected, found = KEPT["selections"][case], content(select(case))
    if linear_algebra() != KEPT["linear_algebra"]:
        expected, found = without_last_bits(expected), without_last_bits(found)
    assert found == expected
