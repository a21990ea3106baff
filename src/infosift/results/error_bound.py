"""How many features reach a selection frequency by chance, at most and on average: Shah and Samworth (2013)."""

from __future__ import annotations

from math import ceil, sqrt
from numbers import Real

from infosift.errors import InputError, require_choice

ASSUMPTIONS = ("unimodal", "none")
_ROUNDING = 1e-9
_LARGEST_SHARE = 1 / sqrt(3)


def chance_bound(
    threshold: float, n_pairs: int, mean_selected: float, n_candidates: int, assumption: str = "unimodal"
) -> float:
    """Return a bound on the expected number of features of low selection probability that reach a threshold.

    Of low probability are those selected on a half-sample with a probability of at most ``share``, that of a
    feature drawn at random: ``mean_selected / n_candidates``. Without an assumption the bound is Theorem 1 of
    Shah and Samworth. "unimodal" is their Theorem 2: the share of the pairs in both halves of which such a feature
    is selected has a distribution with one peak. Where that theorem says nothing, it is Theorem 1.
    """
    require_choice("assumption", assumption, ASSUMPTIONS)
    frequency = on_grid(require_threshold(threshold), n_pairs)
    if n_candidates == 0:
        return 0.0
    share = mean_selected / n_candidates
    by_chance_in_both = share * mean_selected
    bounds = [mean_selected / frequency]  # Markov's inequality
    if frequency > 0.5:
        bounds.append(by_chance_in_both / (2 * frequency - 1))
    if assumption == "unimodal" and _says_something(frequency, n_pairs, share):
        bounds.append(by_chance_in_both * _factor_of_unimodal(frequency, n_pairs))
    return min(bounds)


def require_threshold(threshold: object) -> float:
    """Return a selection frequency above one half, as the bound needs."""
    if isinstance(threshold, bool) or not isinstance(threshold, Real) or not 0.5 < float(threshold) <= 1:
        raise InputError(f"threshold must be a frequency above 0.5 and at most 1, not {threshold!r}.")
    return float(threshold)


def on_grid(threshold: float, n_pairs: int) -> float:
    """Return the smallest frequency of so many pairs of half-samples that reaches a threshold."""
    return ceil(2 * n_pairs * threshold - _ROUNDING) / (2 * n_pairs)


def _says_something(frequency: float, n_pairs: int, share: float) -> bool:
    """Tell whether Theorem 2 has a bound for this frequency."""
    if share > _LARGEST_SHARE or frequency < 0.5 + 1 / n_pairs - _ROUNDING:
        return False
    return frequency > 0.75 or frequency > min(0.5 + share**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * share**2)


def _factor_of_unimodal(frequency: float, n_pairs: int) -> float:
    """Return the constant of Theorem 2."""
    if frequency <= 0.75:
        return 1 / (2 * (2 * frequency - 1 - 1 / (2 * n_pairs)))
    return 4 * (1 - frequency + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)
