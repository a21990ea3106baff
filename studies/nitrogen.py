"""Section 5.3 of the paper: nitrogen in grass from spectra, by way of B-spline coordinates.

The paper does not report whether coordinates were standardised, so both are shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from infosift.arrays import FloatArray
from infosift.display.plots import SpectrumDisplay
from infosift.display.plots.canvas import GREY, new_figure
from infosift.selector import MutualInfoSelector
from infosift.spectra import BSplineBasis
from studies.data_files import NITROGEN
from studies.outcome import Outcome, Setting, Table, forward_search
from studies.rbfn import (
    Comparison,
    compare,
    errors_over_splits,
    random_split,
    range_of_k,
    verdict,
)

SCALES = {"standard": "standardised", "none": "in their own units"}
_N_TRAIN = 105
_SHOWN = 10  # of the coordinates selected
_FEW = 30  # the paper's search halts after 25
_PRINTED = {"selected": ("25", "0.665"), "peak": ("6", "0.775"), "all": ("166", "3.12")}


def run(setting: Setting) -> Outcome:
    """Choose coordinates of the spectra and compare test errors on each split."""
    frame = NITROGEN.read(setting.data)
    spectral = [name for name in frame.columns if name.startswith("wl")]
    wavelengths = np.array([float(name[2:]) for name in spectral])
    spectra, y = frame.select(spectral).to_numpy(), frame["N"].to_numpy().astype(np.float64)
    numbers: Any = (60, 170) if setting.quick else "auto"
    basis = BSplineBasis(numbers, grid=wavelengths).fit(spectra)
    X = pl.DataFrame(basis.transform(spectra), schema=list(basis.get_feature_names_out()))
    splits = range(2 if setting.quick else 20)
    comparisons: dict[str, list[Comparison]] = {scale: [] for scale in SCALES}
    for seed, scale in setting.track([(seed, scale) for seed in splits for scale in SCALES], "splits"):
        train, test = random_split(len(y), _N_TRAIN, seed)
        selector = MutualInfoSelector(method="published", scale=scale, random_state=seed, n_jobs=setting.n_jobs)
        compared = compare((X[train], y[train]), (X[test], y[test]), selector, cv=5, seed=seed)
        comparisons[scale].append(compared)
    halted = comparisons["none"][0].selection
    ranges = [basis.ranges_[index].tolist() for index in halted.indices]
    return Outcome(
        "nitrogen",
        (
            *(_errors(scale, compared) for scale, compared in comparisons.items()),
            Table(
                f"First split, in their own units: the first of the {len(ranges)} coordinates selected",
                ("order", "coordinate", "wavelengths (nm)"),
                tuple(
                    (str(place + 1), halted.names[place], f"{low:.0f} to {high:.0f}")
                    for place, (low, high) in enumerate(ranges[:_SHOWN])
                ),
            ),
        ),
        {
            "n_functions": basis.n_functions_,
            "order": basis.order_,
            "loo_errors": {str(number): error for (_, number), error in basis.loo_errors_.items()},
            "splits": {scale: [one.numbers for one in compared] for scale, compared in comparisons.items()},
            "ranges of the first split": ranges,
        },
        {
            "forward": forward_search(halted, f"Nitrogen, first split, k = {halted.n_neighbors}"),
            "spectra": _spectra(
                SpectrumDisplay.from_selection(halted, spectra, wavelengths, basis.ranges_), spectra
            ),
        },
        (
            *(_remark(scale, compared) for scale, compared in comparisons.items()),
            f"Basis: {basis.n_functions_} B-splines of order {basis.order_}, {basis.n_functions_ - basis.order_} "
            "interior knots (paper: 166 B-splines of order four), chosen on all spectra without the target.",
        ),
    )


def _errors(scale: str, comparisons: list[Comparison]) -> Table:
    title = f"Nitrogen, coordinates {SCALES[scale]}: test errors over {len(comparisons)} splits"
    return errors_over_splits(title, comparisons, _PRINTED)


def _remark(scale: str, comparisons: list[Comparison]) -> str:
    """Say how a scale did: against all coordinates, where the search halts, and the number of neighbours."""
    sizes = [len(one.selection.names) for one in comparisons]
    few = sum(size < _FEW for size in sizes)
    errors = verdict(comparisons, [f"split {seed}" for seed in range(len(comparisons))])
    return (
        f"Coordinates {SCALES[scale]}: {errors} The published search selects {min(sizes)} to {max(sizes)} "
        f"coordinates, fewer than {_FEW} on {few} of {len(sizes)} splits (paper: 25). "
        f"k chosen: {range_of_k(comparisons)} (paper: 12)."
    )


def _spectra(display: SpectrumDisplay, spectra: FloatArray) -> Any:
    figure, axes = new_figure(size=(8.0, 4.6))
    axes.plot(display.grid, spectra.T, color=GREY, alpha=0.15, lw=0.6)
    display.plot(axes)
    axes.set(
        xlabel="wavelength (nm)",
        ylabel="absorbance",
        title="Spectra, and the ranges selected first (dark) and later (light), first split",
    )
    return figure
