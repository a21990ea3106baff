"""What is sent to other processes arrives aligned in memory, so that sums over it have the same bits."""

from __future__ import annotations

import pickle
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


class Sendable:
    """Sent as one string of bytes, of which arrays are made that are aligned.

    Arrays that are sent for themselves lie anywhere in what is received; NumPy adds up and multiplies those that
    are not aligned in another way.
    """

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _received, (pickle.dumps((type(self), self.__getstate__()), protocol=pickle.HIGHEST_PROTOCOL),)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


def _received(sent: bytes) -> Any:
    kind, state = pickle.loads(sent)
    received = object.__new__(kind)
    received.__setstate__(state)
    return received


def aligned(value: Any) -> Any:
    """Return arrays, also in tuples and lists, that are aligned in memory."""
    if isinstance(value, np.ndarray):
        return np.require(value, requirements="A")
    if type(value) in (tuple, list):
        return type(value)(map(aligned, value))
    return type(value)(*map(aligned, value)) if isinstance(value, tuple) else value


def bytes_of(value: Any) -> int:
    """Return about how many bytes a value takes to send."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, (tuple, list)):
        return sum(map(bytes_of, value))
    if isinstance(value, Sendable):
        return len(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, part.name)) for part in fields(value))
    return 8
