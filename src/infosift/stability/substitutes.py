"""Features that replace each other from one half-sample to another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infosift.arrays import IntArray
from infosift.results.stability import Substitutes
from infosift.stability.half_samples import HalfSample

_LEAST_SHARE = 0.05


def substitutes(found: Sequence[HalfSample], names: Sequence[str]) -> tuple[Substitutes, ...]:
    """Return the groups of features that replace each other, the most frequently selected group first.

    One feature is replaced by another on a half-sample where the other is selected and it is redundant with that.
    Two replace each other if each is replaced by the other in at least a twentieth of the half-samples, and both
    are selected together less often than one replaces the other. A group is a feature and all that replace it
    and are in no group before, beginning with the feature that is selected most often.
    """
    is_selected = np.zeros((len(found), len(names)), dtype=bool)
    replaced: IntArray = np.zeros((len(names), len(names)), dtype=np.int64)
    for row, half in zip(is_selected, found, strict=True):
        row[list(half.selected)] = True
        for redundant, carrier in half.redundant:
            replaced[redundant, carrier] += 1
    counts = is_selected.sum(axis=0)
    ungrouped = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i] > 0]
    groups = []
    while ungrouped:
        leader, *others = ungrouped
        own = [other for other in others if _replace_each_other(leader, other, replaced, is_selected)]
        ungrouped = [other for other in others if other not in own]
        if own:
            members = [leader, *own]
            frequency = float(is_selected[:, members].any(axis=1).mean())
            groups.append(Substitutes(features=tuple(names[i] for i in members), frequency=frequency))
    return tuple(sorted(groups, key=lambda group: -group.frequency))


def _replace_each_other(one: int, other: int, replaced: IntArray, is_selected: np.ndarray) -> bool:
    both_ways = (int(replaced[one, other]), int(replaced[other, one]))
    together = int((is_selected[:, one] & is_selected[:, other]).sum())
    return min(both_ways) >= _LEAST_SHARE * len(is_selected) and together < sum(both_ways)
