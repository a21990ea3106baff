"""Columns that lie in blocks, against plain indexing."""

import pickle
from contextlib import suppress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infosift.engines.base import AlignedPickle, ColumnBlocks, equal_parts, join_columns


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.data())
def test_pieces_of_blocks_are_the_columns_asked_for_in_their_order(sizes, data):
    n_columns = sum(sizes)
    columns = np.arange(3.0 * n_columns).reshape(n_columns, 3)
    stops = np.cumsum(sizes)
    starts = stops - sizes
    # A handle is anything that stands for a block.
    handles = tuple(f"block {i}" for i in range(len(sizes)))
    lying = dict(zip(handles, np.split(columns, stops[:-1]), strict=True))
    positions = data.draw(st.lists(st.integers(0, n_columns - 1), min_size=1, max_size=20))
    pieces = ColumnBlocks(tuple(starts.tolist()), handles).locate(positions)
    found = join_columns([(lying[handle], places) for handle, places in pieces])
    np.testing.assert_array_equal(found, columns[positions])
    with suppress(ValueError):  # it says that it may not be written into
        found[:] = 0  # of a block that others have, too
    np.testing.assert_array_equal(columns, np.arange(3.0 * n_columns).reshape(n_columns, 3))
    blocks = np.searchsorted(starts, positions, side="right") - 1
    assert len(pieces) == 1 + np.count_nonzero(np.diff(blocks))  # neighbors in a block are one piece


@given(st.integers(0, 100), st.integers(1, 120))
def test_equal_parts_are_as_large_as_asked_but_for_the_last(n_items, size):
    parts = equal_parts(n_items, size)
    assert [item for part in parts for item in range(part.start, part.stop)] == list(range(n_items))
    assert all(part.stop - part.start == size for part in parts[:-1])
    assert all(1 <= part.stop - part.start <= size for part in parts[-1:])


class Pickled(AlignedPickle):
    """Has any attributes."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


def test_arrays_arrive_aligned_and_an_object_may_have_none():
    sent = Pickled(array=np.arange(5.0), name="five")
    received = pickle.loads(pickle.dumps(sent))
    assert received.array.flags.aligned
    assert (received.array.tolist(), received.name) == ([0, 1, 2, 3, 4], "five")
    assert vars(pickle.loads(pickle.dumps(Pickled()))) == {}
