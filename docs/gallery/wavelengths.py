"""Which wavelengths predict fat?

Spectra of meat become coordinates on a spline basis, and the few that matter are marked on the
spectra.

A near-infrared spectrum has hundreds of absorbances that are nearly copies of their
neighbours. A test of each tells little: all of them depend on fat somehow. We want the few
ranges of wavelengths that together carry what the spectra know about fat, so that a cheaper
sensor could be built from them.

The spectra are simulated, so that we know the answer: fat absorbs around 930 nm and 1040 nm,
water around 970 nm, and protein, which nobody asked for, around 910 nm and 1020 nm.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

from infosift import BSplineBasis, MutualInfoSelector
from infosift.display.plots import SpectrumDisplay

rng = np.random.default_rng(3)
wavelengths = np.linspace(850, 1050, 101)
n_samples = 200


def band(centre, width):
    return np.exp(-0.5 * ((wavelengths - centre) / width) ** 2)


fat = rng.uniform(2, 50, n_samples)
water = 76 - 0.9 * fat + rng.normal(0, 4, n_samples)
protein = rng.uniform(12, 22, n_samples)
pure = 0.012 * np.outer(fat, band(930, 9) + 0.6 * band(1040, 8))
pure += 0.012 * np.outer(water, band(970, 16))
pure += 0.010 * np.outer(protein, band(910, 8) + band(1020, 8))

# %%
# Two things disturb real spectra. Light is scattered, so that each sample has a path length
# and a baseline of its own; and the detector is noisy. Scatter is usually removed first, here
# by the standard normal variate: each spectrum minus its mean, divided by its standard
# deviation.
length = rng.uniform(0.8, 1.2, (n_samples, 1))
slope = 0.001 * rng.normal(size=(n_samples, 1))
baseline = rng.uniform(2.0, 2.6, (n_samples, 1)) + slope * (wavelengths - 950)
spectra = length * (baseline + pure) + 0.002 * rng.normal(size=pure.shape)
corrected = StandardScaler().fit_transform(spectra.T).T

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
panels = ("as measured", spectra), ("without scatter", corrected)
for ax, (title, curves) in zip(axes, panels, strict=True):
    for curve, share in list(zip(curves, fat / 50, strict=True))[:60]:
        ax.plot(wavelengths, curve, color=plt.cm.cividis(share), lw=0.6)
    ax.set(title=title, xlabel="wavelength (nm)", ylabel="absorbance")
scale = plt.cm.ScalarMappable(plt.Normalize(0, 50), "cividis")
figure.colorbar(scale, ax=axes, label="fat (%)")
plt.show()

# %%
# `BSplineBasis` replaces the 101 absorbances by fewer coordinates, each of which is about a
# range of wavelengths. How many is chosen by leave-one-out, without a look at fat. Then
# features are selected among the coordinates.
basis = BSplineBasis(range(12, 41, 4), grid=wavelengths).set_output(transform="pandas")
coordinates = basis.fit_transform(corrected)
selector = MutualInfoSelector(random_state=0).fit(coordinates, fat)
selection = selector.selection_
print(f"{basis.n_functions_} coordinates of {len(wavelengths)} wavelengths")
for name, place in zip(selection.names, selection.indices, strict=True):
    low, high = basis.ranges_[place]
    print(f"selected: {name}, {low:.0f} to {high:.0f} nm")
share = 100 * selection.explained.share
print(f"They explain about {share:.0f} % of the variance of fat.")

# %%
# The picture has the mean spectrum and the selected ranges, with the true bands of fat as
# dotted lines.
figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
where = {"grid": wavelengths, "ranges": basis.ranges_}
SpectrumDisplay.from_selection(selection, corrected, **where).plot(ax)
for centre in (930, 1040):
    ax.axvline(centre, color="black", ls=":", lw=1.2)
ax.set(title="Wavelengths selected for fat", xlabel="wavelength (nm)", ylabel="mean spectrum")
plt.show()

# %%
# The strongest band of fat comes first. The other range lies where nothing absorbs: it tells
# how much of the first is baseline rather than fat. A test of one wavelength at a time cannot
# find such a reference. It need not be this range: in other samples drawn in the same way
# others took its place, so do not read it as a band of its own. The band of water at 970 nm
# falls where fat rises, so it does depend on fat. It is missing because it adds nothing to
# these two:
verdicts = selection.to_frame("verdicts", "pandas")
verdicts.insert(1, "nm", [f"{low:.0f} to {high:.0f}" for low, high in basis.ranges_])
around_water = (basis.ranges_[:, 0] < 970) & (basis.ranges_[:, 1] > 970)
columns = ["feature", "nm", "verdict", "redundant_with"]
print(verdicts.loc[around_water, columns].to_string(index=False))
